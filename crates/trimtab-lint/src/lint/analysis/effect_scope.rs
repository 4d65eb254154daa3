//! The scope of an effect: its target, the kept tail, the selected tools, and the length of its texts.

use smol_str::SmolStr;
use trimtab_base::conversation::covers as covers_tool;
use trimtab_base::quantity::{Counted, Decimal, Quantity, Unit};
use trimtab_language::check::{Action, Label, Template, TextPiece};
use trimtab_language::effect::{
    DEFAULT_PLACEHOLDER_CHARS, ERRORS_INCLUDED, ERRORS_KEPT, EffectKind, LabelRole, TargetKind,
};

/// Whether an action is an effect of this kind on tool results.
pub(crate) fn on_results(action: &Action, kind: EffectKind) -> bool {
    action.effect.kind == kind && action.target_kind() == Some(TargetKind::Results)
}

/// Whether an action summarises everything and keeps no tail.
pub(crate) fn summarises_everything(action: &Action) -> bool {
    let keeps = action.quantity(LabelRole::Keep).is_some_and(|keep| keep.amount > Decimal::ZERO);
    action.effect.kind == EffectKind::Summarise && action.target_kind() == Some(TargetKind::AllMessages) && !keeps
}

/// Whether an action injects a message that stays in the conversation.
pub(crate) fn injects(action: &Action) -> bool {
    action.effect.kind == EffectKind::AddMessage && action.argument(LabelRole::Lifetime).is_none()
}

/// Whether an action keeps no tail, so that it changes new messages before they are sent.
pub(crate) fn keeps_nothing(action: &Action) -> bool {
    action.quantity(LabelRole::Keep).is_some_and(|kept| kept.amount.is_zero())
}

/// Whether the kept tail of an action is counted in interactions.
pub(crate) fn keeps_interactions(action: &Action) -> bool {
    action.quantity(LabelRole::Keep).is_some_and(|kept| kept.unit == Unit::Counted(Counted::Interactions))
}

/// The length in characters from which a part counts as long. Few calls produce one.
const LONG_PART: u64 = 2_000;

/// The approximate number of characters of a token.
const CHARS_OF_TOKEN: u64 = 4;

/// Whether an action edits only long parts, which few calls produce.
pub(crate) fn edits_long_parts_only(action: &Action) -> bool {
    let limits = [LabelRole::MinimumLength, LabelRole::ResultLimit];
    limits.into_iter().filter_map(|limit| action.quantity(limit)).any(|limit| chars(limit) >= LONG_PART)
}

/// Whether a part is still long after an action has cut it.
pub(crate) fn cuts_to_long(action: &Action) -> bool {
    action.quantity(LabelRole::ResultLimit).is_some_and(|limit| chars(limit) >= LONG_PART)
}

/// The tokens of the longest result that an action leaves. Results with fewer tokens stay as they are.
pub(crate) fn longest_left(action: &Action) -> u64 {
    let limits = [LabelRole::MinimumLength, LabelRole::ResultLimit, LabelRole::MinimumSaving];
    let tokens =
        limits.into_iter().filter_map(|limit| action.quantity(limit)).map(|limit| chars(limit) / CHARS_OF_TOKEN);
    tokens.max().unwrap_or(0)
}

/// A length in characters.
fn chars(length: Quantity) -> u64 {
    match length.unit {
        Unit::Tokens => length.to_u64().saturating_mul(CHARS_OF_TOKEN),
        _ => length.to_u64(),
    }
}

/// Whether an action may leave content that it could reduce, because of `down_to`, a minimum saving or a minimum length.
pub(crate) fn is_partial(action: &Action) -> bool {
    let limits = [LabelRole::DownTo, LabelRole::MinimumSaving, LabelRole::MinimumLength];
    limits.into_iter().any(|limit| action.argument(limit).is_some())
}

