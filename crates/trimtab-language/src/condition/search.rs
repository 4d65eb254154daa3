//! The search: sets of cells are split by an open test until every formula has its outcome.

use super::formula::Formula;
use super::grid::{Cells, Grid, OUTCOMES};

/// The most work for one decision over all windows: splits, and tests for each window. A condition that a person wrote
/// takes a few hundred; this limit takes some tens of milliseconds.
pub(super) const MAX_WORK: usize = 40_000;

/// The outcome of a search.
pub(super) enum SearchOutcome {
    /// There is no such combination; proved.
    Exhausted,
    /// The last confirmed combination of cells.
    Found,
    /// The limit was reached.
    TooMuch,
}

/// What a combination of cells turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confirmation {
    /// A state of the wanted outcomes.
    Confirmed,
    /// No state at all; proved.
    Impossible,
    /// A state of other outcomes, so that the cells are wrong.
    Rejected,
}

/// Searches for cells under which every formula has one of its wanted outcomes. If `confirm` rejects a combination, the
/// search goes on but proves nothing. `left` is the number of splits that may still be made.
pub(super) fn search(
    formulas: &[(&Formula, u8)],
    grid: &Grid,
    left: &mut usize,
    confirm: &mut dyn FnMut(&[usize]) -> Confirmation,
) -> SearchOutcome {
    let mut stack = vec![grid.all()];
    if !grid.propagate(&mut stack[0]) {
        return SearchOutcome::Exhausted;
    }
    let mut rejected = false;
    while let Some(open) = stack.pop() {
        let Some(fewer) = left.checked_sub(1) else { return SearchOutcome::TooMuch };
        *left = fewer;
        match grid.next(formulas, &open) {
            Next::Dead => {}
            Next::Test(test) => {
                let (source, sides) = &grid.sides[test];
                for side in [2, 1, 0] {
                    grid.push(&open, *source, sides[side], &mut stack);
                }
            }
            Next::Source(source) => {
                let lowest = open[source] & open[source].wrapping_neg();
                grid.push(&open, source, !lowest, &mut stack);
                grid.push(&open, source, lowest, &mut stack);
            }
            Next::Found => {
                let chosen: Vec<usize> = open.iter().map(|cells| cells.trailing_zeros() as usize).collect();
                match confirm(&chosen) {
                    Confirmation::Confirmed => return SearchOutcome::Found,
                    Confirmation::Impossible => {}
                    Confirmation::Rejected => rejected = true,
                }
            }
        }
    }
    if rejected { SearchOutcome::TooMuch } else { SearchOutcome::Exhausted }
}

/// The next step for a set of cells.
enum Next {
    /// A formula cannot have a wanted outcome.
    Dead,
    /// Split by this test.
    Test(usize),
    /// Every test has one outcome. Split the cells of this source, which a link restricts.
    Source(usize),
    /// Every test has one outcome.
    Found,
}

impl Grid {
    fn next(&self, formulas: &[(&Formula, u8)], open: &[Cells]) -> Next {
        let of = |test: usize| {
            let (source, sides) = &self.sides[test];
            let hit = |side: usize| if sides[side] & open[*source] == 0 { 0 } else { OUTCOMES[side] };
            hit(0) | hit(1) | hit(2)
        };
        let mut split = None;
        for (formula, wanted) in formulas {
            let outcomes = formula.outcomes(&of);
            if outcomes & wanted == 0 {
                return Next::Dead;
            }
            if outcomes & !wanted != 0 && split.is_none() {
                split = formula.open_test(&of);
            }
        }
        if let Some(test) = split {
            return Next::Test(test);
        }
        let linked = self.links.iter().flat_map(|link| [link.first, link.second]);
        linked.filter(|source| open[*source].count_ones() > 1).min().map_or(Next::Found, Next::Source)
    }

    /// Keeps only some cells of a source, and the cells of other sources that are possible with them.
    fn push(&self, open: &[Cells], source: usize, keep: Cells, stack: &mut Vec<Vec<Cells>>) {
        if open[source] & keep == 0 {
            return;
        }
        let mut next = open.to_vec();
        next[source] &= keep;
        if self.propagate(&mut next) {
            stack.push(next);
        }
    }

    /// Drops cells that are possible with no cell of a linked source, until nothing changes. False if a source has none left.
    fn propagate(&self, open: &mut [Cells]) -> bool {
        let mut changed = !self.links.is_empty();
        while changed {
            changed = false;
            for link in &self.links {
                changed |= narrow(open, link.first, link.second, &link.with_first);
                changed |= narrow(open, link.second, link.first, &link.with_second);
            }
        }
        open.iter().all(|cells| *cells != 0)
    }
}

/// Drops cells of `to` that are possible with no cell of `from`.
fn narrow(open: &mut [Cells], from: usize, to: usize, with: &[Cells]) -> bool {
    let mut supported = 0;
    let mut rest = open[from];
    while rest != 0 {
        supported |= with[rest.trailing_zeros() as usize];
        rest &= rest - 1;
    }
    let before = open[to];
    open[to] &= supported;
    open[to] != before
}
