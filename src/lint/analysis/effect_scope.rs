//! What an effect touches: its target, the tail that it keeps, the tools that it names, and how long its texts are.

use smol_str::SmolStr;

use crate::check::{Action, Argument, Piece, Template};
use crate::effect::Fallback;
pub(crate) use crate::plan::{meet, stands_for};
use crate::quantity::{Counted, Decimal, Quantity, Unit};

/// The marker of a cut that has no other, in characters.
pub(crate) const MARKER: usize = 11;
/// What the usual placeholder adds to its preview at the least, in characters.
pub(crate) const FRAME: usize = 21;

/// Whether an action is this effect on tool results.
pub(crate) fn on_results(action: &Action, effect: &str) -> bool {
    action.effect.name == effect && action.target == "results"
}

/// Whether an action summarises all and keeps no tail.
pub(crate) fn takes_all(action: &Action) -> bool {
    let keeps = action.quantity("keep").is_some_and(|keep| keep.amount > Decimal::ZERO);
    action.effect.name == "summarise" && action.target == "all" && !keeps
}

/// Whether an action puts in a message that stays.
pub(crate) fn injects(action: &Action) -> bool {
    action.effect.name == "inject" && action.argument("for").is_none()
}

/// Whether what an action keeps is counted in interactions.
pub(crate) fn keeps_interactions(action: &Action) -> bool {
    action.quantity("keep").is_some_and(|kept| kept.unit == Unit::Counted(Counted::Interactions))
}

/// Whether an action stops before it has taken all that it could, or waits until there is enough.
pub(crate) fn is_partial(action: &Action) -> bool {
    action.argument("down_to").is_some() || action.argument("at_least").is_some()
}

/// Whether an action touches everything that another of its kind touches.
pub(crate) fn covers(one: &Action, other: &Action) -> bool {
    keeps_no_more(one, other) && spares_no_more(one, other)
}

fn keeps_no_more(one: &Action, other: &Action) -> bool {
    match (one.quantity("keep"), other.quantity("keep")) {
        (Some(one), _) if one.amount.is_zero() => true,
        (Some(one), Some(other)) => one.unit == other.unit && one.amount <= other.amount,
        (None, _) => true,
        (Some(_), None) => false,
    }
}

fn spares_no_more(one: &Action, other: &Action) -> bool {
    let errors = one.argument("including").is_some() || other.argument("including").is_none();
    let only = one.names("only").is_none_or(|all| other.names("only").is_some_and(|few| within(few, all)));
    let except = one.names("except").is_none_or(|few| other.names("except").is_some_and(|all| within(few, all)));
    errors && only && except
}

/// Whether each of some patterns is covered by one of others.
pub(crate) fn within(few: &[SmolStr], all: &[SmolStr]) -> bool {
    few.iter().all(|one| all.iter().any(|pattern| stands_for(pattern, one)))
}

/// The literal characters of a text, and whether it has a place for this name of the effect.
pub(crate) fn length(text: &Template, own: &str) -> (usize, bool) {
    let literal = text.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) => text.chars().count(),
        Piece::Fact(_) | Piece::Own(_) => 0,
    });
    let holds = text.pieces.iter().any(|piece| matches!(piece, Piece::Own(name) if name == own));
    (literal.sum(), holds)
}

/// Whether a text says nothing: it has no place to fill and only white space.
pub(crate) fn is_blank(text: &Template) -> bool {
    text.pieces.iter().all(|piece| matches!(piece, Piece::Literal(text) if text.trim().is_empty()))
}

/// About how long the placeholder of a mask is, in characters.
pub(crate) fn placeholder(mask: &Action) -> usize {
    let preview = mask.quantity("preview").map_or(0, Quantity::to_u64);
    let preview = usize::try_from(preview).unwrap_or(usize::MAX);
    match mask.template("placeholder").map(|text| length(text, "preview")) {
        Some((literal, true)) => literal.saturating_add(preview),
        Some((literal, false)) => literal,
        None => preview.saturating_add(FRAME),
    }
}

/// Whether a label's value is the one that it has when it is left out.
pub(crate) fn is_default(action: &Action, label: &str) -> bool {
    let Some(fallback) = action.effect.label(label).map(|label| label.fallback) else { return false };
    match (fallback, action.argument(label)) {
        (Fallback::Number(number, unit), Some(Argument::Quantity(given))) => {
            given.unit == unit && given.amount == Decimal::from(number)
        }
        (Fallback::Word(word), Some(Argument::Word(given))) => given == word,
        _ => false,
    }
}