/// Whether an action affects everything that another action of the same kind affects.
pub(crate) fn covers(action: &Action, other: &Action) -> bool {
    keeps_no_more(action, other) && excludes_no_more(action, other)
}

/// Whether the tail that an action keeps is no longer than that of another action.
fn keeps_no_more(action: &Action, other: &Action) -> bool {
    match (action.quantity(LabelRole::Keep), other.quantity(LabelRole::Keep)) {
        (Some(keep), _) if keep.amount.is_zero() => true,
        (Some(keep), Some(other)) => keep.unit == other.unit && keep.amount <= other.amount,
        (None, _) => true,
        (Some(_), None) => false,
    }
}

/// Whether the other action excludes all content that an action excludes by its tool, its length or as an error.
fn excludes_no_more(action: &Action, other: &Action) -> bool {
    let errors = excludes_no_more_errors(action, other);
    let only = action
        .names(LabelRole::OnlyTools)
        .is_none_or(|all| other.names(LabelRole::OnlyTools).is_some_and(|few| within(few, all)));
    let excludes_fewer =
        |role: LabelRole| action.names(role).is_none_or(|few| other.names(role).is_some_and(|all| within(few, all)));
    let except = excludes_fewer(LabelRole::ExceptTools) && excludes_fewer(LabelRole::KeepLatest);
    let over = action.quantity(LabelRole::MinimumLength).is_none_or(|over| {
        let other = other.quantity(LabelRole::MinimumLength);
        other.is_some_and(|other| other.unit == over.unit && other.amount >= over.amount)
    });
    errors && only && except && over
}

/// Whether an action changes error results if the other one does, and other results if the other one does.
fn excludes_no_more_errors(action: &Action, other: &Action) -> bool {
    let [all, few] = [action, other].map(|action| action.word(LabelRole::Errors));
    all == few || all == Some(ERRORS_INCLUDED)
}

/// Whether an action changes error results.
pub(crate) fn takes_errors(action: &Action) -> bool {
    action.word(LabelRole::Errors).is_some_and(|word| word != ERRORS_KEPT)
}

/// Whether each pattern of `few` is covered by a pattern of `all`.
pub(crate) fn within(few: &[SmolStr], all: &[SmolStr]) -> bool {
    few.iter().all(|name| all.iter().any(|pattern| covers_tool(pattern, name)))
}

/// The number of literal characters in a text.
pub(crate) fn literal_chars(text: &Template) -> usize {
    let literal = text.pieces.iter().map(|piece| match piece {
        TextPiece::Literal(text) => text.chars().count(),
        TextPiece::Fact(_) | TextPiece::Variable(_) => 0,
    });
    literal.sum()
}

/// Whether the placeholder of an action shows a preview of the old content.
pub(crate) fn shows_preview(action: &Action) -> bool {
    action.effect.label_for(LabelRole::Preview).is_some_and(|preview| action.inert(preview).is_none())
}

/// Whether a text is only whitespace.
pub(crate) fn is_blank(text: &Template) -> bool {
    text.pieces.iter().all(|piece| matches!(piece, TextPiece::Literal(text) if text.trim().is_empty()))
}

/// The approximate length of the placeholder of a mask, in characters.
pub(crate) fn placeholder(mask: &Action) -> usize {
    let preview = mask.quantity(LabelRole::Preview).map_or(0, Quantity::to_u64);
    let preview = usize::try_from(preview).unwrap_or(usize::MAX);
    match mask.template(LabelRole::Placeholder).map(literal_chars) {
        Some(literal) if shows_preview(mask) => literal.saturating_add(preview),
        Some(literal) => literal,
        None => preview.saturating_add(DEFAULT_PLACEHOLDER_CHARS),
    }
}

/// Whether the value of a label of an action is its default.
pub(crate) fn is_default(action: &Action, label: &Label) -> bool {
    label.descriptor.is_default(&label.argument, action.target.map(|target| target.name))
}
