//! Grids: for a question about conditions, its sources with their cells under one window, and what each test says of
//! each cell.

use smol_str::SmolStr;

use super::cell::{Line, joined, texts};
use super::evaluate;
use super::formula::{FAILS, Formula, HOLDS, UNKNOWN};
use super::relation::{Bond, RELATIONS};
use super::source::{Shown, Source, asked_tool};
use super::threshold::{Threshold, collect};
use super::window::candidates;
use super::witness::Witness;
use super::world::World;
use crate::check::{Comparison, Condition, Relation, Test};
use crate::fact::Domain;
use crate::quantity::{Decimal, Type, Value, share_of};

/// How many tests are looked at before it is too much.
const MOST: usize = 512;

/// A source with all that it is held against.
struct Axis<'c> {
    source: Source<'c>,
    thresholds: Vec<Threshold>,
    texts: Vec<&'c SmolStr>,
}

/// Conditions with their tests numbered and their sources found.
pub(super) struct Problem<'c> {
    pub(super) formulas: Vec<Formula>,
    tests: Vec<&'c Test>,
    /// Of each test, the source whose cells settle it.
    of: Vec<usize>,
    axes: Vec<Axis<'c>>,
    /// Shares that must be met exactly.
    shares: Vec<Decimal>,
    /// What is certain of two sources.
    bonds: Vec<(usize, usize, Bond)>,
    world: &'c World,
}

/// A set of cells of one source.
pub(super) type Cells = u128;

/// Two sources and the cells of each that may stand beside a cell of the other.
pub(super) struct Link {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) beside_first: Vec<Cells>,
    pub(super) beside_second: Vec<Cells>,
}

/// A problem under one window.
pub(super) struct Grid {
    pub(super) window: Option<u64>,
    cells: Vec<Vec<Option<Value>>>,
    /// Of each test, its source and the cells where it holds, where it fails, and where it is unknown.
    pub(super) sides: Vec<(usize, [Cells; 3])>,
    pub(super) links: Vec<Link>,
}

