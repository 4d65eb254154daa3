//! Decisions about conditions, each with a proof or a witness.

use super::assumptions::Assumptions;
use super::evaluate::holds;
use super::formula::{FAILS, Formula, HOLDS, UNKNOWN};
use super::grid::Grid;
use super::problem::Problem;
use super::search::{Confirmation, MAX_WORK, SearchOutcome, search};
use super::structural;
use super::witness::Witness;
use crate::check::Condition;

/// When a condition holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// In no state; proved.
    Never,
    /// In every state in which it is known, and there is such a state; proved.
    Always,
    /// In some states but not in others.
    Sometimes {
        /// A state in which it holds.
        holds: Witness,
        /// A state in which it fails.
        fails: Witness,
    },
    /// It was not decided, for this reason.
    TooLarge(String),
}

/// The result of a search for a state.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchResult {
    /// There is no such state; proved.
    Impossible,
    /// A state.
    Witness(Witness),
    /// It was not decided, for this reason.
    TooLarge(String),
}

/// Whether one condition implies another.
#[derive(Clone, Debug, PartialEq)]
pub enum Implication {
    /// It does; proved.
    Proved,
    /// It does not: in this state the first holds and the second does not.
    Refuted(Witness),
    /// It was not decided, for this reason.
    TooLarge(String),
}

/// Searches for a state in which a condition holds.
pub fn find(condition: &Condition, assumptions: &Assumptions) -> SearchResult {
    find_state(&[condition], &[HOLDS], assumptions)
}

/// Decides whether a condition holds never, always or sometimes.
pub fn decide(condition: &Condition, assumptions: &Assumptions) -> Decision {
    let mut found = find_states(&[condition], &[&[HOLDS], &[FAILS]], assumptions).into_iter();
    match (found.next(), found.next()) {
        (Some(SearchResult::Impossible), _) => Decision::Never,
        (Some(SearchResult::Witness(_)), Some(SearchResult::Impossible)) => Decision::Always,
        (Some(SearchResult::Witness(holds)), Some(SearchResult::Witness(fails))) => {
            Decision::Sometimes { holds, fails }
        }
        (Some(SearchResult::TooLarge(why)), _) | (_, Some(SearchResult::TooLarge(why))) => Decision::TooLarge(why),
        // Each goal has a result.
        (None, _) | (_, None) => Decision::TooLarge(String::new()),
    }
}

/// Decides whether `b` holds in every state in which `a` holds. A condition that is unknown does not hold.
pub fn implies(a: &Condition, b: &Condition, assumptions: &Assumptions) -> Implication {
    if structural::implies(a, b) {
        return Implication::Proved;
    }
    match find_state(&[a, b], &[HOLDS, FAILS | UNKNOWN], assumptions) {
        SearchResult::Impossible => Implication::Proved,
        SearchResult::Witness(witness) => Implication::Refuted(witness),
        SearchResult::TooLarge(why) => Implication::TooLarge(why),
    }
}

/// Searches for a state in which both conditions hold.
pub fn overlap(a: &Condition, b: &Condition, assumptions: &Assumptions) -> SearchResult {
    find_state(&[a, b], &[HOLDS, HOLDS], assumptions)
}

/// Searches for a state in which all conditions are known and none holds.
pub fn gap(conditions: &[&Condition], assumptions: &Assumptions) -> SearchResult {
    find_state(conditions, &vec![FAILS; conditions.len()], assumptions)
}

/// Searches for a state in which each condition has one of its wanted outcomes.
pub(super) fn find_state(conditions: &[&Condition], wanted: &[u8], assumptions: &Assumptions) -> SearchResult {
    find_states(conditions, &[wanted], assumptions).pop().unwrap_or(SearchResult::Impossible)
}

/// Searches for a state for each goal. A goal is a set of wanted outcomes for each condition.
pub(super) fn find_states(conditions: &[&Condition], goals: &[&[u8]], assumptions: &Assumptions) -> Vec<SearchResult> {
    let problem = match Problem::of(conditions, assumptions) {
        Ok(problem) => problem,
        Err(why) => return vec![SearchResult::TooLarge(why); goals.len()],
    };
    let mut search =
        StateSearch { problem, conditions, goals, found: vec![SearchResult::Impossible; goals.len()], left: MAX_WORK };
    if let Err(why) = search.run() {
        for open in search.found.iter_mut().filter(|found| is_open(found)) {
            *open = SearchResult::TooLarge(why.clone());
        }
    }
    search.found
}

/// A search for one state for each goal, window by window.
struct StateSearch<'c, 'q> {
    problem: Problem<'c>,
    conditions: &'q [&'c Condition],
    goals: &'q [&'q [u8]],
    found: Vec<SearchResult>,
    left: usize,
}

impl StateSearch<'_, '_> {
    /// Searches until every goal has a state or all windows are done. The error says why there are too many windows or states.
    fn run(&mut self) -> Result<(), String> {
        let (first, is_all) = self.problem.first_window();
        self.search_window(first)?;
        // Most goals are met under a common window, and trying all the others is expensive.
        if is_all || !self.is_open() {
            return Ok(());
        }
        for window in self.problem.other_windows(first)? {
            if !self.is_open() {
                break;
            }
            self.search_window(window)?;
        }
        Ok(())
    }

    fn is_open(&self) -> bool {
        self.found.iter().any(is_open)
    }

    /// Searches for the states of all open goals under one window.
    fn search_window(&mut self, window: Option<u64>) -> Result<(), String> {
        let size = self.problem.size();
        self.left = self.left.checked_sub(size).ok_or_else(|| too_large(size))?;
        let grid = self.problem.grid(window)?;
        for at in 0..self.goals.len() {
            if is_open(&self.found[at]) {
                match self.state(&grid, self.goals[at]) {
                    (SearchOutcome::Found, Some(witness)) => self.found[at] = SearchResult::Witness(witness),
                    (SearchOutcome::Exhausted, _) => {}
                    _ => self.found[at] = SearchResult::TooLarge(too_large(size)),
                }
            }
        }
        Ok(())
    }

    /// Searches for a state that meets a goal. The evaluator confirms it.
    fn state(&mut self, grid: &Grid, wanted: &[u8]) -> (SearchOutcome, Option<Witness>) {
        let Self { problem, conditions, left, .. } = self;
        let formulas: Vec<(&Formula, u8)> = problem.formulas.iter().zip(wanted.iter().copied()).collect();
        let mut witness = None;
        let mut confirm = |chosen: &[usize]| {
            let Some(candidate) = problem.witness(grid, chosen) else { return Confirmation::Impossible };
            let is_right = conditions
                .iter()
                .zip(wanted)
                .all(|(condition, wanted)| truth_flag(condition, &candidate) & wanted != 0);
            debug_assert!(is_right, "{candidate} does not meet the goal of {conditions:?}");
            witness = is_right.then_some(candidate);
            if is_right { Confirmation::Confirmed } else { Confirmation::Rejected }
        };
        (search(&formulas, grid, left, &mut confirm), witness)
    }
}

const fn is_open(found: &SearchResult) -> bool {
    !matches!(found, SearchResult::Witness(_))
}

/// Whether a condition holds, fails or is unknown under a witness.
fn truth_flag(condition: &Condition, witness: &Witness) -> u8 {
    match holds(condition, witness) {
        Some(true) => HOLDS,
        Some(false) => FAILS,
        None => UNKNOWN,
    }
}

fn too_large(tests: usize) -> String {
    format!("{tests} comparisons combine in too many ways to be decided")
}
