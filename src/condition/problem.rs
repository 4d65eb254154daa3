//! Problems: the tests of some conditions, their sources, and the constraints between those.

use smol_str::SmolStr;

use super::constraint::Constraint;
use super::formula::Formula;
use super::source::Source;
use super::threshold::{Threshold, collect};
use super::window::{TYPICAL_WINDOW, candidates};
use super::world::World;
use crate::check::{Comparison, Condition, Operand, Relation, Test};
use crate::quantity::{Decimal, Value};

/// The most tests of one problem.
const MAX_TESTS: usize = 512;

/// A source with everything that it is compared with.
pub(super) struct Axis<'c> {
    pub(super) source: Source<'c>,
    pub(super) thresholds: Vec<Threshold>,
    pub(super) texts: Vec<&'c SmolStr>,
}

/// Conditions with numbered tests and their sources.
pub(super) struct Problem<'c> {
    pub(super) formulas: Vec<Formula>,
    pub(super) tests: Vec<&'c Test>,
    /// For each test the axis of the source that decides it.
    pub(super) axis_of: Vec<usize>,
    pub(super) axes: Vec<Axis<'c>>,
    /// Shares that must be met exactly.
    shares: Vec<Decimal>,
    /// What is certain about two sources.
    pub(super) constraints: Vec<(usize, usize, Constraint)>,
    pub(super) world: &'c World,
}

impl<'c> Problem<'c> {
    /// Numbers tests and finds sources. The error explains why there are too many.
    pub(super) fn of(conditions: &[&'c Condition], world: &'c World) -> Result<Self, String> {
        let mut tests = Vec::new();
        let formulas = conditions.iter().map(|condition| Formula::of(condition, &mut tests)).collect();
        if tests.len() > MAX_TESTS {
            return Err(format!("{} tests are more than can be decided together", tests.len()));
        }
        let mut problem = Problem {
            formulas,
            tests,
            axis_of: Vec::new(),
            axes: Vec::new(),
            shares: Vec::new(),
            constraints: Vec::new(),
            world,
        };
        for at in 0..problem.tests.len() {
            problem.add_test(at)?;
        }
        problem.constrain();
        Ok(problem)
    }

    /// How many tests there are.
    pub(super) fn size(&self) -> usize {
        self.tests.len()
    }

    /// Finds the source of a test and records what the test compares it with.
    fn add_test(&mut self, at: usize) -> Result<(), String> {
        let test = self.tests[at];
        let source = Source::of(&test.reading);
        let axis = self.axis(source);
        let Axis { thresholds, texts, .. } = &mut self.axes[axis];
        collect(test, thresholds, &mut self.shares);
        let cap = test.reading.fact.cap(&test.reading.arguments);
        thresholds.extend(cap.map(|(_, cap)| Threshold::constant(cap)));
        let decides = match &test.relation {
            Relation::Compare(comparison, Operand::Value(Value::Text(text))) => {
                if !matches!(comparison, Comparison::Equal | Comparison::Unequal) {
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
        self.axis_of.push(decides);
        Ok(())
    }

    /// The index of the axis of a source.
    fn axis(&mut self, source: Source<'c>) -> usize {
        let found = self.axes.iter().position(|axis| axis.source.is(&source));
        if found.is_none() {
            self.axes.push(Axis { source, thresholds: Vec::new(), texts: Vec::new() });
        }
        found.unwrap_or(self.axes.len() - 1)
    }

    /// Finds the constraints between sources. Sources that are ordered get the same thresholds. Disjoint shares get what
    /// each leaves of the whole, so that the cells of one are those of the other in reverse.
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
        // Twice: a threshold that `iteration` gets from one `since` must reach the others.
        for _ in 0..2 {
            for at in 0..self.constraints.len() {
                let (first, second, constraint) = self.constraints[at];
                let copied: fn(&Threshold) -> Option<Threshold> = match constraint {
                    Constraint::AtMost => |threshold| Some(*threshold),
                    Constraint::Disjoint => Threshold::rest_of_whole,
                    _ => continue,
                };
                self.copy_thresholds(first, second, copied);
                self.copy_thresholds(second, first, copied);
            }
        }
    }

    fn copy_thresholds(&mut self, from: usize, to: usize, copied: fn(&Threshold) -> Option<Threshold>) {
        let copied: Vec<Threshold> = self.axes[from].thresholds.iter().filter_map(copied).collect();
        let thresholds = &mut self.axes[to].thresholds;
        for threshold in copied {
            if !thresholds.contains(&threshold) {
                thresholds.push(threshold);
            }
        }
    }

    /// The window to try first, and whether it is the only one.
    pub(super) fn first_window(&self) -> (Option<u64>, bool) {
        match self.world.window {
            Some(0) => (None, true),
            Some(window) => (Some(window), true),
            None if self.axes.iter().any(moves) || self.tests.iter().any(|test| test.reading.fact.needs_window()) => {
                (Some(TYPICAL_WINDOW), false)
            }
            None => (None, true),
        }
    }

    /// The other windows to try when the window is unknown. The error explains why there are too many.
    pub(super) fn other_windows(&self, first: Option<u64>) -> Result<Vec<Option<u64>>, String> {
        let thresholds = self.axes.iter().filter(|axis| moves(axis)).map(|axis| axis.thresholds.as_slice());
        let windows = candidates(thresholds, &self.shares, self.reserve());
        let windows = windows.ok_or("the window is unknown, and there are too many possible windows to try")?;
        Ok(windows.into_iter().map(Some).chain([None]).filter(|window| *window != first).collect())
    }

    /// Tokens kept free for the reply.
    pub(super) fn reserve(&self) -> u64 {
        self.world.reserve.unwrap_or(0)
    }
}

/// Whether a threshold of an axis depends on the window.
fn moves(axis: &Axis<'_>) -> bool {
    axis.thresholds.iter().any(Threshold::moves)
}
