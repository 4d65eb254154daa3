//! Fills facts into the texts of an action.

use trimtab_language::check::{Action, Piece, Template};
use trimtab_language::condition::read;
use trimtab_language::effect::{FilledText, Texts};
use trimtab_language::fact::Facts;

use super::fields::fields;

/// The texts and fields of an action with the facts of this moment.
pub(super) fn fill(action: &Action, facts: &dyn Facts) -> Texts {
    let texts: Texts = action.texts().map(|text| filled(text, facts)).collect();
    texts.with_fields(fields(action, facts))
}

fn filled(text: &Template, facts: &dyn Facts) -> FilledText {
    let mut filled = FilledText::default();
    for piece in &text.pieces {
        match piece {
            Piece::Literal(text) => filled.push_literal(text),
            Piece::Variable(name) => filled.push_variable(name.clone()),
            Piece::Fact(reading) => {
                let value = read(reading, facts);
                filled.push_literal(value.map_or_else(String::new, |value| value.format_bare(reading.fact.ty)));
            }
        }
    }
    filled
}
