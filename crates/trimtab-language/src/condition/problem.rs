//! Problems: the tests of some conditions, the sources of these tests, and the constraints between the sources.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Value};

use super::assumptions::Assumptions;
use super::constraint::Constraint;
use super::formula::Formula;
use super::source::Source;
use super::threshold::{Threshold, collect};
use super::whole::{self, Whole};
use super::window::{TYPICAL_WINDOW, candidates};
use crate::check::{Comparison, Condition, Operand, Relation, Test};
use crate::fact::Fact;

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
    /// Shares that some window must reach exactly, because a test lists them in `in […]`.
    shares: Vec<Decimal>,
    /// What is certain about two sources.
    pub(super) constraints: Vec<(usize, usize, Constraint)>,
    /// Groups of axes whose values are shares that add up to 100%.
    pub(super) wholes: Vec<Whole>,
    pub(super) assumptions: &'c Assumptions,
}

impl<'c> Problem<'c> {
    /// Numbers tests and finds sources.
    ///
    /// # Errors
    /// There are more than [`MAX_TESTS`] tests, or a test compares a text by order.
    pub(super) fn of(conditions: &[&'c Condition], assumptions: &'c Assumptions) -> Result<Self, String> {
        let mut tests = Vec::new();
        let formulas = conditions.iter().map(|condition| Formula::of(condition, &mut tests)).collect();
        if tests.len() > MAX_TESTS {
            return Err(format!("{} comparisons are more than can be decided together", tests.len()));
        }
        let mut problem = Problem {
            formulas,
            tests,
            axis_of: Vec::new(),
            axes: Vec::new(),
            shares: Vec::new(),
            constraints: Vec::new(),
            wholes: Vec::new(),
            assumptions,
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

    /// Finds the constraints between sources, and gives those whose values are compared with each other the same cells.
    fn constrain(&mut self) {
        for first in 0..self.axes.len() {
            for second in (0..self.axes.len()).filter(|second| *second != first) {
                let all = Constraint::between(&self.axes[first].source, &self.axes[second].source);
                self.constraints.extend(all.into_iter().map(|constraint| (first, second, constraint)));
            }
        }
        if self.constraints.is_empty() {
            return;
        }
        let sources: Vec<Source<'_>> = self.axes.iter().map(|axis| axis.source).collect();
        self.wholes = whole::all(&sources);
        for group in self.compared_axes() {
            let thresholds = self.joint_thresholds(&group);
            for at in group {
                self.axes[at].thresholds.clone_from(&thresholds);
            }
        }
    }

    /// The groups of axes whose values constraints compare with each other, directly or through others.
    fn compared_axes(&self) -> Vec<Vec<usize>> {
        let mut group: Vec<usize> = (0..self.axes.len()).collect();
        for &(first, second, constraint) in &self.constraints {
            if constraint.compares_numbers() {
                let (kept, joined) = (group[first], group[second]);
                group.iter_mut().filter(|of| **of == joined).for_each(|of| *of = kept);
            }
        }
        let members = |of: usize| (0..group.len()).filter(|at| group[*at] == of).collect::<Vec<_>>();
        (0..group.len()).map(members).filter(|members| members.len() > 1).collect()
    }

    /// The thresholds of all axes of a group. Shares of one whole also get what each threshold leaves of it, so that the cells
    /// of one are those of the other in reverse, and counts that differ by one get the numbers next to each threshold.
    fn joint_thresholds(&self, group: &[usize]) -> Vec<Threshold> {
        let own = group.iter().flat_map(|at| &self.axes[*at].thresholds).copied();
        let mut joint: Vec<Threshold> = own.collect();
        let within = |constraint: Constraint| {
            self.constraints.iter().any(|(first, _, other)| *other == constraint && group.contains(first))
        };
        let mut derived = Vec::new();
        if within(Constraint::Disjoint) {
            derived.extend(joint.iter().filter_map(Threshold::rest_of_whole));
        }
        if within(Constraint::SameOrOneMore) {
            derived.extend(joint.iter().flat_map(|threshold| [-1, 1].map(|step| threshold.moved(step))));
        }
        joint.append(&mut derived);
        let mut unique: Vec<Threshold> = Vec::with_capacity(joint.len());
        for threshold in joint {
            if !unique.contains(&threshold) {
                unique.push(threshold);
            }
        }
        unique
    }

    fn needs_window(&self) -> bool {
        self.tests.iter().any(|test| test.reading.fact.needs_window())
    }

    /// The window to try first, and whether it is the only one.
    pub(super) fn first_window(&self) -> (Option<u64>, bool) {
        match self.assumptions.window {
            Some(0) => (None, true),
            Some(window) => (Some(window), true),
            None if self.axes.iter().any(|axis| depends_on_window(axis) || is_window(axis)) || self.needs_window() => {
                (Some(TYPICAL_WINDOW), false)
            }
            None => (None, true),
        }
    }

    /// The other windows to try when the window is unknown.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn other_windows(&self, first: Option<u64>) -> Result<Vec<Option<u64>>, String> {
        let thresholds_of = |axis: &Axis<'_>| {
            // A comparison of the window itself adds the window as a threshold.
            let window = is_window(axis).then(|| Threshold::share(Decimal::ONE));
            axis.thresholds.iter().copied().chain(window).collect::<Vec<_>>()
        };
        let relevant = self.axes.iter().filter(|axis| depends_on_window(axis) || is_window(axis));
        let thresholds: Vec<Vec<Threshold>> = relevant.map(thresholds_of).collect();
        let windows = candidates(thresholds.iter().map(Vec::as_slice), &self.shares, self.reserve());
        let windows = windows.ok_or("the window is unknown, and there are too many possible windows to try")?;
        Ok(windows.into_iter().map(Some).chain([None]).filter(|window| *window != first).collect())
    }

    /// Tokens kept free for the reply.
    pub(super) fn reserve(&self) -> u64 {
        self.assumptions.reserve.unwrap_or(0)
    }
}

/// Whether the source of an axis is the window itself.
fn is_window(axis: &Axis<'_>) -> bool {
    axis.source.fact().is_some_and(Fact::is_window)
}

/// Whether a threshold of an axis depends on the window.
fn depends_on_window(axis: &Axis<'_>) -> bool {
    axis.thresholds.iter().any(Threshold::depends_on_window)
}
