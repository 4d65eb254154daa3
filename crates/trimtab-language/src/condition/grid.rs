//! Grids: the cells of all sources of a problem under one window, and the outcome of each test in each cell.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Type, Value};

use super::cell::{NumberRange, joined, texts};
use super::evaluate;
use super::formula::{FAILS, HOLDS, UNKNOWN};
use super::problem::{Axis, Problem};
use super::source::{DerivedFacts, Source};
use super::threshold::Threshold;
use super::whole::{self, Whole};
use super::witness::Witness;
use crate::check::Test;

/// A set of cells of one source.
pub(super) type Cells = u128;

/// Two sources, and for each cell of one the cells of the other that are possible with it.
pub(super) struct Link {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) with_first: Vec<Cells>,
    pub(super) with_second: Vec<Cells>,
}

/// A problem under one window.
pub(super) struct Grid {
    pub(super) window: Option<u64>,
    cells: Vec<Vec<Option<Value>>>,
    /// For each test its source, and the cells in which it holds, fails and is unknown.
    pub(super) sides: Vec<(usize, [Cells; 3])>,
    pub(super) links: Vec<Link>,
}

impl Problem<'_> {
    /// The cells under a window. The error explains why there are too many.
    pub(super) fn grid(&self, window: Option<u64>) -> Result<Grid, String> {
        let cells: Vec<_> = self.axes.iter().map(|axis| self.cells(axis, window)).collect();
        if let Some(at) = cells.iter().position(|cells| cells.len() > Cells::BITS as usize) {
            let name =
                self.axes[at].source.name().map_or("a text".into(), |name| smol_str::format_smolstr!("`{name}`"));
            return Err(format!("{name} is compared with more constants than can be decided together"));
        }
        let mut grid = Grid { window, cells, sides: Vec::with_capacity(self.tests.len()), links: Vec::new() };
        for (test, &of) in self.tests.iter().zip(&self.axis_of) {
            grid.sides.push((of, self.sides(test, &self.axes[of].source, &grid.cells[of], window)));
        }
        for &(first, second, constraint) in &self.constraints {
            grid.links.push(link(first, second, &grid.cells, |value, other| constraint.allows(value, other)));
        }
        for (at, axis) in self.axes.iter().enumerate() {
            if let Source::Part(part, whole) = &axis.source {
                grid.links.push(contained(part, *whole, at, &grid.cells));
            }
        }
        Ok(grid)
    }

    fn cells(&self, axis: &Axis<'_>, window: Option<u64>) -> Vec<Option<Value>> {
        let truths = || [true, false].map(|truth| Some(Value::Bool(truth)));
        let mut cells = match &axis.source {
            Source::Part(..) => return truths().into_iter().chain([None]).collect(),
            Source::Fact(fact, _) if fact.is_window() => {
                return vec![window.map(|window| Value::Number(window.into()))];
            }
            Source::Fact(fact, _) if fact.ty == Type::Bool => truths().into(),
            Source::Fact(fact, _) if !matches!(fact.ty, Type::Number(_)) => texts(&axis.texts),
            source @ Source::Fact(..) => {
                let reserve = self.reserve();
                let mut points: Vec<Decimal> =
                    axis.thresholds.iter().filter_map(|threshold| threshold.at(window, reserve)).collect();
                let least = least(source, window, &mut points);
                let range = NumberRange {
                    least,
                    largest: source.largest(),
                    is_whole: source.is_whole(),
                    is_large: source.is_large(),
                };
                source.steps().map_or_else(|| range.cells(&points), |steps| range.stepped_cells(&points, steps))
            }
        };
        if axis.source.is_optional() {
            cells.push(None);
        }
        cells
    }

    fn sides(&self, test: &Test, source: &Source<'_>, cells: &[Option<Value>], window: Option<u64>) -> [Cells; 3] {
        let mut sides = [0; 3];
        for (at, cell) in cells.iter().enumerate() {
            let shown = DerivedFacts { value: cell.as_ref(), window, reserve: self.reserve() };
            let truth = match (source, cell) {
                (Source::Part(..), Some(contained)) => Some(*contained == Value::Bool(true)),
                _ => evaluate::test(test, &shown),
            };
            let side = truth.map_or(2, |truth| usize::from(!truth));
            sides[side] |= 1 << at;
        }
        sides
    }

    /// Returns the values of the readings for the chosen cells, or `None` if the cells are impossible together.
    pub(super) fn witness(&self, grid: &Grid, chosen: &[usize]) -> Option<Witness> {
        let shares = self.shares_of_wholes(grid, chosen)?;
        let mut witness = Witness::new(
            grid.window,
            self.axes.iter().any(|axis| axis.thresholds.iter().any(Threshold::depends_on_window)),
        );
        for (&test, &of) in self.tests.iter().zip(&self.axis_of) {
            let at = match self.axes[of].source {
                Source::Part(_, whole) => whole,
                Source::Fact(..) => of,
            };
            let share = shares.iter().find(|(axis, _)| *axis == at).map(|(_, share)| Value::Number(*share));
            let moved = share.or_else(|| self.text(grid, chosen, at));
            let value = moved.as_ref().or(grid.cells[at][chosen[at]].as_ref());
            witness.add(&test.reading, &DerivedFacts { value, window: grid.window, reserve: self.reserve() });
        }
        Some(witness)
    }

    /// Returns the axes of shares that make up a whole, each with a value in its chosen cell, or `None` if they cannot
    /// add up.
    fn shares_of_wholes(&self, grid: &Grid, chosen: &[usize]) -> Option<Vec<(usize, Decimal)>> {
        let mut all = Vec::new();
        for Whole(axes) in &self.wholes {
            let shares = whole::shares(axes.map(|at| grid.cells[at].as_slice()), axes.map(|at| chosen[at]))?;
            all.extend(axes.iter().copied().zip(shares));
        }
        Some(all)
    }

    /// The text that contains the chosen parts, if the chosen cell is none of the constants and there are parts.
    fn text(&self, grid: &Grid, chosen: &[usize], at: usize) -> Option<Value> {
        let other = grid.cells[at].iter().rposition(Option::is_some);
        if other != Some(chosen[at]) {
            return None;
        }
        let parts = self.axes.iter().zip(chosen).filter_map(|(axis, cell)| match &axis.source {
            Source::Part(text, whole) if *whole == at => Some((*text, *cell == 0)),
            _ => None,
        });
        let mut all: Vec<(&SmolStr, bool)> = parts.collect();
        if all.is_empty() {
            return None;
        }
        all.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        let mut held: Vec<&SmolStr> = Vec::new();
        for (text, _) in all.iter().filter(|(_, holds)| *holds) {
            if !held.iter().any(|other| other.contains(text.as_str())) {
                held.push(text);
            }
        }
        let constants: Vec<&SmolStr> =
            all.iter().map(|(text, _)| *text).chain(self.axes[at].texts.iter().copied()).collect();
        Some(Value::Text(joined(&held, &constants)))
    }
}

