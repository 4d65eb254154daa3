//! Parts of a condition that can be left out.

use trimtab_base::source::Span;

use super::assumptions::Assumptions;
use super::decide::{Decision, Implication, SearchResult, decide, find_states, implies};
use super::formula::{FAILS, HOLDS, UNKNOWN};
use crate::check::Condition;

/// A part of an `and` or an `or` that can be removed without changing the outcome in any state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redundant {
    /// The place of the part.
    pub part: Span,
    /// Why it can be removed.
    pub reason: Redundancy,
}

/// Why a part can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redundancy {
    /// It always holds, in an `and`.
    Always,
    /// It never holds, in an `or`.
    Never,
    /// This other part implies it in an `and`, or is implied by it in an `or`.
    Part(Span),
    /// The other parts make it redundant together.
    Others,
}

/// The parts that can be removed, all of them together. Parts that never or always hold are not searched.
pub fn redundant(condition: &Condition, assumptions: &Assumptions) -> Vec<Redundant> {
    let mut found = Vec::new();
    collect(condition, assumptions, &mut found);
    found
}

fn collect(condition: &Condition, assumptions: &Assumptions, found: &mut Vec<Redundant>) {
    match condition {
        Condition::Not(inner) => collect(inner, assumptions, found),
        Condition::All(parts) | Condition::Any(parts) => {
            if matches!(decide(condition, assumptions), Decision::Sometimes { .. }) {
                let is_all = matches!(condition, Condition::All(_));
                let kept = drop_parts(parts, is_all, assumptions, found);
                for part in kept {
                    collect(part, assumptions, found);
                }
            }
        }
        Condition::Constant(_) | Condition::Test(_) => {}
    }
}

/// Removes redundant parts from the last to the first. Returns the parts that are kept.
fn drop_parts<'c>(
    parts: &'c [Condition],
    is_all: bool,
    assumptions: &Assumptions,
    found: &mut Vec<Redundant>,
) -> Vec<&'c Condition> {
    let mut kept: Vec<&Condition> = parts.iter().collect();
    let mut dropped = Vec::new();
    let mut at = kept.len();
    while at > 0 && kept.len() > 1 {
        at -= 1;
        let part = kept.remove(at);
        match span(part).filter(|_| is_redundant(part, &kept, is_all, assumptions)) {
            Some(place) => dropped.push((place, part)),
            None => kept.insert(at, part),
        }
    }
    let reasons = dropped.into_iter().rev();
    found.extend(
        reasons.map(|(part, reason_of_part)| Redundant {
            part,
            reason: reason(reason_of_part, &kept, is_all, assumptions),
        }),
    );
    kept
}

/// Whether the others have the same outcome with and without the part in every state.
fn is_redundant(part: &Condition, others: &[&Condition], is_all: bool, assumptions: &Assumptions) -> bool {
    let join = |parts: Vec<Condition>| if is_all { Condition::All(parts) } else { Condition::Any(parts) };
    let rest: Vec<Condition> = others.iter().map(|&other| other.clone()).collect();
    let mut whole = rest.clone();
    whole.push(part.clone());
    let (rest, whole) = (join(rest), join(whole));
    let differ: [&[u8]; 3] = [&[HOLDS, FAILS | UNKNOWN], &[FAILS, HOLDS | UNKNOWN], &[UNKNOWN, HOLDS | FAILS]];
    find_states(&[&rest, &whole], &differ, assumptions).iter().all(|found| *found == SearchResult::Impossible)
}

fn reason(part: &Condition, others: &[&Condition], is_all: bool, assumptions: &Assumptions) -> Redundancy {
    match (decide(part, assumptions), is_all) {
        (Decision::Always, true) => return Redundancy::Always,
        (Decision::Never, false) => return Redundancy::Never,
        _ => {}
    }
    let implies_part = |other: &&&Condition| {
        let answer = if is_all { implies(other, part, assumptions) } else { implies(part, other, assumptions) };
        answer == Implication::Proved
    };
    others.iter().find(implies_part).and_then(|other| span(other)).map_or(Redundancy::Others, Redundancy::Part)
}

/// Returns the place of a condition, from its first test to its last, or `None` if it has no test.
fn span(condition: &Condition) -> Option<Span> {
    condition.tests().map(|test| test.span).reduce(Span::to)
}