impl<'c> Problem<'c> {
    /// Numbers tests and finds sources; why not when there are too many.
    pub(super) fn of(conditions: &[&'c Condition], world: &'c World) -> Result<Self, String> {
        let mut tests = Vec::new();
        let formulas = conditions.iter().map(|condition| Formula::of(condition, &mut tests)).collect();
        if tests.len() > MOST {
            return Err(format!("{} tests are more than can be decided together", tests.len()));
        }
        let mut problem =
            Problem { formulas, tests, of: Vec::new(), axes: Vec::new(), shares: Vec::new(), bonds: Vec::new(), world };
        for at in 0..problem.tests.len() {
            problem.place(at)?;
        }
        problem.bind();
        Ok(problem)
    }

    /// How many tests there are.
    pub(super) fn size(&self) -> usize {
        self.tests.len()
    }

    /// Finds the source of a test and notes what the source is held against.
    fn place(&mut self, at: usize) -> Result<(), String> {
        let test = self.tests[at];
        let source = Source::of(&test.reading);
        let axis = self.axis(source);
        let Axis { thresholds, texts, .. } = &mut self.axes[axis];
        collect(test, thresholds, &mut self.shares);
        if let (Source::Alike(_), [Value::Number(within), ..]) = (source, test.reading.arguments.as_slice()) {
            thresholds.push(Threshold::constant(*within));
        }
        let settles = match &test.relation {
            Relation::Compare(sign, crate::check::Operand::Value(Value::Text(text))) => {
                if !matches!(sign, Comparison::Equal | Comparison::Unequal) {
                    return Err("texts have no order".to_owned());
                }
                texts.push(text);
                axis
            }
            Relation::OneOf(values) => {
                texts.extend(values.iter().filter_map(|value| match value {
                    Value::Text(text) => Some(text),
                    _ => None,
                }));
                axis
            }
            Relation::Contains(part) => self.axis(Source::Part(part, axis)),
            _ => axis,
        };
        self.of.push(settles);
        Ok(())
    }

    /// Where a source stands.
    fn axis(&mut self, source: Source<'c>) -> usize {
        let found = self.axes.iter().position(|axis| axis.source.is(&source));
        if found.is_none() {
            self.axes.push(Axis { source, thresholds: Vec::new(), texts: Vec::new() });
        }
        found.unwrap_or(self.axes.len() - 1)
    }

    /// Finds what is certain of two sources; those that are compared get the same thresholds.
    fn bind(&mut self) {
        if self.axes.len() < 2 {
            return;
        }
        for first in 0..self.axes.len() {
            for second in 0..self.axes.len() {
                if first != second
                    && let Some(bond) = bond(&self.axes[first].source, &self.axes[second].source)
                {
                    self.bonds.push((first, second, bond));
                }
            }
        }
        // Twice, since what one `since` gives to `iteration` the others need too.
        for _ in 0..2 {
            for at in 0..self.bonds.len() {
                if let (first, second, Bond::AtMost) = self.bonds[at] {
                    self.share(first, second);
                    self.share(second, first);
                }
            }
        }
    }

    fn share(&mut self, from: usize, to: usize) {
        let given = self.axes[from].thresholds.clone();
        let thresholds = &mut self.axes[to].thresholds;
        for threshold in given {
            if !thresholds.contains(&threshold) {
                thresholds.push(threshold);
            }
        }
    }

    /// The windows to look at; why not when there are too many.
    pub(super) fn windows(&self) -> Result<Vec<Option<u64>>, String> {
        match self.world.window {
            Some(0) => return Ok(vec![None]),
            Some(window) => return Ok(vec![Some(window)]),
            None => {}
        }
        let moves = |axis: &Axis<'_>| axis.thresholds.iter().any(Threshold::moves);
        if !self.axes.iter().any(moves) && !self.tests.iter().any(|test| needs_window(test)) {
            return Ok(vec![None]);
        }
        let lines = self.axes.iter().filter(|axis| moves(axis)).map(|axis| (&axis.source, axis.thresholds.as_slice()));
        let windows = candidates(lines, &self.shares, self.reserve());
        let windows = windows.ok_or("the window is unknown, and too many would have to be looked at")?;
        Ok(windows.into_iter().map(Some).chain([None]).collect())
    }

    fn reserve(&self) -> u64 {
        self.world.reserve.unwrap_or(0)
    }

    /// The cells under a window; why not when they are too many.
    pub(super) fn grid(&self, window: Option<u64>) -> Result<Grid, String> {
        let cells: Vec<_> = self.axes.iter().map(|axis| self.cells(axis, window)).collect();
        if let Some(at) = cells.iter().position(|cells| cells.len() > Cells::BITS as usize) {
            let name = self.axes[at].source.name().unwrap_or("context.tokens");
            return Err(format!("`{name}` is held against more constants than can be decided together"));
        }
        let mut grid = Grid { window, cells, sides: Vec::with_capacity(self.tests.len()), links: Vec::new() };
        for (test, &of) in self.tests.iter().zip(&self.of) {
            grid.sides.push((of, self.sides(test, &self.axes[of].source, &grid.cells[of], window)));
        }
        for &(first, second, bond) in &self.bonds {
            grid.links.push(link(first, second, &grid.cells, |one, other| bond.allows(one, other)));
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
            Source::Own(reading) if reading.fact.ty == Type::Bool => match (&self.world.tools, asked_tool(reading)) {
                (Some(tools), Some(asked)) => vec![Some(Value::Bool(tools.contains(asked)))],
                _ => truths().into(),
            },
            Source::Own(reading) if !matches!(reading.fact.ty, Type::Number(_)) => texts(&axis.texts),
            source => {
                let reserve = self.reserve();
                let mut points: Vec<Decimal> =
                    axis.thresholds.iter().filter_map(|threshold| threshold.at(window, reserve)).collect();
                let domain = domain(source, window, &mut points);
                let line = Line {
                    least: domain.least,
                    greatest: domain.greatest,
                    whole: source.is_whole(),
                    large: source.is_large(),
                };
                line.cells(&points)
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
            let shown = Shown { value: cell.as_ref(), window, reserve: self.reserve() };
            let truth = match (source, cell) {
                (Source::Part(..), Some(contained)) => Some(*contained == Value::Bool(true)),
                _ => evaluate::test(test, &shown),
            };
            let side = truth.map_or(2, |truth| usize::from(!truth));
            sides[side] |= 1 << at;
        }
        sides
    }

    /// The values that chosen cells stand for, with what is read of them.
    pub(super) fn witness(&self, grid: &Grid, chosen: &[usize]) -> Witness {
        let mut witness =
            Witness::new(grid.window, self.axes.iter().any(|axis| axis.thresholds.iter().any(Threshold::moves)));
        for (&test, &of) in self.tests.iter().zip(&self.of) {
            let at = match self.axes[of].source {
                Source::Part(_, whole) => whole,
                _ => of,
            };
            let text = self.text(grid, chosen, at);
            let value = text.as_ref().or(grid.cells[at][chosen[at]].as_ref());
            witness.note(&test.reading, &Shown { value, window: grid.window, reserve: self.reserve() });
        }
        witness
    }

    /// The text that holds the chosen parts, when the chosen cell is none of the constants and there are parts.
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
        let constants = all.iter().map(|(text, _)| *text).chain(self.axes[at].texts.iter().copied());
        Some(Value::Text(joined(&held, constants)))
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

/// What is certain of two sources.
fn bond(first: &Source<'_>, second: &Source<'_>) -> Option<Bond> {
    if let (Source::Part(long, a), Source::Part(short, b)) = (first, second) {
        return (a == b && long.contains(short.as_str())).then_some(Bond::Within);
    }
    let (Source::Own(one), Source::Own(other)) = (first, second) else { return None };
    let certain = |relation: &&super::relation::Relation| {
        relation.first == one.fact.name
            && relation.second == other.fact.name
            && (!relation.same || one.arguments == other.arguments)
    };
    RELATIONS.iter().find(certain).map(|relation| relation.bond)
}

fn link(
    first: usize,
    second: usize,
    cells: &[Vec<Option<Value>>],
    allows: impl Fn(Option<&Value>, Option<&Value>) -> bool,
) -> Link {
    let mut link =
        Link { first, second, beside_first: vec![0; cells[first].len()], beside_second: vec![0; cells[second].len()] };
    for (one, first) in cells[first].iter().enumerate() {
        for (other, second) in cells[second].iter().enumerate() {
            if allows(first.as_ref(), second.as_ref()) {
                link.beside_first[one] |= 1 << other;
                link.beside_second[other] |= 1 << one;
            }
        }
    }
    link
}

/// What a text says of whether it contains a part: all, unless it is none of the constants or unknown.
fn contained(part: &SmolStr, whole: usize, at: usize, cells: &[Vec<Option<Value>>]) -> Link {
    let other = cells[whole].iter().rposition(Option::is_some);
    let mut link = Link { first: whole, second: at, beside_first: Vec::new(), beside_second: vec![0; 3] };
    for (at, cell) in cells[whole].iter().enumerate() {
        let may: Cells = match cell {
            Some(_) if Some(at) == other && !part.is_empty() => 0b011,
            Some(Value::Text(text)) if text.contains(part.as_str()) => 0b001,
            Some(_) => 0b010,
            None => 0b100,
        };
        link.beside_first.push(may);
        for (side, beside) in link.beside_second.iter_mut().enumerate() {
            *beside |= (may >> side & 1) << at;
        }
    }
    link
}

/// The ends of a source's line. A whole window is a point too, for witnesses that stay inside it.
fn domain(source: &Source<'_>, window: Option<u64>, points: &mut Vec<Decimal>) -> Domain {
    match source {
        Source::Own(reading) => reading.fact.domain,
        Source::Context | Source::Reported => {
            points.extend(window.map(Decimal::from));
            let greatest = window.zip(Domain::SHARE.greatest);
            let greatest = greatest.map(|(window, share)| Decimal::from(share_of(window, share)));
            Domain { greatest, ..Domain::COUNT }
        }
        Source::Alike(_) | Source::Part(..) => Domain::COUNT,
    }
}

/// Whether a test is unknown where the window is.
fn needs_window(test: &Test) -> bool {
    test.reading.fact.share_of.is_some() || test.reading.fact.name == "context.free"
}

/// The outcome that stands for a side.
pub(super) const OUTCOMES: [u8; 3] = [HOLDS, FAILS, UNKNOWN];
