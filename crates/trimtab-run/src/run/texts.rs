//! Fills facts into the texts of an action.

use smol_str::SmolStr;
use trimtab_language::check::{Action, Template, TextPiece};
use trimtab_language::condition::read;
use trimtab_language::effect::{FilledText, TextSlot, Texts};
use trimtab_language::fact::Facts;

use super::fields::fields;

/// The texts and fields of an action with the facts of this moment.
pub(super) fn fill(action: &Action, facts: &dyn Facts) -> Texts {
    let texts: Texts = action.texts().map(|text| filled(text, facts)).collect();
    texts.with_fields(fields(action, facts))
}

/// A question with the facts of this moment.
pub(super) fn question(text: &Template, facts: &dyn Facts) -> String {
    let texts: Texts = [filled(text, facts)].into_iter().collect();
    texts.render(&TextSlot::default(), &[])
}

fn filled(text: &Template, facts: &dyn Facts) -> FilledText {
    let mut filled = FilledText::default();
    for piece in &text.pieces {
        match piece {
            TextPiece::Literal(text) => filled.push_literal(text),
            TextPiece::Variable(name) => filled.push_variable(name.clone()),
            TextPiece::Fact(reading) => {
                let value = read(reading, facts);
                let value = value.map_or_else(String::new, |value| value.format_bare(reading.fact.ty));
                let items = facts.items(reading.fact, &reading.arguments);
                filled.push_literal(items.map_or_else(|| value.clone(), |items| list(&items, &value)));
            }
        }
    }
    filled
}

/// Items as a list, where they may be the first of so many.
fn list(items: &[SmolStr], count: &str) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    let more = count.parse().unwrap_or(items.len()).saturating_sub(items.len());
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    items.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_how_much_it_leaves_out() {
        let items: Vec<SmolStr> = ["a.rs", "b.rs"].map(SmolStr::from).into();
        assert_eq!(list(&items, "2"), "a.rs, b.rs");
        assert_eq!(list(&items, "14"), "a.rs, b.rs and 12 more");
        assert_eq!(list(&[], "0"), "none");
    }
}
