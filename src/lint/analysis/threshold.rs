//! The smallest size of the context at which a rule can be due.

use crate::check::{Comparison, Condition, Operand, Test};
use crate::fact::Topic;
use crate::lint::analysis::requirement::required_comparisons;
use crate::quantity::{Decimal, Value, share_of, whole};

/// The smallest size of the context at which a rule can be due, as required by its condition.
#[derive(Clone, Copy, Debug)]
pub struct Threshold<'a> {
    /// The test that requires it.
    pub test: &'a Test,
    /// As a share of the window; none if it is in tokens and the window is unknown.
    pub share: Option<Decimal>,
    /// In tokens; none if it is a share and the window is unknown.
    pub tokens: Option<u64>,
    /// Whether the test reads `reported.*`.
    pub reported: bool,
}

impl<'a> Threshold<'a> {
    /// The threshold of a condition; none if it has no such bound. Of several required bounds, the largest.
    pub(crate) fn of(condition: &'a Condition, window: Option<u64>) -> Option<Self> {
        let floors = required_comparisons(condition)
            .filter_map(|(test, operator, operand)| Self::bound(test, operator, operand, window));
        floors.max_by_key(|threshold| (threshold.tokens, threshold.share))
    }

    fn bound(test: &'a Test, operator: Comparison, operand: &Operand, window: Option<u64>) -> Option<Self> {
        if !matches!(operator, Comparison::More | Comparison::AtLeast) {
            return None;
        }
        let fact = test.reading.fact;
        if !fact.is_size() || fact.is_inverse() {
            return None;
        }
        let reported = fact.topic == Topic::ReportedSize;
        match operand {
            Operand::ShareOfWindow(share) => {
                let tokens = window.map(|window| share_of(window, *share));
                Some(Self { test, share: Some(*share), tokens, reported })
            }
            Operand::Value(Value::Number(tokens)) => {
                let share = window.map(|window| *tokens / Decimal::from(window));
                Some(Self { test, share, tokens: Some(whole(*tokens)), reported })
            }
            Operand::Value(_) => None,
        }
    }
}
