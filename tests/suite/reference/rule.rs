//! Rules as data.

use super::condition::Condition;
use super::fact::{Fact, Scope};

/// A guard, and how far back it remembers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scoped {
    pub(super) guard: Guard,
    pub(super) scope: Scope,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Guard {
    Once,
    OncePer(Fact),
    OnceUntil(Condition),
    Until(Condition),
    Every(u64),
    Cooldown(u64),
    Limit(u64),
}

impl Guard {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::OncePer(_) => "once per",
            Self::OnceUntil(_) => "once until",
            Self::Until(_) => "until",
            Self::Every(_) => "every",
            Self::Cooldown(_) => "cooldown",
            Self::Limit(_) => "limit",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    IterationStart,
    Request,
    Overflow,
    Compaction,
    ContextBudget,
    Reply,
    CompactionMiss,
    IterationEnd,
    Reflection,
    ToolValidation,
    DryRun,
    PlanExecution,
}

impl Phase {
    pub(super) const ALL: [Self; 12] = [
        Self::IterationStart,
        Self::Request,
        Self::Overflow,
        Self::Compaction,
        Self::ContextBudget,
        Self::Reply,
        Self::CompactionMiss,
        Self::IterationEnd,
        Self::Reflection,
        Self::ToolValidation,
        Self::DryRun,
        Self::PlanExecution,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::IterationStart => "iteration_start",
            Self::Request => "request",
            Self::Overflow => "overflow",
            Self::Compaction => "compaction",
            Self::ContextBudget => "context_budget",
            Self::Reply => "reply",
            Self::CompactionMiss => "compaction_miss",
            Self::IterationEnd => "iteration_end",
            Self::Reflection => "reflection",
            Self::ToolValidation => "tool_validation",
            Self::DryRun => "dry_run",
            Self::PlanExecution => "plan_execution",
        }
    }
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Literal(&'static str),
    /// A fact, what stands for it while it is unknown, and whether only its bare name is written.
    Fact(Fact, Option<&'static str>, bool),
    /// Whether one of these facts has changed since the rule fired.
    Changed(Vec<Fact>, Scope),
    /// A name that an effect defines.
    Own(&'static str),
}

pub(super) type Text = Vec<Piece>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Keep {
    Messages(usize),
    Results(usize),
    Images(usize),
    Interactions(usize),
    Tokens(u64),
    Share(u64),
}

impl Keep {
    const fn form(self) -> &'static str {
        match self {
            Self::Messages(_) => "keep messages",
            Self::Results(_) => "keep results",
            Self::Images(_) => "keep images",
            Self::Interactions(_) => "keep interactions",
            Self::Tokens(_) => "keep tokens",
            Self::Share(_) => "keep a share",
        }
    }
}

/// A tail that begins within a message.
pub(super) const SOME_IMAGES: &str = "keep some images of a message";

/// The forms of values of labels that must take part.
pub(super) const VALUES: &[&str] = &[
    "keep messages",
    "keep results",
    "keep images",
    SOME_IMAGES,
    "keep interactions",
    "keep tokens",
    "keep a share",
    "pin request",
    "pin first_user",
    "pin users",
    "pin newest users",
    "pin users within tokens",
    "pin first messages",
    "pin none",
    "keep_latest",
    "errors keep",
    "errors include",
    "including errors",
    "errors only",
    "from ends",
];

/// A size that an effect reduces the context to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    Share(u64),
    Tokens(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Over {
    Chars(u64),
    Tokens(u64),
}

/// Which parts or groups an effect may reduce.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Choice {
    pub(super) over: Option<Over>,
    pub(super) keep: Option<Keep>,
    pub(super) except: Vec<&'static str>,
    pub(super) only: Vec<&'static str>,
    pub(super) errors: Option<Errors>,
    pub(super) reads: Vec<&'static str>,
    pub(super) writes: Vec<&'static str>,
    pub(super) down_to: Option<Goal>,
    pub(super) at_least: Option<u64>,
    pub(super) pin: Vec<Pin>,
    pub(super) latest: Vec<&'static str>,
}

/// What happens to error results, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errors {
    Keep,
    Include,
    /// `including errors`
    Including,
    Only,
}

impl Errors {
    const fn form(self) -> &'static str {
        match self {
            Self::Keep => "errors keep",
            Self::Include => "errors include",
            Self::Including => "including errors",
            Self::Only => "errors only",
        }
    }
}

