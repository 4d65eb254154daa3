//! Questions about conditions, answered with a proof or a witness.

use super::evaluate::holds;
use super::formula::{FAILS, Formula, HOLDS, UNKNOWN};
use super::problem::Problem;
use super::search::{MOST, Searched, search};
use super::witness::Witness;
use super::world::World;
use crate::check::Condition;

/// What a condition comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds in no state; proved.
    Never,
    /// It holds in every state in which it can be known, and there is one; proved.
    Always,
    /// It holds in some states and fails in others.
    Sometimes {
        /// A state in which it holds.
        holds: Witness,
        /// A state in which it fails.
        fails: Witness,
    },
    /// It was not decided, for this reason.
    TooLarge(String),
}

/// What a search for a state came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// There is none; proved.
    Nothing,
    /// There is this one.
    Witness(Witness),
    /// It was not decided, for this reason.
    TooLarge(String),
}

/// Whether one condition holds wherever another does.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It does; proved.
    Yes,
    /// Here the one holds and the other does not.
    No(Witness),
    /// It was not decided, for this reason.
    TooLarge(String),
}

/// A state in which a condition holds.
pub fn find(condition: &Condition, world: &World) -> Found {
    one(&[condition], &[HOLDS], world)
}

/// Whether a condition holds never, always, or sometimes.
pub fn decide(condition: &Condition, world: &World) -> Verdict {
    let mut found = states(&[condition], &[&[HOLDS], &[FAILS]], world).into_iter();
    match (found.next(), found.next()) {
        (Some(Found::Nothing), _) => Verdict::Never,
        (Some(Found::Witness(_)), Some(Found::Nothing)) => Verdict::Always,
        (Some(Found::Witness(holds)), Some(Found::Witness(fails))) => Verdict::Sometimes { holds, fails },
        (Some(Found::TooLarge(why)), _) | (_, Some(Found::TooLarge(why))) => Verdict::TooLarge(why),
        (None, _) | (_, None) => Verdict::TooLarge(String::new()),
    }
}

/// Whether `b` holds wherever `a` does. Where `b` cannot be known it does not hold.
pub fn implies(a: &Condition, b: &Condition, world: &World) -> Answer {
    match one(&[a, b], &[HOLDS, FAILS | UNKNOWN], world) {
        Found::Nothing => Answer::Yes,
        Found::Witness(witness) => Answer::No(witness),
        Found::TooLarge(why) => Answer::TooLarge(why),
    }
}

/// A state in which both hold.
pub fn overlap(a: &Condition, b: &Condition, world: &World) -> Found {
    one(&[a, b], &[HOLDS, HOLDS], world)
}

/// A state in which all are known and none holds.
pub fn gap(conditions: &[&Condition], world: &World) -> Found {
    one(conditions, &vec![FAILS; conditions.len()], world)
}

/// A state in which each condition comes to one of the outcomes wanted of it.
pub(super) fn one(conditions: &[&Condition], wanted: &[u8], world: &World) -> Found {
    states(conditions, &[wanted], world).pop().unwrap_or(Found::Nothing)
}

/// For each goal a state; a goal wants some outcomes of each condition.
pub(super) fn states(conditions: &[&Condition], goals: &[&[u8]], world: &World) -> Vec<Found> {
    let problem = Problem::of(conditions, world);
    let made = problem.and_then(|problem| problem.windows().map(|windows| (problem, windows)));
    let (problem, windows) = match made {
        Ok(made) => made,
        Err(why) => return vec![Found::TooLarge(why); goals.len()],
    };
    let mut found = vec![Found::Nothing; goals.len()];
    let mut left = MOST;
    for window in windows {
        let open = |found: &Found| !matches!(found, Found::Witness(_));
        if !found.iter().any(open) {
            break;
        }
        match left.checked_sub(problem.size()) {
            Some(fewer) => left = fewer,
            None => return given_up(found, problem.size()),
        }
        let grid = match problem.grid(window) {
            Ok(grid) => grid,
            Err(why) => return vec![Found::TooLarge(why); goals.len()],
        };
        for (found, wanted) in found.iter_mut().zip(goals).filter(|(found, _)| open(found)) {
            let formulas: Vec<(&Formula, u8)> = problem.formulas.iter().zip(wanted.iter().copied()).collect();
            let mut witness = None;
            let mut confirmed = |chosen: &[usize]| {
                let one = problem.witness(&grid, chosen);
                let is_right =
                    conditions.iter().zip(*wanted).all(|(condition, wanted)| outcome(condition, &one) & wanted != 0);
                debug_assert!(is_right, "{one} was found for {conditions:?}");
                witness = is_right.then_some(one);
                is_right
            };
            match (search(&formulas, &grid, &mut left, &mut confirmed), witness) {
                (Searched::Found, Some(witness)) => *found = Found::Witness(witness),
                (Searched::Nothing, _) => {}
                _ => *found = Found::TooLarge(too_large(problem.size())),
            }
        }
    }
    found
}

/// What was found, with the goals that are still open given up.
fn given_up(found: Vec<Found>, tests: usize) -> Vec<Found> {
    let open = |one: Found| match one {
        Found::Witness(witness) => Found::Witness(witness),
        Found::Nothing | Found::TooLarge(_) => Found::TooLarge(too_large(tests)),
    };
    found.into_iter().map(open).collect()
}

/// What a condition comes to under a witness.
fn outcome(condition: &Condition, witness: &Witness) -> u8 {
    match holds(condition, witness) {
        Some(true) => HOLDS,
        Some(false) => FAILS,
        None => UNKNOWN,
    }
}

fn too_large(tests: usize) -> String {
    format!("{tests} tests combine in more ways than can be looked at")
}
