//! The targets (`down_to`) of reductions, as a share of the window and in tokens.

use trimtab_base::diagnostic::TextEdit;
use trimtab_base::quantity::{Decimal, Quantity, Unit, share_of};
use trimtab_base::source::Span;
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::LabelRole;

use crate::lint::Subject;
use crate::lint::analysis::edit::set_label;
use crate::lint::analysis::reduction::{lowered, shrinks_old};
use crate::lint::analysis::threshold::Threshold;

/// The target of an action.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionTarget<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// The action with the target.
    pub action: &'a Action,
    /// The smallest size at which the rule is due.
    pub threshold: Option<Threshold<'a>>,
    /// The window, if it is known.
    pub window: Option<u64>,
    /// The target as a share of the window, or `None` if it is in tokens and the window is unknown.
    pub share: Option<Decimal>,
    /// The target in tokens, or `None` if it is a share and the window is unknown.
    pub tokens: Option<u64>,
    /// The unit that it is written in.
    pub unit: Unit,
    /// Its place.
    pub span: Span,
}

impl ActionTarget<'_> {
    /// Returns whether it is at or above the threshold of the rule, or `None` if the two cannot be compared.
    pub(crate) fn above_threshold(&self) -> Option<bool> {
        let threshold = self.threshold?;
        match (self.share, threshold.share, self.tokens, threshold.tokens) {
            (_, _, Some(goal), Some(threshold)) => Some(goal >= threshold),
            (Some(goal), Some(threshold), ..) => Some(goal >= threshold),
            _ => None,
        }
    }
}

/// The targets of all rules of the file.
pub(crate) fn targets<'a>(subject: &Subject<'a>) -> Vec<ActionTarget<'a>> {
    let mut found = Vec::new();
    for (_, rule) in subject.rules() {
        found.extend(
            rule.actions.iter().filter(|action| shrinks_old(action)).filter_map(|action| of(subject, rule, action)),
        );
    }
    found
}

fn of<'a>(subject: &Subject<'a>, rule: &'a Rule, action: &'a Action) -> Option<ActionTarget<'a>> {
    let (goal, span) = action.explicit(LabelRole::DownTo)?;
    let window = subject.window();
    let (share, tokens) = match goal.unit {
        Unit::Share => (Some(goal.amount), window.map(|window| share_of(window, goal.amount))),
        _ => (window.and_then(|window| goal.amount.checked_div(window.into())), Some(goal.to_u64())),
    };
    let threshold = subject.threshold(rule);
    Some(ActionTarget { rule, action, threshold, window, share, tokens, unit: goal.unit, span })
}

/// The edit that sets a target well below the threshold.
pub(crate) fn lower_target(target: &ActionTarget<'_>) -> Option<TextEdit> {
    let threshold = target.threshold?;
    let goal = match (threshold.share, threshold.tokens) {
        (Some(share), _) if target.unit == Unit::Share || threshold.tokens.is_none() => {
            let share = (share * Decimal::ONE_HUNDRED).floor() / Decimal::ONE_HUNDRED;
            Quantity::new(lowered(share, Decimal::new(20, 2)), Unit::Share)
        }
        (_, Some(tokens)) => Quantity::whole(rounded(tokens / 3 * 2), Unit::Tokens),
        _ => return None,
    };
    if goal.amount.is_zero() {
        return None;
    }
    set_label(target.action, LabelRole::DownTo, &goal.to_string())
}

/// A number of tokens, rounded down to thousands if it is at least one thousand.
const fn rounded(tokens: u64) -> u64 {
    if tokens < 1_000 { tokens } else { tokens / 1_000 * 1_000 }
}
