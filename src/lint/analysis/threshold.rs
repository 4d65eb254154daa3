//! The fill from which on a rule can be due.

use crate::check::{Comparison, Condition, Operand, Test};
use crate::fact::Topic;
use crate::lint::analysis::requirement::required_comparisons;
use crate::quantity::{Decimal, Value, share_of, whole};

/// The least size of the context at which a rule can be due, as its condition says it.
#[derive(Clone, Copy, Debug)]
pub struct Threshold<'a> {
    /// The test that says it.
    pub test: &'a Test,
    /// As a share of the window; none when it is in tokens and the window is unknown.
    pub share: Option<Decimal>,
    /// In tokens; none when it is a share and the window is unknown.
    pub tokens: Option<u64>,
    /// Whether it is read from `reported.*`.
    pub reported: bool,
}

impl<'a> Threshold<'a> {
    /// The threshold of a condition; none when it sets no such bound. Of several bounds that must all hold the greatest counts.
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
