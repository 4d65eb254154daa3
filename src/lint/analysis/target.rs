//! Targets: how far down a mask or a trim goes, beside the fill at which it begins.
//!
//! In: checked rules. Out: their `down_to` as a share and in tokens. It finds fault with nothing.

use crate::check::{Action, Rule};
use crate::diagnostic::TextEdit;
use crate::lint::Subject;
use crate::lint::analysis::floor::Floor;
use crate::lint::analysis::relief::{is_light, lowered};
use crate::lint::analysis::shape::with_label;
use crate::quantity::{Decimal, Quantity, Unit, share_of};
use crate::source::Span;

/// The target of an action.
#[derive(Clone, Copy, Debug)]
pub(in crate::rooms::lint) struct Target<'a> {
    /// The rule.
    pub(in crate::rooms::lint) rule: &'a Rule,
    /// The action that goes down to it.
    pub(in crate::rooms::lint) action: &'a Action,
    /// The fill at which the rule is due.
    pub(in crate::rooms::lint) floor: Option<Floor<'a>>,
    /// The window, where it is known.
    pub(in crate::rooms::lint) window: Option<u64>,
    /// The target as a share of the window; none when it is in tokens and the window is unknown.
    pub(in crate::rooms::lint) share: Option<Decimal>,
    /// The target in tokens; none when it is a share and the window is unknown.
    pub(in crate::rooms::lint) tokens: Option<u64>,
    /// What it is written in.
    pub(in crate::rooms::lint) unit: Unit,
    /// Where it stands.
    pub(in crate::rooms::lint) span: Span,
}

impl Target<'_> {
    /// Whether it is at or above the fill at which the rule is due; none when the two cannot be compared.
    pub(in crate::rooms::lint) fn above_threshold(&self) -> Option<bool> {
        let floor = self.floor?;
        match (self.share, floor.share, self.tokens, floor.tokens) {
            (_, _, Some(goal), Some(threshold)) => Some(goal >= threshold),
            (Some(goal), Some(threshold), ..) => Some(goal >= threshold),
            _ => None,
        }
    }
}

/// The targets of all rules of the file.
pub(in crate::rooms::lint) fn targets<'a>(subject: &Subject<'a>) -> Vec<Target<'a>> {
    let mut found = Vec::new();
    for (_, rule) in subject.rules() {
        found.extend(rule.actions.iter().filter(|action| is_light(action)).filter_map(|one| of(subject, rule, one)));
    }
    found
}

fn of<'a>(subject: &Subject<'a>, rule: &'a Rule, action: &'a Action) -> Option<Target<'a>> {
    let (goal, span) = action.written("down_to")?;
    let window = subject.window();
    let (share, tokens) = match goal.unit {
        Unit::Share => (Some(goal.amount), window.map(|window| share_of(window, goal.amount))),
        _ => (window.and_then(|window| goal.amount.checked_div(window.into())), Some(goal.to_u64())),
    };
    let floor = subject.floor(rule);
    Some(Target { rule, action, floor, window, share, tokens, unit: goal.unit, span })
}

/// The edit that sets a target well below the threshold.
pub(in crate::rooms::lint) fn lower_target(target: &Target<'_>) -> Option<TextEdit> {
    let floor = target.floor?;
    let goal = match (floor.share, floor.tokens) {
        (Some(share), _) if target.unit == Unit::Share || floor.tokens.is_none() => {
            let share = (share * Decimal::ONE_HUNDRED).floor() / Decimal::ONE_HUNDRED;
            Quantity::new(lowered(share, Decimal::new(20, 2)), Unit::Share)
        }
        (_, Some(tokens)) => Quantity::whole(rounded(tokens / 3 * 2), Unit::Tokens),
        _ => return None,
    };
    (!goal.amount.is_zero()).then(|| with_label(target.action, "down_to", &goal.to_string()))
}

/// A number of tokens cut to whole thousands, where it has some.
const fn rounded(tokens: u64) -> u64 {
    if tokens < 1_000 { tokens } else { tokens / 1_000 * 1_000 }
}
