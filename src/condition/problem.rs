//! Problems: the tests of a question's conditions, the sources they are about, and what is certain of these.

use smol_str::SmolStr;

use super::constraint::Constraint;
use super::formula::Formula;
use super::source::Source;
use super::threshold::{Threshold, collect};
use super::window::{FAMILIAR, candidates};
use super::world::World;
use crate::check::{Comparison, Condition, Operand, Relation, Test};
use crate::quantity::{Decimal, Value};

/// How many tests are looked at before it is too much.
const MOST: usize = 512;

/// A source with all that it is held against.
pub(super) struct Axis<'c> {
    pub(super) source: Source<'c>,
    pub(super) thresholds: Vec<Threshold>,
    pub(super) texts: Vec<&'c SmolStr>,
}

/// Conditions with their tests numbered and their sources found.
pub(super) struct Problem<'c> {
    pub(super) formulas: Vec<Formula>,
    pub(super) tests: Vec<&'c Test>,
    /// Of each test, the source whose cells settle it.
    pub(super) of: Vec<usize>,
    pub(super) axes: Vec<Axis<'c>>,
    /// Shares that must be met exactly.
    shares: Vec<Decimal>,
    /// What is certain about two sources.
    pub(super) constraints: Vec<(usize, usize, Constraint)>,
    pub(super) world: &'c World,
}

impl<'c> Problem<'c> {
    /// Numbers tests and finds sources; why not when there are too many.
    pub(super) fn of(conditions: &[&'c Condition], world: &'c World) -> Result<Self, String> {
        let mut tests = Vec::new();
        let formulas = conditions.iter().map(|condition| Formula::of(condition, &mut tests)).collect();
        if tests.len() > MOST {
            return Err(format!("{} tests are more than can be decided together", tests.len()));
        }
        let mut problem = Problem {
            formulas,
            tests,
            of: Vec::new(),
            axes: Vec::new(),
            shares: Vec::new(),
            constraints: Vec::new(),
            world,
        };
        for at in 0..problem.tests.len() {
            problem.place(at)?;
        }
        problem.constrain();
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
        let cap = test.reading.fact.cap(&test.reading.arguments);
        thresholds.extend(cap.map(|(_, cap)| Threshold::constant(cap)));
        let settles = match &test.relation {
            Relation::Compare(sign, Operand::Value(Value::Text(text))) => {
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

    /// Finds what is certain about two sources; those that are compared get the same thresholds.
    fn constrain(&mut self) {
        if self.axes.len() < 2 {
            return;
        }
        for first in 0..self.axes.len() {
            for second in 0..self.axes.len() {
                if first != second
                    && let Some(constraint) = Constraint::between(&self.axes[first].source, &self.axes[second].source)
                {
                    self.constraints.push((first, second, constraint));
                }
            }
        }
        // Twice, since what one `since` gives to `iteration` the others need too.
        for _ in 0..2 {
            for at in 0..self.constraints.len() {
                if let (first, second, Constraint::AtMost) = self.constraints[at] {
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

    /// A window to look at first, and whether there is no other.
    pub(super) fn first_window(&self) -> (Option<u64>, bool) {
        match self.world.window {
            Some(0) => (None, true),
            Some(window) => (Some(window), true),
            None if self.axes.iter().any(moves) || self.tests.iter().any(|test| test.reading.fact.needs_window()) => {
                (Some(FAMILIAR), false)
            }
            None => (None, true),
        }
    }

    /// The windows to look at beside the first when the window is unknown; why not when there are too many.
    pub(super) fn other_windows(&self, first: Option<u64>) -> Result<Vec<Option<u64>>, String> {
        let lines = self.axes.iter().filter(|axis| moves(axis)).map(|axis| axis.thresholds.as_slice());
        let windows = candidates(lines, &self.shares, self.reserve());
        let windows = windows.ok_or("the window is unknown, and too many would have to be looked at")?;
        Ok(windows.into_iter().map(Some).chain([None]).filter(|window| *window != first).collect())
    }

    /// Tokens kept free for the reply.
    pub(super) fn reserve(&self) -> u64 {
        self.world.reserve.unwrap_or(0)
    }
}

/// Whether what an axis is held against depends on the window.
fn moves(axis: &Axis<'_>) -> bool {
    axis.thresholds.iter().any(Threshold::moves)
}
