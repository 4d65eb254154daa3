//! The kinds of effects: their parameters, their defaults, and the clauses that say the same as a rule.

mod compact;
mod loop_detect;
mod observation_mask;
mod progress;
mod reflection;
mod sliding_window;
mod trim_tool_results;

use super::at::At;
use super::effect::Effect;
use crate::syntax::tree::{Clause, Expr, Operator};

/// All kinds.
pub(super) static KINDS: &[&Kind] = &[
    &observation_mask::KIND,
    &compact::KIND,
    &sliding_window::KIND,
    &trim_tool_results::KIND,
    &loop_detect::KIND,
    &reflection::KIND,
    &progress::KIND,
];

/// A kind of effect.
#[derive(Debug)]
pub(super) struct Kind {
    /// Its name; that of its rule too.
    pub(super) name: &'static str,
    /// Its place among the others: lower ones run first, equal ones as written.
    pub(super) rank: u8,
    /// Its parameters.
    pub(super) params: &'static [Param],
    /// The clauses of its rule.
    pub(super) clauses: fn(&Effect) -> Vec<Clause>,
}

/// A parameter.
#[derive(Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) measure: Measure,
}

/// What a parameter is a number of, and its default.
#[derive(Clone, Copy, Debug)]
pub(super) enum Measure {
    /// A whole number; zero and less give the default.
    Whole(u32),
    /// A share of the window in hundredths; zero and less give the default.
    Share(u32),
    /// A share of the window in hundredths; zero and less turn the effect off.
    Switch(u32),
}

impl Kind {
    /// Whether it waits for a share of the window.
    pub(super) fn needs_window(&self) -> bool {
        self.params.iter().any(|param| !matches!(param.measure, Measure::Whole(_)))
    }
}

/// The kind of this name.
pub(super) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name).copied()
}

/// Whether some kind has a parameter of this name.
pub(super) fn takes(param: &str) -> bool {
    KINDS.iter().any(|kind| kind.params.iter().any(|one| one.name == param))
}

/// The last reported context is at the threshold or above it, and this is not the first call of the run.
fn full(effect: &Effect) -> Expr {
    let (at, ratio) = (effect.at(), "reported.ratio");
    let known = at.call("known", None, at.name(ratio));
    let reached = at.compare(at.name(ratio), Operator::AtLeast, effect.number("threshold").share());
    at.all(vec![known, reached, later(at)])
}

/// This is not the first call of the run.
fn later(at: At) -> Expr {
    at.compare(at.name("iteration"), Operator::More, at.zero())
}
