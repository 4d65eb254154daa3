//! Questions about conditions, answered with a proof or a witness.

use super::evaluate::holds;
use super::follow;
use super::formula::{FAILS, Formula, HOLDS, UNKNOWN};
use super::grid::Grid;
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
    if follow::is_seen(a, b) {
        return Answer::Yes;
    }
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
    let problem = match Problem::of(conditions, world) {
        Ok(problem) => problem,
        Err(why) => return vec![Found::TooLarge(why); goals.len()],
    };
    let mut quest = Quest { problem, conditions, goals, found: vec![Found::Nothing; goals.len()], left: MOST };
    if let Err(why) = quest.pursue() {
        for open in quest.found.iter_mut().filter(|found| is_open(found)) {
            *open = Found::TooLarge(why.clone());
        }
    }
    quest.found
}

/// A search for one state a goal, window by window.
struct Quest<'c, 'q> {
    problem: Problem<'c>,
    conditions: &'q [&'c Condition],
    goals: &'q [&'q [u8]],
    found: Vec<Found>,
    left: usize,
}

impl Quest<'_, '_> {
    /// Looks until every goal has its state or all windows were looked at; why not when that is too much.
    fn pursue(&mut self) -> Result<(), String> {
        let (first, is_all) = self.problem.first_window();
        self.look(first)?;
        // Most goals are met under a window that people know, and the others are dear to find.
        if is_all || !self.is_open() {
            return Ok(());
        }
        for window in self.problem.other_windows(first)? {
            if !self.is_open() {
                break;
            }
            self.look(window)?;
        }
        Ok(())
    }

    fn is_open(&self) -> bool {
        self.found.iter().any(is_open)
    }

    /// Looks for all goals that are open under one window.
    fn look(&mut self, window: Option<u64>) -> Result<(), String> {
        let size = self.problem.size();
        self.left = self.left.checked_sub(size).ok_or_else(|| too_large(size))?;
        let grid = self.problem.grid(window)?;
        for at in 0..self.goals.len() {
            if is_open(&self.found[at]) {
                match self.state(&grid, self.goals[at]) {
                    (Searched::Found, Some(witness)) => self.found[at] = Found::Witness(witness),
                    (Searched::Nothing, _) => {}
                    _ => self.found[at] = Found::TooLarge(too_large(size)),
                }
            }
        }
        Ok(())
    }

    /// A state that meets a goal, confirmed by the evaluator.
    fn state(&mut self, grid: &Grid, wanted: &[u8]) -> (Searched, Option<Witness>) {
        let Self { problem, conditions, left, .. } = self;
        let formulas: Vec<(&Formula, u8)> = problem.formulas.iter().zip(wanted.iter().copied()).collect();
        let mut witness = None;
        let mut confirmed = |chosen: &[usize]| {
            let one = problem.witness(grid, chosen);
            let is_right =
                conditions.iter().zip(wanted).all(|(condition, wanted)| outcome(condition, &one) & wanted != 0);
            debug_assert!(is_right, "{one} was found for {conditions:?}");
            witness = is_right.then_some(one);
            is_right
        };
        (search(&formulas, grid, left, &mut confirmed), witness)
    }
}

const fn is_open(found: &Found) -> bool {
    !matches!(found, Found::Witness(_))
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
