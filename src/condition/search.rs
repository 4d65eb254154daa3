//! The search: cells are split by an open test until a condition is settled, or found to come out otherwise.

use super::formula::Formula;
use super::grid::{Cells, Grid, OUTCOMES};

/// How much is looked at for one question, over all windows, before it is too much: splits, and the tests of each window
/// that is set up. A condition that a person wrote takes a few hundred; this many take some tens of milliseconds.
pub(super) const MOST: usize = 40_000;

/// What came of a search.
pub(super) enum Searched {
    /// There is nothing to find.
    Nothing,
    /// What was confirmed last is such a choice of cells.
    Found,
    /// There was too much to look at.
    TooMuch,
}

/// Looks for cells under which every formula comes to one of the outcomes wanted of it. Those that `confirmed` refuses
/// are passed over, and nothing is proved then. `left` is how many splits may still be made.
pub(super) fn search(
    formulas: &[(&Formula, u8)],
    grid: &Grid,
    left: &mut usize,
    confirmed: &mut dyn FnMut(&[usize]) -> bool,
) -> Searched {
    let mut stack = vec![grid.all()];
    if !grid.settle(&mut stack[0]) {
        return Searched::Nothing;
    }
    let mut refused = false;
    while let Some(open) = stack.pop() {
        let Some(fewer) = left.checked_sub(1) else { return Searched::TooMuch };
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
                if confirmed(&chosen) {
                    return Searched::Found;
                }
                refused = true;
            }
        }
    }
    if refused { Searched::TooMuch } else { Searched::Nothing }
}

/// What to do with cells.
enum Next {
    /// A formula cannot come out as wanted.
    Dead,
    /// Split by this test.
    Test(usize),
    /// All is settled, but which of the cells of this source go with others.
    Source(usize),
    /// All is settled.
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
                split = formula.open(&of);
            }
        }
        if let Some(test) = split {
            return Next::Test(test);
        }
        let linked = self.links.iter().flat_map(|link| [link.first, link.second]);
        linked.filter(|source| open[*source].count_ones() > 1).min().map_or(Next::Found, Next::Source)
    }

    /// Keeps only some cells of a source, and what still goes with them.
    fn push(&self, open: &[Cells], source: usize, keep: Cells, stack: &mut Vec<Vec<Cells>>) {
        if open[source] & keep == 0 {
            return;
        }
        let mut next = open.to_vec();
        next[source] &= keep;
        if self.settle(&mut next) {
            stack.push(next);
        }
    }

    /// Drops cells that go with none of another source, until there are none such; false when a source has none left.
    fn settle(&self, open: &mut [Cells]) -> bool {
        let mut changed = !self.links.is_empty();
        while changed {
            changed = false;
            for link in &self.links {
                changed |= narrow(open, link.first, link.second, &link.beside_first);
                changed |= narrow(open, link.second, link.first, &link.beside_second);
            }
        }
        open.iter().all(|cells| *cells != 0)
    }
}

/// Drops cells of `to` that stand beside none of `from`.
fn narrow(open: &mut [Cells], from: usize, to: usize, beside: &[Cells]) -> bool {
    let mut supported = 0;
    let mut rest = open[from];
    while rest != 0 {
        supported |= beside[rest.trailing_zeros() as usize];
        rest &= rest - 1;
    }
    let before = open[to];
    open[to] &= supported;
    open[to] != before
}
