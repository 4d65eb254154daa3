//! Parts of a condition that can be left out.

use super::decide::{Answer, Found, Verdict, decide, implies, states};
use super::formula::{FAILS, HOLDS, UNKNOWN};
use super::world::World;
use crate::check::Condition;
use crate::source::Span;

/// A part of an `and` or an `or` that can be left out: what is left holds, fails and is unknown in the same states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redundant {
    /// Where the part stands.
    pub part: Span,
    /// Why it can be left out.
    pub because: Because,
}

/// Why a part can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// It always holds, in an `and`.
    Always,
    /// It never holds, in an `or`.
    Never,
    /// This part beside it says as much: the stricter one in an `and`, the wider one in an `or`.
    Part(Span),
    /// The parts beside it say as much together.
    Others,
}

/// The parts that can be left out, all of them together. Inside a part that never or always holds nothing is looked for.
pub fn redundant(condition: &Condition, world: &World) -> Vec<Redundant> {
    let mut found = Vec::new();
    within(condition, world, &mut found);
    found
}

fn within(condition: &Condition, world: &World, found: &mut Vec<Redundant>) {
    match condition {
        Condition::Not(inner) => within(inner, world, found),
        Condition::All(parts) | Condition::Any(parts) => {
            if matches!(decide(condition, world), Verdict::Sometimes { .. }) {
                let is_all = matches!(condition, Condition::All(_));
                let kept = drop_parts(parts, is_all, world, found);
                for part in kept {
                    within(part, world, found);
                }
            }
        }
        Condition::Constant(_) | Condition::Test(_) => {}
    }
}

/// Drops parts from the last to the first; gives those that stay.
fn drop_parts<'c>(
    parts: &'c [Condition],
    is_all: bool,
    world: &World,
    found: &mut Vec<Redundant>,
) -> Vec<&'c Condition> {
    let mut kept: Vec<&Condition> = parts.iter().collect();
    let mut dropped = Vec::new();
    let mut at = kept.len();
    while at > 0 && kept.len() > 1 {
        at -= 1;
        let part = kept.remove(at);
        match span(part).filter(|_| is_needless(part, &kept, is_all, world)) {
            Some(place) => dropped.push((place, part)),
            None => kept.insert(at, part),
        }
    }
    let reasons = dropped.into_iter().rev();
    found.extend(reasons.map(|(part, one)| Redundant { part, because: because(one, &kept, is_all, world) }));
    kept
}

/// Whether the others come to the same, with the part and without it, in every state.
fn is_needless(part: &Condition, others: &[&Condition], is_all: bool, world: &World) -> bool {
    let join = |parts: Vec<Condition>| if is_all { Condition::All(parts) } else { Condition::Any(parts) };
    let rest: Vec<Condition> = others.iter().map(|&other| other.clone()).collect();
    let mut whole = rest.clone();
    whole.push(part.clone());
    let (rest, whole) = (join(rest), join(whole));
    let differ: [&[u8]; 3] = [&[HOLDS, FAILS | UNKNOWN], &[FAILS, HOLDS | UNKNOWN], &[UNKNOWN, HOLDS | FAILS]];
    states(&[&rest, &whole], &differ, world).iter().all(|found| *found == Found::Nothing)
}

fn because(part: &Condition, others: &[&Condition], is_all: bool, world: &World) -> Because {
    match (decide(part, world), is_all) {
        (Verdict::Always, true) => return Because::Always,
        (Verdict::Never, false) => return Because::Never,
        _ => {}
    }
    let says = |other: &&&Condition| {
        let answer = if is_all { implies(other, part, world) } else { implies(part, other, world) };
        answer == Answer::Yes
    };
    others.iter().find(says).and_then(|other| span(other)).map_or(Because::Others, Because::Part)
}

/// Where a condition stands, from its first test to its last; none when it has no test.
fn span(condition: &Condition) -> Option<Span> {
    condition.tests().map(|test| test.span).reduce(Span::to)
}
