//! The facts of the language page, and their values.

use trimtab::quantity::Decimal;

use super::recent::Recent;

/// How far back something is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Run,
    Session,
}

/// A fact with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fact {
    ContextTokens,
    ContextRatio,
    ContextFree,
    ContextMessages,
    ContextResults,
    ContextInteractions,
    ContextLargest,
    SharePersona,
    ShareTools,
    ShareHistory,
    ReportedTokens,
    ReportedRatio,
    Model,
    Window,
    AgentName,
    AgentDepth,
    BudgetTokens,
    BudgetCost,
    BudgetTime,
    BudgetCalls,
    SessionTokens,
    SessionCost,
    SessionTime,
    SessionCalls,
    Idle,
    Iteration,
    Run,
    /// Of these tools; of all if there are none.
    Failures(Vec<&'static str>),
    FailuresSteps(Vec<&'static str>),
    FailuresTotal(Vec<&'static str>, Scope),
    FailuresTools(Vec<&'static str>),
    FailuresSame(Vec<&'static str>),
    /// Among so many calls, in the context or in the run.
    Repeats(usize, bool),
    Occurrences(usize, bool),
    Misses(Scope),
    MissedTool,
    /// Patterns of at most so many calls, among so many calls.
    Cycles(usize, usize),
    Stall(usize),
    CallName,
    CallArguments,
    ResultTokens,
    ResultText,
    ResultError,
    RequestWords,
    RequestMentions(Vec<&'static str>),
    HasTool(&'static str),
    UsedTool(&'static str, Option<u64>, Scope),
    Var(&'static str),
    ToolsUsed(Scope),
    /// Of these tools; of all if there are none.
    ToolsCalls(Vec<&'static str>, Scope),
    /// Of these tools, and how far back.
    Calls(Vec<&'static str>, Scope, Option<Recent>),
    /// In so many seconds.
    Cost(u64),
    Tokens(u64),
    /// Among so many calls, after the newest call of one of these tools, if there are any.
    Edits(usize, Scope, Vec<&'static str>),
    EditsPath(usize, Scope, Vec<&'static str>),
    FilesChanged(Scope),
    Compactions,
    SinceCompaction,
    SinceUserMessage,
    CacheWarm,
    PlaybookSize,
    Fired(usize, Scope),
    Since(usize, Scope),
    Failed(usize, Scope),
    /// One of [`HOST_FACTS`].
    Host(&'static str),
}

/// The facts that each policy declares, with the words of their types and their defaults.
pub(super) const HOST_FACTS: [(&str, &str, Option<&str>); 4] =
    [("load", "share", Some("20%")), ("mode", "text", None), ("jobs", "count", Some("1")), ("ready", "bool", None)];

/// The value of a fact that a host supplies, as a policy writes it; none if it is of another type.
pub(super) fn host_value(name: &str, text: &str) -> Option<Value> {
    match name {
        "load" => Some(Value::Number(text.strip_suffix('%')?.parse::<Decimal>().ok()? / Decimal::ONE_HUNDRED)),
        "mode" => Some(Value::Text(text.to_owned())),
        "jobs" => text.parse().ok().map(Value::whole),
        _ => text.parse().ok().map(Value::Truth),
    }
}

/// What the value of a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Tokens,
    Share,
    /// A number of these.
    Counted(&'static str),
    Money,
    Duration,
    Text,
    Truth,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(Decimal),
    Text(String),
    Truth(bool),
}

impl Value {
    pub(super) fn whole(number: u64) -> Self {
        Self::Number(Decimal::from(number))
    }
}

impl Fact {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::ContextTokens
            | Self::ContextFree
            | Self::ContextLargest
            | Self::Window
            | Self::ReportedTokens
            | Self::BudgetTokens
            | Self::SessionTokens
            | Self::Tokens(_)
            | Self::ResultTokens => Kind::Tokens,
            Self::ContextRatio
            | Self::SharePersona
            | Self::ShareTools
            | Self::ShareHistory
            | Self::ReportedRatio
            | Self::Stall(_)
            | Self::Host("load") => Kind::Share,
            Self::ContextMessages => Kind::Counted("messages"),
            Self::ContextResults | Self::Failures(_) | Self::FailuresTotal(..) | Self::FailuresSame(_) => {
                Kind::Counted("results")
            }
            Self::ContextInteractions => Kind::Counted("interactions"),
            Self::BudgetCalls
            | Self::SessionCalls
            | Self::Repeats(..)
            | Self::Occurrences(..)
            | Self::Calls(..)
            | Self::Edits(..)
            | Self::ToolsCalls(..) => Kind::Counted("calls"),
            Self::Iteration | Self::Since(..) | Self::SinceCompaction | Self::SinceUserMessage => {
                Kind::Counted("iterations")
            }
            Self::PlaybookSize => Kind::Counted("strategies"),
            Self::Run
            | Self::AgentDepth
            | Self::FilesChanged(_)
            | Self::Compactions
            | Self::FailuresSteps(_)
            | Self::FailuresTools(_)
            | Self::Misses(_)
            | Self::Cycles(..)
            | Self::RequestWords
            | Self::ToolsUsed(_)
            | Self::Fired(..)
            | Self::Failed(..)
            | Self::Host("jobs") => Kind::Counted(""),
            Self::BudgetCost | Self::SessionCost | Self::Cost(_) => Kind::Money,
            Self::BudgetTime | Self::SessionTime | Self::Idle => Kind::Duration,
            Self::MissedTool
            | Self::Model
            | Self::AgentName
            | Self::EditsPath(..)
            | Self::CallName
            | Self::CallArguments
            | Self::ResultText
            | Self::Var(_)
            | Self::Host("mode") => Kind::Text,
            Self::CacheWarm
            | Self::ResultError
            | Self::RequestMentions(_)
            | Self::HasTool(_)
            | Self::UsedTool(..)
            | Self::Host(_) => Kind::Truth,
        }
    }

    /// Whether it can be unknown, so that a policy must say what holds then.
    pub(super) fn is_optional(&self) -> bool {
        matches!(
            self,
            Self::ReportedTokens
                | Self::Model
                | Self::AgentName
                | Self::Cost(_)
                | Self::EditsPath(..)
                | Self::SinceCompaction
                | Self::CacheWarm
                | Self::Window
                | Self::ReportedRatio
                | Self::BudgetCost
                | Self::SessionCost
                | Self::BudgetTime
                | Self::SessionTime
                | Self::Idle
                | Self::MissedTool
                | Self::CallName
                | Self::CallArguments
                | Self::ResultTokens
                | Self::ResultText
                | Self::ResultError
                | Self::Var(_)
                | Self::Since(..)
                | Self::Host("mode" | "ready")
        )
    }

    /// Its name without arguments.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::ContextTokens => "context.tokens",
            Self::ContextRatio => "context.ratio",
            Self::ContextFree => "context.free",
            Self::ContextMessages => "context.messages",
            Self::ContextResults => "context.results",
            Self::ContextInteractions => "context.interactions",
            Self::ContextLargest => "context.largest",
            Self::SharePersona => "share.persona",
            Self::ShareTools => "share.tools",
            Self::ShareHistory => "share.history",
            Self::ReportedTokens => "reported.tokens",
            Self::ReportedRatio => "reported.ratio",
            Self::Model => "model",
            Self::Window => "window",
            Self::AgentName => "agent.name",
            Self::AgentDepth => "agent.depth",
            Self::BudgetTokens => "budget.tokens",
            Self::BudgetCost => "budget.cost",
            Self::BudgetTime => "budget.time",
            Self::BudgetCalls => "budget.calls",
            Self::SessionTokens => "session.tokens",
            Self::SessionCost => "session.cost",
            Self::SessionTime => "session.time",
            Self::SessionCalls => "session.calls",
            Self::Idle => "idle",
            Self::Iteration => "iteration",
            Self::Run => "run",
            Self::Failures(_) => "failures",
            Self::FailuresSteps(_) => "failures.steps",
            Self::FailuresTotal(..) => "failures.total",
            Self::FailuresTools(_) => "failures.tools",
            Self::FailuresSame(_) => "failures.same",
            Self::Repeats(..) => "repeats",
            Self::Occurrences(..) => "occurrences",
            Self::Misses(_) => "misses",
            Self::MissedTool => "missed.tool",
            Self::Cycles(..) => "cycles",
            Self::Stall(_) => "stall",
            Self::CallName => "call.name",
            Self::CallArguments => "call.arguments",
            Self::ResultTokens => "result.tokens",
            Self::ResultText => "result.text",
            Self::ResultError => "result.error",
            Self::RequestWords => "request.words",
            Self::RequestMentions(_) => "request.mentions",
            Self::HasTool(_) => "has_tool",
            Self::UsedTool(..) => "used_tool",
            Self::Var(_) => "var",
            Self::ToolsUsed(_) => "tools.used",
            Self::ToolsCalls(..) => "tools.calls",
            Self::Calls(..) => "calls",
            Self::Cost(_) => "cost",
            Self::Tokens(_) => "tokens",
            Self::Edits(..) => "edits",
            Self::EditsPath(..) => "edits.path",
            Self::FilesChanged(_) => "files.changed",
            Self::Compactions => "compactions",
            Self::SinceCompaction => "since_compaction",
            Self::SinceUserMessage => "since_user_message",
            Self::CacheWarm => "cache.warm",
            Self::PlaybookSize => "playbook.size",
            Self::Fired(..) => "fired",
            Self::Since(..) => "since",
            Self::Failed(..) => "failed",
            Self::Host(_) => "host",
        }
    }

    /// How far back it looks, if a policy can choose that.
    pub(super) const fn scope(&self) -> Option<Scope> {
        match self {
            Self::FailuresTotal(_, scope)
            | Self::Misses(scope)
            | Self::UsedTool(.., scope)
            | Self::ToolsUsed(scope)
            | Self::ToolsCalls(_, scope)
            | Self::Calls(_, scope, _)
            | Self::Edits(_, scope, _)
            | Self::EditsPath(_, scope, _)
            | Self::FilesChanged(scope)
            | Self::Fired(_, scope)
            | Self::Since(_, scope)
            | Self::Failed(_, scope) => Some(*scope),
            _ => None,
        }
    }

    /// Its arguments as a policy writes them.
    fn arguments(&self) -> Vec<String> {
        let calls = |within: &usize, in_run: &bool| {
            let place = in_run.then(|| "in: run".to_owned());
            std::iter::once(format!("within: {within} calls")).chain(place).collect()
        };
        let tools = |of: &[&str]| (!of.is_empty()).then(|| format!("of: [{}]", of.join(", ")));
        let mut all: Vec<String> = match self {
            Self::Failures(of)
            | Self::FailuresSteps(of)
            | Self::FailuresTools(of)
            | Self::FailuresSame(of)
            | Self::FailuresTotal(of, _)
            | Self::ToolsCalls(of, _) => tools(of).into_iter().collect(),
            Self::Calls(of, _, recent) => {
                let within = recent.map(|recent| format!("within: {}", recent.text()));
                tools(of).into_iter().chain(within).collect()
            }
            Self::Cost(seconds) | Self::Tokens(seconds) => vec![format!("within: {seconds}s")],
            Self::Edits(within, _, after) | Self::EditsPath(within, _, after) => {
                let after = (!after.is_empty()).then(|| format!("after: [{}]", after.join(", ")));
                std::iter::once(format!("within: {within} calls")).chain(after).collect()
            }
            Self::Repeats(within, in_run) | Self::Occurrences(within, in_run) => calls(within, in_run),
            Self::Cycles(period, within) => vec![format!("period: {period}"), format!("within: {within} calls")],
            Self::Stall(last) => vec![format!("last: {last} results")],
            Self::RequestMentions(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
                vec![format!("[{}]", texts.join(", "))]
            }
            Self::HasTool(tool) | Self::UsedTool(tool, None, _) => vec![format!("{tool:?}")],
            Self::UsedTool(tool, Some(within), _) => vec![format!("{tool:?}"), format!("within: {within} iterations")],
            Self::Var(variable) => vec![(*variable).to_owned()],
            Self::Fired(rule, _) | Self::Since(rule, _) | Self::Failed(rule, _) => vec![format!("r{rule}")],
            _ => Vec::new(),
        };
        all.extend(match (self, self.scope()) {
            // It counts over the session if nothing is written.
            (Self::FilesChanged(_), Some(Scope::Session)) => None,
            (Self::FilesChanged(_), _) => Some("in: run".to_owned()),
            (_, scope) => (scope == Some(Scope::Session)).then(|| "in: session".to_owned()),
        });
        all
    }

    /// The fact as a policy writes it.
    pub(super) fn text(&self) -> String {
        match (self, self.arguments().as_slice()) {
            (Self::Host(name), _) => format!("host.{name}"),
            (_, []) => self.name().to_owned(),
            (_, arguments) => format!("{}({})", self.name(), arguments.join(", ")),
        }
    }
}

/// A constant of a kind as a policy writes it.
pub(super) fn constant(kind: Kind, number: Decimal) -> String {
    match kind {
        Kind::Tokens => format!("{number} tokens"),
        Kind::Share => format!("{}%", (number * Decimal::ONE_HUNDRED).normalize()),
        Kind::Counted("") => number.to_string(),
        Kind::Counted(word) => format!("{number} {word}"),
        Kind::Money => format!("${number}"),
        Kind::Duration => format!("{number}s"),
        Kind::Text | Kind::Truth => unreachable!("these constants are no numbers"),
    }
}

/// The value as it stands in a text: a share in percent with one decimal, and numbers of something without the word for it.
pub(super) fn format(kind: Kind, value: &Value) -> String {
    match (kind, value) {
        (_, Value::Text(text)) => text.clone(),
        (_, Value::Truth(truth)) => truth.to_string(),
        (Kind::Share, Value::Number(number)) => {
            format!("{}%", (number * Decimal::ONE_HUNDRED).round_dp(1).normalize())
        }
        (Kind::Money, Value::Number(number)) => format!("${}", number.round_dp(4)),
        (Kind::Duration, Value::Number(number)) => duration(*number),
        (_, Value::Number(number)) => number.normalize().to_string(),
    }
}

/// Seconds as `1h2m3s`.
fn duration(seconds: Decimal) -> String {
    let sixty = Decimal::from(60);
    let (minutes, rest) = ((seconds / sixty).floor(), seconds % sixty);
    let (hours, minutes) = ((minutes / sixty).floor(), minutes % sixty);
    let parts = [(hours, "h"), (minutes, "m"), (rest, "s")].into_iter().filter(|(number, _)| !number.is_zero());
    let text: String = parts.map(|(number, unit)| format!("{}{unit}", number.normalize())).collect();
    if text.is_empty() { "0s".to_owned() } else { text }
}