impl Grid {
    /// All cells of all sources.
    pub(super) fn all(&self) -> Vec<Cells> {
        let full =
            |cells: &Vec<_>| Cells::MAX.checked_shr(Cells::BITS - u32::try_from(cells.len()).unwrap_or(0)).unwrap_or(0);
        self.cells.iter().map(full).collect()
    }
}

fn link(
    first: usize,
    second: usize,
    cells: &[Vec<Option<Value>>],
    allows: impl Fn(Option<&Value>, Option<&Value>) -> bool,
) -> Link {
    let mut link =
        Link { first, second, with_first: vec![0; cells[first].len()], with_second: vec![0; cells[second].len()] };
    for (index, first) in cells[first].iter().enumerate() {
        for (other, second) in cells[second].iter().enumerate() {
            if allows(first.as_ref(), second.as_ref()) {
                link.with_first[index] |= 1 << other;
                link.with_second[other] |= 1 << index;
            }
        }
    }
    link
}

/// The link between a text and one of its parts. A constant decides whether it contains the part; other texts may.
fn contained(part: &SmolStr, whole: usize, at: usize, cells: &[Vec<Option<Value>>]) -> Link {
    let other = cells[whole].iter().rposition(Option::is_some);
    let mut link = Link { first: whole, second: at, with_first: Vec::new(), with_second: vec![0; 3] };
    for (at, cell) in cells[whole].iter().enumerate() {
        let may: Cells = match cell {
            Some(_) if Some(at) == other && !part.is_empty() => 0b011,
            Some(Value::Text(text)) if text.contains(part.as_str()) => 0b001,
            Some(_) => 0b010,
            None => 0b100,
        };
        link.with_first.push(may);
        for (side, cells) in link.with_second.iter_mut().enumerate() {
            *cells |= (may >> side & 1) << at;
        }
    }
    link
}

/// The least value of a source. A context may be larger than the window: providers refuse it, recordings contain it, and
/// the configured window may be wrong. A full window is added to the points, for witnesses within it.
fn least(source: &Source<'_>, window: Option<u64>, points: &mut Vec<Decimal>) -> Option<Decimal> {
    let fact = source.fact()?;
    if fact.is_size() {
        points.extend(window.map(Decimal::from));
    }
    fact.domain.least()
}

/// The outcome of each side of a test.
pub(super) const OUTCOMES: [u8; 3] = [HOLDS, FAILS, UNKNOWN];
