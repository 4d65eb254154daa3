//! The iterations of a run at which a condition can hold.

use trimtab_base::quantity::{Value, whole};

use super::assumptions::Assumptions;
use super::decide::{Implication, implies};
use super::due::{from_iteration, until_iteration};
use crate::check::{Condition, Operand, Relation, Test};
use crate::fact;

/// The iterations of a run at which a condition can hold, counted from 0: all from the first to the last, or fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iterations {
    /// The first one.
    pub first: u64,
    /// The last one, or `None` if there is no last one.
    pub last: Option<u64>,
}

impl Iterations {
    /// Returns how many there are, or `None` if there is no limit.
    pub fn count(self) -> Option<u64> {
        self.last.map(|last| last.saturating_sub(self.first).saturating_add(1))
    }

    /// Whether the condition can hold at one call of a run only.
    pub fn is_single(self) -> bool {
        self.count() == Some(1)
    }
}

/// The most numbers that are tried as the first or the last iteration.
const MAX_TRIED: usize = 12;

/// The iterations of a run at which a condition can hold.
pub fn iterations(condition: &Condition, assumptions: &Assumptions) -> Iterations {
    let tried = candidates(condition);
    let proved = |bound: Condition| implies(condition, &bound, assumptions) == Implication::Proved;
    let first = tried.iter().rev().copied().find(|least| proved(from_iteration(*least))).unwrap_or(0);
    Iterations { first, last: tried.into_iter().find(|most| proved(until_iteration(*most))) }
}

/// The iterations at which a condition that depends on the number of calls may change, in order: the numbers of calls that it
/// compares something with, and their neighbours.
pub fn turning_points(condition: &Condition) -> Vec<u64> {
    let counts = |test: &&Test| test.reading.fact.is_related_to(fact::ITERATION);
    let numbers = condition.tests().filter(counts).flat_map(|test| match &test.relation {
        Relation::Compare(_, Operand::Value(value)) => std::slice::from_ref(value),
        Relation::OneOf(values) => values.as_slice(),
        _ => &[],
    });
    let near = numbers.filter_map(|value| match value {
        Value::Number(number) => Some(whole(*number)),
        _ => None,
    });
    let mut all: Vec<u64> =
        near.flat_map(|number| [number.saturating_sub(1), number, number.saturating_add(1)]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The first and the last turning points.
fn candidates(condition: &Condition) -> Vec<u64> {
    let mut all = turning_points(condition);
    if all.len() > MAX_TRIED {
        all.drain(MAX_TRIED / 2..all.len() - MAX_TRIED / 2);
    }
    all
}
