//! Phases: the moments of an iteration at which rules are tried.
//!
//! In: a word. Out: the phase and what may be done in it. It does not know rules.

use crate::diagnostic;

/// A moment of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// An iteration begins.
    IterationStart,
    /// Before the model call; the phase of a rule that names none.
    Request,
    /// What is really sent is known.
    ContextBudget,
    /// The reply has come, its tools have not run.
    Reply,
    /// A call was made again after its result was reduced.
    CompactionMiss,
    /// The tools have run.
    IterationEnd,
    /// The host looks back on an iteration.
    Reflection,
    /// The host checks the arguments of a call.
    ToolValidation,
    /// The host tries a plan without acting.
    DryRun,
    /// The host carries out a plan.
    PlanExecution,
}

/// Every phase with its word and what it means, in the order in which they come.
pub static PHASES: &[(Phase, &str, &str)] = &[
    (Phase::IterationStart, "iteration_start", "An iteration begins."),
    (Phase::Request, "request", "Before the model call; the phase of a rule that names none."),
    (Phase::ContextBudget, "context_budget", "After the rules of `request`: what is really sent is known."),
    (Phase::Reply, "reply", "The reply has come, its tools have not run."),
    (Phase::CompactionMiss, "compaction_miss", "A call was made again after its result was reduced."),
    (Phase::IterationEnd, "iteration_end", "The tools have run."),
    (Phase::Reflection, "reflection", "The host looks back on an iteration."),
    (Phase::ToolValidation, "tool_validation", "The host checks the arguments of a call."),
    (Phase::DryRun, "dry_run", "The host tries a plan without acting."),
    (Phase::PlanExecution, "plan_execution", "The host carries out a plan."),
];

impl Phase {
    /// The phase of this word.
    pub fn find(word: &str) -> Option<Self> {
        PHASES.iter().find(|(_, name, _)| *name == word).map(|(phase, ..)| *phase)
    }

    /// The word nearest to a mistyped one.
    pub fn nearest(word: &str) -> Option<&'static str> {
        diagnostic::nearest(word, PHASES.iter().map(|(_, name, _)| *name))
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        PHASES.iter().find(|(phase, ..)| *phase == self).map_or("", |(_, name, _)| name)
    }

    /// Whether rules may edit the conversation in it; in the others they may only signal.
    pub const fn edits(self) -> bool {
        matches!(self, Self::Request | Self::Reply)
    }

    /// Whether it comes once in an iteration.
    pub const fn comes_once(self) -> bool {
        matches!(self, Self::IterationStart | Self::Request | Self::ContextBudget | Self::Reply | Self::IterationEnd)
    }

    /// Whether a replay comes through it. The others are the host's to give.
    pub const fn replayed(self) -> bool {
        matches!(self, Self::IterationStart | Self::Request | Self::ContextBudget | Self::Reply | Self::IterationEnd)
    }
}