impl Choice {
    /// Whether results that are errors, or that are none, may be taken.
    pub(super) fn takes_errors(&self, is_error: bool) -> bool {
        match self.errors {
            None | Some(Errors::Keep) => !is_error,
            Some(Errors::Include | Errors::Including) => true,
            Some(Errors::Only) => is_error,
        }
    }
}

/// Messages that stay, as written. The request of the run stays unless only `none` is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pin {
    Request,
    FirstUser,
    Users,
    NewestUsers(usize),
    UsersWithin(u64),
    FirstMessages(usize),
    Nothing,
}

impl Pin {
    const fn form(self) -> &'static str {
        match self {
            Self::Request => "pin request",
            Self::FirstUser => "pin first_user",
            Self::Users => "pin users",
            Self::NewestUsers(_) => "pin newest users",
            Self::UsersWithin(_) => "pin users within tokens",
            Self::FirstMessages(_) => "pin first messages",
            Self::Nothing => "pin none",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Results,
    Arrivals,
    Duplicates,
    SupersededReads,
    Calls,
    Thinking,
    Images,
    UserMessages,
    Replies,
    Older,
}

impl Target {
    /// Whether it is of the texts of messages.
    pub(super) const fn is_of_messages(self) -> bool {
        matches!(self, Self::UserMessages | Self::Replies)
    }

    /// Whether its parts belong to tools.
    pub(super) const fn has_tools(self) -> bool {
        !self.is_of_messages() && !matches!(self, Self::Thinking)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Arrivals => "arrivals",
            Self::Duplicates => "duplicates",
            Self::SupersededReads => "superseded_reads",
            Self::Calls => "calls",
            Self::Thinking => "thinking",
            Self::Images => "images",
            Self::UserMessages => "user_messages",
            Self::Replies => "replies",
            Self::Older => "older",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Tail,
    Head,
    Middle,
    /// What is kept of the beginning and of the end.
    Ends(Over, Over),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum As {
    User,
    System,
    Assistant,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Effect {
    Mask {
        target: Target,
        choice: Choice,
        preview: Option<usize>,
        placeholder: Option<Text>,
    },
    Trim {
        target: Target,
        choice: Choice,
        to: Option<Over>,
        from: Option<Side>,
        placeholder: Option<Text>,
    },
    Offload {
        target: Target,
        choice: Choice,
        preview: Option<usize>,
        placeholder: Option<Text>,
    },
    Drop {
        target: Target,
        choice: Choice,
    },
    Slide {
        recent: Option<usize>,
        medium: Option<usize>,
        trim: Option<u64>,
        summary: Summary,
    },
    Summarise {
        range: Range,
        summary: Summary,
    },
    /// A summary for each result of a target.
    SummariseResults {
        target: Target,
        choice: Choice,
        summary: Summary,
    },
    Restore(Option<u64>),
    Boost(Option<u64>),
    Inject {
        text: Text,
        role: Option<As>,
        step: bool,
    },
    Retain {
        last: usize,
        min: Option<usize>,
        down_to: Option<Goal>,
        pin: Vec<Pin>,
        latest: Vec<&'static str>,
    },
    Playbook(Option<usize>),
    Remind {
        items: Vec<&'static str>,
        role: Option<As>,
    },
    Tools(Filter),
    Systems(Filter),
    Set {
        name: &'static str,
        value: Text,
        lifetime: Lifetime,
    },
    /// The name, and the fields with their own names if they have one.
    Emit(&'static str, Vec<(Option<&'static str>, Fact)>),
    Notify(Text),
    Stop(Text),
}

/// What `summarise` replaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Range {
    All,
    /// What is older than the tail.
    Older(Option<Keep>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Summary {
    /// With the prompt `handover`.
    pub(super) using: bool,
    pub(super) at_most: Option<u64>,
    pub(super) pin: Vec<Pin>,
    pub(super) latest: Vec<&'static str>,
}

/// `only` or `hide`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Filter {
    pub(super) only: bool,
    pub(super) names: Vec<&'static str>,
    pub(super) lifetime: Lifetime,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// Nothing is written.
    Default,
    Step,
    Run,
    Session,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum OnFailure {
    /// Nothing is written.
    Default,
    Keep,
    Stop,
    Ask,
    Then(Box<Effect>),
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// Its number, which is part of its name.
    pub(super) number: usize,
    pub(super) phase: Phase,
    pub(super) when: Option<Condition>,
    pub(super) unless: Option<Condition>,
    pub(super) guards: Vec<Scoped>,
    /// The question that a person answers before it acts.
    pub(super) confirm: Option<Text>,
    pub(super) effects: Vec<Effect>,
    /// How often a failed summary is tried again, and what happens then.
    pub(super) retries: Option<u64>,
    pub(super) on_failure: OnFailure,
}

/// A policy with what its `agent` block says.
#[derive(Clone, Debug, Default)]
pub(super) struct Policy {
    pub(super) model: Option<&'static str>,
    pub(super) window: Option<u64>,
    pub(super) reserve: Option<u64>,
    pub(super) overhead: Option<u64>,
    pub(super) tools: Vec<&'static str>,
    pub(super) rules: Vec<Rule>,
}

impl Effect {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Mask { .. } => "mask",
            Self::Trim { .. } => "trim",
            Self::Offload { .. } => "offload",
            Self::Drop { .. } => "drop",
            Self::Slide { .. } => "slide",
            Self::Summarise { .. } | Self::SummariseResults { .. } => "summarise",
            Self::Restore(_) => "restore",
            Self::Boost(_) => "boost",
            Self::Inject { .. } => "inject",
            Self::Retain { .. } => "retain",
            Self::Playbook(_) => "playbook",
            Self::Remind { .. } => "remind",
            Self::Tools(_) => "tools",
            Self::Systems(_) => "systems",
            Self::Set { .. } => "set",
            Self::Emit(..) => "emit",
            Self::Notify(_) => "notify",
            Self::Stop(_) => "stop",
        }
    }

    /// The target that it names.
    pub(super) const fn target(&self) -> Option<&'static str> {
        match self {
            Self::Mask { target, .. }
            | Self::Trim { target, .. }
            | Self::Offload { target, .. }
            | Self::Drop { target, .. }
            | Self::SummariseResults { target, .. } => Some(target.name()),
            Self::Summarise { range: Range::All, .. } => Some("all"),
            Self::Summarise { .. } => Some("older"),
            Self::Restore(_) => Some("result"),
            Self::Boost(_) => Some("chunks"),
            _ => None,
        }
    }

