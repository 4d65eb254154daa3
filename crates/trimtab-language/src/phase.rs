//! Phases: the moments of an iteration at which rules are tried.

use trimtab_base::diagnostic;

/// A moment of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// An iteration begins.
    IterationStart,
    /// Before the model call. This is the default.
    Request,
    /// After the rules of `request`, if the request is too long for the window.
    Overflow,
    /// After the rules of `request`, if the harness or a rule has compacted the context since the last call.
    Compaction,
    /// When the content of the request is final.
    ContextBudget,
    /// After the reply, before its tools run.
    Reply,
    /// After the reply: it repeats a call whose result was reduced. It runs once for each such call.
    CompactionMiss,
    /// After the tools have run.
    IterationEnd,
    /// The host reviews an iteration.
    Reflection,
    /// The host validates the arguments of a call.
    ToolValidation,
    /// The host tries a plan without side effects.
    DryRun,
    /// The host executes a plan.
    PlanExecution,
}

/// All phases with their names and descriptions, in the order of an iteration.
pub static PHASES: &[(Phase, &str, &str)] = &[
    (Phase::IterationStart, "iteration_start", "An iteration begins."),
    (Phase::Request, "request", "Before the model call. This is the default."),
    (
        Phase::Overflow,
        "overflow",
        "After the rules of `request`, if the request exceeds the window minus the reserve, or when the provider has rejected it \
         as too long. At most once for each call.",
    ),
    (
        Phase::Compaction,
        "compaction",
        "After the rules of `request` and `overflow`, if the context was compacted since the last call: the harness replaced the \
         conversation, or a rule removed messages or replaced them with a summary.",
    ),
    (Phase::ContextBudget, "context_budget", "When the content of the request is final."),
    (Phase::Reply, "reply", "After the reply, before its tools run."),
    (
        Phase::CompactionMiss,
        "compaction_miss",
        "After the reply: it repeats a call whose result was reduced. Runs once for each such call.",
    ),
    (Phase::IterationEnd, "iteration_end", "After the tools have run."),
    (Phase::Reflection, "reflection", "The host reviews an iteration."),
    (Phase::ToolValidation, "tool_validation", "The host validates the arguments of a call."),
    (Phase::DryRun, "dry_run", "The host tries a plan without side effects."),
    (Phase::PlanExecution, "plan_execution", "The host executes a plan."),
];

/// What rules may do in a phase, besides sending signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// Everything but answering a compaction miss.
    Edit,
    /// Add messages.
    Add,
    /// Answer the compaction miss that the phase is about.
    AnswerMiss,
    /// Nothing.
    Signal,
}

impl Phase {
    /// The phases before a model call, in order.
    pub const BEFORE_CALL: [Self; 5] =
        [Self::IterationStart, Self::Request, Self::Overflow, Self::Compaction, Self::ContextBudget];

    /// The phases that happen once in each iteration, in order.
    pub const ITERATION: [Self; 5] =
        [Self::IterationStart, Self::Request, Self::ContextBudget, Self::Reply, Self::IterationEnd];

    /// The phase of this name.
    pub fn find(word: &str) -> Option<Self> {
        PHASES.iter().find(|(_, name, _)| *name == word).map(|(phase, ..)| *phase)
    }

    /// The name closest to a misspelt one.
    pub fn nearest(word: &str) -> Option<&'static str> {
        diagnostic::nearest(word, PHASES.iter().map(|(_, name, _)| *name))
    }

    /// Its name.
    pub fn word(self) -> &'static str {
        PHASES.iter().find(|(phase, ..)| *phase == self).map_or("", |(_, name, _)| name)
    }

    /// What rules may do in it.
    pub const fn permission(self) -> Permission {
        match self {
            Self::Request | Self::Overflow | Self::Reply => Permission::Edit,
            Self::Compaction => Permission::Add,
            Self::CompactionMiss => Permission::AnswerMiss,
            Self::IterationStart
            | Self::ContextBudget
            | Self::IterationEnd
            | Self::Reflection
            | Self::ToolValidation
            | Self::DryRun
            | Self::PlanExecution => Permission::Signal,
        }
    }

    /// Whether it is about one compaction miss, which rules can answer.
    pub const fn is_miss(self) -> bool {
        matches!(self, Self::CompactionMiss)
    }

    /// Whether it happens exactly once per iteration.
    pub const fn runs_once_per_iteration(self) -> bool {
        matches!(self, Self::IterationStart | Self::Request | Self::ContextBudget | Self::Reply | Self::IterationEnd)
    }

    /// Whether it follows from the messages of a session. The host reports other phases, and few recordings have them.
    pub const fn replayed(self) -> bool {
        self.runs_once_per_iteration() || matches!(self, Self::Overflow | Self::Compaction | Self::CompactionMiss)
    }
}
