//! The facts of the language page, and their values.

use trimtab::quantity::Decimal;

/// A fact with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fact {
    ContextTokens,
    ContextRatio,
    ContextFree,
    ContextMessages,
    ContextResults,
    ContextInteractions,
    SharePersona,
    ShareTools,
    ShareHistory,
    ReportedTokens,
    ReportedRatio,
    Model,
    Window,
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
    FailuresTotal(Vec<&'static str>),
    /// Among so many calls, in the context or in the run.
    Repeats(usize, bool),
    Occurrences(usize, bool),
    Misses,
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
    UsedTool(&'static str, Option<u64>),
    Var(&'static str),
    ToolsUsed,
    /// Of these tools; of all if there are none.
    ToolsCalls(Vec<&'static str>),
    PlaybookSize,
    Fired(usize),
    Since(usize),
    Failed(usize),
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
            | Self::Window
            | Self::ReportedTokens
            | Self::BudgetTokens
            | Self::SessionTokens
            | Self::ResultTokens => Kind::Tokens,
            Self::ContextRatio
            | Self::SharePersona
            | Self::ShareTools
            | Self::ShareHistory
            | Self::ReportedRatio
            | Self::Stall(_)
            | Self::Host("load") => Kind::Share,
            Self::ContextMessages => Kind::Counted("messages"),
            Self::ContextResults | Self::Failures(_) | Self::FailuresTotal(_) => Kind::Counted("results"),
            Self::ContextInteractions => Kind::Counted("interactions"),
            Self::BudgetCalls
            | Self::SessionCalls
            | Self::Repeats(..)
            | Self::Occurrences(..)
            | Self::ToolsCalls(_) => Kind::Counted("calls"),
            Self::Iteration | Self::Since(_) => Kind::Counted("iterations"),
            Self::PlaybookSize => Kind::Counted("strategies"),
            Self::Run
            | Self::FailuresSteps(_)
            | Self::Misses
            | Self::Cycles(..)
            | Self::RequestWords
            | Self::ToolsUsed
            | Self::Fired(_)
            | Self::Failed(_)
            | Self::Host("jobs") => Kind::Counted(""),
            Self::BudgetCost | Self::SessionCost => Kind::Money,
            Self::BudgetTime | Self::SessionTime | Self::Idle => Kind::Duration,
            Self::MissedTool
            | Self::Model
            | Self::CallName
            | Self::CallArguments
            | Self::ResultText
            | Self::Var(_)
            | Self::Host("mode") => Kind::Text,
            Self::ResultError | Self::RequestMentions(_) | Self::HasTool(_) | Self::UsedTool(..) | Self::Host(_) => {
                Kind::Truth
            }
        }
    }

    /// Whether it can be unknown, so that a policy must say what holds then.
    pub(super) fn is_optional(&self) -> bool {
        matches!(
            self,
            Self::ReportedTokens
                | Self::Model
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
                | Self::Since(_)
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
            Self::SharePersona => "share.persona",
            Self::ShareTools => "share.tools",
            Self::ShareHistory => "share.history",
            Self::ReportedTokens => "reported.tokens",
            Self::ReportedRatio => "reported.ratio",
            Self::Model => "model",
            Self::Window => "window",
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
            Self::FailuresTotal(_) => "failures.total",
            Self::Repeats(..) => "repeats",
            Self::Occurrences(..) => "occurrences",
            Self::Misses => "misses",
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
            Self::ToolsUsed => "tools.used",
            Self::ToolsCalls(_) => "tools.calls",
            Self::PlaybookSize => "playbook.size",
            Self::Fired(_) => "fired",
            Self::Since(_) => "since",
            Self::Failed(_) => "failed",
            Self::Host(_) => "host",
        }
    }

    /// The fact as a policy writes it.
    pub(super) fn text(&self) -> String {
        let name = self.name();
        let scope = |in_run: &bool| if *in_run { ", in: run" } else { "" };
        match self {
            Self::Failures(of) | Self::FailuresSteps(of) | Self::FailuresTotal(of) | Self::ToolsCalls(of)
                if !of.is_empty() =>
            {
                format!("{name}(of: [{}])", of.join(", "))
            }
            Self::Repeats(within, run) | Self::Occurrences(within, run) => {
                format!("{name}(within: {within} calls{})", scope(run))
            }
            Self::Cycles(period, within) => format!("{name}(period: {period}, within: {within} calls)"),
            Self::Stall(last) => format!("{name}(last: {last} results)"),
            Self::RequestMentions(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
                format!("{name}([{}])", texts.join(", "))
            }
            Self::HasTool(tool) | Self::UsedTool(tool, None) => format!("{name}({tool:?})"),
            Self::UsedTool(tool, Some(within)) => format!("{name}({tool:?}, within: {within} iterations)"),
            Self::Host(name) => format!("host.{name}"),
            Self::Var(variable) => format!("{name}({variable})"),
            Self::Fired(rule) | Self::Since(rule) | Self::Failed(rule) => format!("{name}(r{rule})"),
            _ => name.to_owned(),
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