    /// The tail that it names.
    const fn keep(&self) -> Option<Keep> {
        match self {
            Self::Mask { choice, .. }
            | Self::Trim { choice, .. }
            | Self::Offload { choice, .. }
            | Self::Drop { choice, .. }
            | Self::SummariseResults { choice, .. } => choice.keep,
            Self::Summarise { range: Range::Older(keep), .. } => *keep,
            _ => None,
        }
    }

    /// The forms of the values of its labels.
    pub(super) fn values(&self) -> Vec<&'static str> {
        let (pins, latest) = self.kept_messages();
        let errors = match self {
            Self::Mask { choice, .. }
            | Self::Trim { choice, .. }
            | Self::Offload { choice, .. }
            | Self::Drop { choice, .. }
            | Self::SummariseResults { choice, .. } => choice.errors.map(Errors::form),
            _ => None,
        };
        let ends = matches!(self, Self::Trim { from: Some(Side::Ends(..)), .. }).then_some("from ends");
        let latest = (!latest.is_empty()).then_some("keep_latest");
        self.keep()
            .map(Keep::form)
            .into_iter()
            .chain(pins.iter().map(|pin| pin.form()))
            .chain(latest)
            .chain(errors)
            .chain(ends)
            .collect()
    }

    /// What `pin` and `keep_latest` name.
    fn kept_messages(&self) -> (&[Pin], &[&'static str]) {
        match self {
            Self::Mask { choice, .. }
            | Self::Trim { choice, .. }
            | Self::Offload { choice, .. }
            | Self::Drop { choice, .. }
            | Self::SummariseResults { choice, .. } => (&choice.pin, &choice.latest),
            Self::Slide { summary, .. } | Self::Summarise { summary, .. } => (&summary.pin, &summary.latest),
            Self::Retain { pin, latest, .. } => (pin, latest),
            _ => (&[], &[]),
        }
    }

    /// Its text, if it has one.
    pub(super) fn text(&self) -> Option<&Text> {
        match self {
            Self::Mask { placeholder, .. } | Self::Trim { placeholder, .. } | Self::Offload { placeholder, .. } => {
                placeholder.as_ref()
            }
            Self::Inject { text, .. } | Self::Notify(text) | Self::Stop(text) => Some(text),
            Self::Set { value, .. } => Some(value),
            _ => None,
        }
    }

    pub(super) const fn needs_summary(&self) -> bool {
        matches!(self, Self::Slide { .. } | Self::Summarise { .. } | Self::SummariseResults { .. })
    }
}
