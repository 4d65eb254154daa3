//! What an effect touches: its target, the tail that it keeps, the tools that it names, and how long its texts are.

use smol_str::SmolStr;

use crate::check::{Action, Argument, Failing, Piece, Rule, Template};
use crate::effect::Fallback;
pub(super) use crate::plan::{meet, stands_for};
use crate::quantity::{Decimal, Quantity};

/// The marker of a cut that has no other, in characters.
pub(super) const MARKER: usize = 11;
/// What the usual placeholder adds to its preview at the least, in characters.
pub(super) const FRAME: usize = 21;

/// Everything that a rule may do, also when a summary has failed.
pub(super) fn actions(rule: &Rule) -> impl Iterator<Item = &Action> {
    let instead = match &rule.on_failure.then {
        Failing::Then(action) => Some(&**action),
        _ => None,
    };
    rule.actions.iter().chain(instead)
}

/// A label's number.
pub(super) fn quantity(action: &Action, label: &str) -> Option<Quantity> {
    match action.argument(label)? {
        Argument::Quantity(quantity) => Some(*quantity),
        _ => None,
    }
}

/// A label's names.
pub(super) fn names<'a>(action: &'a Action, label: &str) -> Option<&'a [SmolStr]> {
    match action.argument(label)? {
        Argument::Names(names) => Some(names),
        _ => None,
    }
}

/// A label's text.
pub(super) fn template<'a>(action: &'a Action, label: &str) -> Option<&'a Template> {
    match action.argument(label)? {
        Argument::Text(text) => Some(text),
        _ => None,
    }
}

/// Whether an action is this effect on tool results.
pub(super) fn on_results(action: &Action, effect: &str) -> bool {
    action.effect.name == effect && action.target == "results"
}

/// Whether an action summarises all and keeps no tail.
pub(super) fn takes_all(action: &Action) -> bool {
    let keeps = quantity(action, "keep").is_some_and(|keep| keep.amount > Decimal::ZERO);
    action.effect.name == "summarise" && action.target == "all" && !keeps
}

/// Whether an action puts in a message that stays.
pub(super) fn injects(action: &Action) -> bool {
    action.effect.name == "inject" && action.argument("for").is_none()
}

/// The word of a label.
pub(super) fn word<'a>(action: &'a Action, label: &str) -> Option<&'a str> {
    match action.argument(label)? {
        Argument::Word(word) => Some(word),
        _ => None,
    }
}

/// Whether an action stops before it has taken all that it could, or waits until there is enough.
pub(super) fn is_partial(action: &Action) -> bool {
    action.argument("down_to").is_some() || action.argument("at_least").is_some()
}

/// Whether an action touches everything that another of its kind touches.
pub(super) fn covers(one: &Action, other: &Action) -> bool {
    keeps_no_more(one, other) && spares_no_more(one, other)
}

fn keeps_no_more(one: &Action, other: &Action) -> bool {
    match (quantity(one, "keep"), quantity(other, "keep")) {
        (Some(one), _) if one.amount.is_zero() => true,
        (Some(one), Some(other)) => one.unit == other.unit && one.amount <= other.amount,
        (None, _) => true,
        (Some(_), None) => false,
    }
}

fn spares_no_more(one: &Action, other: &Action) -> bool {
    let errors = one.argument("including").is_some() || other.argument("including").is_none();
    let only = names(one, "only").is_none_or(|all| names(other, "only").is_some_and(|few| within(few, all)));
    let except = names(one, "except").is_none_or(|few| names(other, "except").is_some_and(|all| within(few, all)));
    errors && only && except
}

/// Whether each of some patterns is covered by one of others.
pub(super) fn within(few: &[SmolStr], all: &[SmolStr]) -> bool {
    few.iter().all(|one| all.iter().any(|pattern| stands_for(pattern, one)))
}

/// The literal characters of a text, and whether it has a place for this name of the effect.
pub(super) fn length(text: &Template, own: &str) -> (usize, bool) {
    let literal = text.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => text.chars().count(),
        Piece::Fact(_) | Piece::Own(_) => 0,
    });
    let holds = text.pieces.iter().any(|piece| matches!(piece, Piece::Own(name) if name == own));
    (literal.sum(), holds)
}

/// Whether a text says nothing: it has no place to fill and only white space.
pub(super) fn is_blank(text: &Template) -> bool {
    text.pieces.iter().all(|piece| matches!(piece, Piece::Literal(text) if text.trim().is_empty()))
}

/// About how long the placeholder of a mask is, in characters.
pub(super) fn placeholder(mask: &Action) -> usize {
    let preview = quantity(mask, "preview").map_or(0, Quantity::to_u64);
    let preview = usize::try_from(preview).unwrap_or(usize::MAX);
    match template(mask, "placeholder").map(|text| length(text, "preview")) {
        Some((literal, true)) => literal.saturating_add(preview),
        Some((literal, false)) => literal,
        None => preview.saturating_add(FRAME),
    }
}

/// Whether a label's value is the one that it has when it is left out.
pub(super) fn is_default(action: &Action, label: &str) -> bool {
    let Some(fallback) = action.effect.label(label).map(|label| label.fallback) else { return false };
    match (fallback, action.argument(label)) {
        (Fallback::Number(number, unit), Some(Argument::Quantity(given))) => {
            given.unit == unit && given.amount == Decimal::from(number)
        }
        (Fallback::Word(word), Some(Argument::Word(given))) => given == word,
        _ => false,
    }
}
