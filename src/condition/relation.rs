//! What facts say of each other at every moment, where the code that reads them makes it certain.

use crate::quantity::{Decimal, Value};

/// What is certain of the values of two facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bond {
    /// Where both are known, the first is at most the second.
    AtMost,
    /// The one is known where the other is.
    KnownTogether,
    /// The second is unknown just where the first is zero.
    UnknownAtZero,
    /// Where the text of the first holds this part, it holds that part too.
    Within,
}

/// Two facts with what is certain of them.
pub(super) struct Relation {
    pub(super) first: &'static str,
    pub(super) second: &'static str,
    pub(super) bond: Bond,
    /// Whether it is certain for the same arguments only.
    pub(super) same: bool,
}

const fn relation(first: &'static str, second: &'static str, bond: Bond, same: bool) -> Relation {
    Relation { first, second, bond, same }
}

/// All that is certain. Left out since a host or a compaction may make it otherwise: `iteration` against
/// `budget.calls` (two counters that the caller moves), `failures` against `failures.total` (the tail of a context may
/// reach into an earlier run), sums of money and times (which the caller tells), results against messages.
pub(super) static RELATIONS: &[Relation] = &[
    // A firing notes the iteration, which only grows in a run, and both begin anew with a run.
    relation("since", "iteration", Bond::AtMost, false),
    // A firing counts and notes its iteration in one step.
    relation("fired", "since", Bond::UnknownAtZero, true),
    // One step adds the same to both sums, and only the run's begins anew.
    relation("budget.tokens", "session.tokens", Bond::AtMost, false),
    relation("budget.calls", "session.calls", Bond::AtMost, false),
    // Each is read from the newest result, found the same way.
    relation("result.text", "result.tokens", Bond::KnownTogether, false),
    relation("result.text", "result.error", Bond::KnownTogether, false),
    relation("result.tokens", "result.error", Bond::KnownTogether, false),
    // Each is read from the newest call, found the same way.
    relation("call.name", "call.arguments", Bond::KnownTogether, false),
];

impl Bond {
    /// Whether two values may stand together.
    pub(super) fn allows(self, first: Option<&Value>, second: Option<&Value>) -> bool {
        match self {
            Self::AtMost => match (first, second) {
                (Some(Value::Number(first)), Some(Value::Number(second))) => first <= second,
                _ => true,
            },
            Self::KnownTogether => first.is_some() == second.is_some(),
            Self::UnknownAtZero => (first == Some(&Value::Number(Decimal::ZERO))) == second.is_none(),
            Self::Within => match (first, second) {
                (Some(first), Some(second)) => *first == Value::Bool(false) || *second == Value::Bool(true),
                (None, None) => true,
                _ => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_is_of_facts_that_exist() {
        for relation in RELATIONS {
            let [first, second] = [relation.first, relation.second].map(crate::fact::find);
            let (first, second) = (first.expect("a fact"), second.expect("a fact"));
            assert_eq!(relation.same, !first.parameters.is_empty() && !second.parameters.is_empty());
        }
    }

    #[test]
    fn unknown_is_neither_more_nor_less() {
        let [one, two] = [1, 2].map(|number| Some(Value::whole(number)));
        assert!(Bond::AtMost.allows(one.as_ref(), two.as_ref()) && !Bond::AtMost.allows(two.as_ref(), one.as_ref()));
        assert!(Bond::AtMost.allows(None, one.as_ref()) && Bond::AtMost.allows(two.as_ref(), None));
    }
}
