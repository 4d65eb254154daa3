//! Checked tests: their input and their expectations. An assertion over a replay is an expectation too.

use smol_str::SmolStr;
use trimtab_base::quantity::{Counted, Decimal, Unit, Value};
use trimtab_base::source::{Span, Spanned};

use super::policy::{Comparison, Reading, Test};

/// A test of a policy.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// Its name.
    pub name: String,
    /// The policy under test.
    pub policy: SmolStr,
    /// Its input.
    pub given: TestInput,
    /// Its expectations in source order.
    pub expected: Vec<Expectation>,
    /// The span of its name.
    pub head: Span,
}

/// The input of a test.
#[derive(Clone, Debug, Default)]
pub struct TestInput {
    /// Series of facts, one value per iteration.
    pub series: Vec<Series>,
    /// The number of iterations, for a test without a conversation.
    pub iterations: Option<u64>,
    /// The context window in tokens.
    pub window: Option<u64>,
    /// The model.
    pub model: Option<SmolStr>,
    /// The declared tools, replacing those of the `agent` block.
    pub tools: Option<Vec<SmolStr>>,
    /// The answers of the summariser, one for each request; the last one is repeated. Extracts if empty.
    pub summaries: Vec<Summary>,
    /// How many questions of rules a person declines before the others are confirmed.
    pub declined: u64,
    /// The lines of a scripted conversation.
    pub lines: Vec<ScriptLine>,
    /// The path of a recording as written.
    pub transcript: Option<Spanned<String>>,
}

impl TestInput {
    /// Whether the test gives only facts. Then no request is sent, and every due rule fires.
    pub const fn has_only_facts(&self) -> bool {
        self.lines.is_empty() && self.transcript.is_none()
    }

    /// The number of iterations of a test that gives only facts: as given, or that of its longest series.
    pub fn length(&self) -> u64 {
        let longest = self.series.iter().map(|series| series.values.len()).max().unwrap_or(0);
        self.iterations.unwrap_or_else(|| u64::try_from(longest).unwrap_or(u64::MAX))
    }
}

impl TestInput {
    /// The number of model calls, unless it depends on a recording. A conversation that does not end with a reply gets
    /// one more call.
    pub fn calls(&self) -> Option<u64> {
        if self.transcript.is_some() {
            return None;
        }
        let Some(last) = self.lines.last() else { return Some(self.length()) };
        let replies = |line: &&ScriptLine| {
            matches!(
                line.kind,
                ScriptLineKind::Assistant(_) | ScriptLineKind::Calls(_) | ScriptLineKind::Result { of: Some(_), .. }
            )
        };
        let replies: u64 = self.lines.iter().filter(replies).map(|line| line.times).sum();
        Some(replies + u64::from(!matches!(last.kind, ScriptLineKind::Assistant(_))))
    }
}

impl ExpectationKind {
    /// The calls that it names.
    pub fn calls(&self) -> &[u64] {
        match self {
            Self::Rule(_, _, times) => times.calls(),
            Self::Context(ContextSelector::At(calls), _) | Self::Fact(FactSample::At(calls), _) => calls,
            // A stop may happen before the call after the last one.
            Self::Stops(_) | Self::Context(..) | Self::Fact(..) | Self::Total(..) | Self::Invariants => &[],
        }
    }
}

impl Frequency {
    /// The calls that it names.
    fn calls(&self) -> &[u64] {
        match self {
            Self::At(calls) | Self::NotAt(calls) | Self::OnlyAt(calls) => calls,
            Self::FirstAt(call) | Self::LastAt(call) => std::slice::from_ref(call),
            Self::Ever | Self::Never | Self::Count(..) => &[],
        }
    }
}

/// A series of values of a fact, one per iteration; the last value is repeated.
#[derive(Clone, Debug)]
pub struct Series {
    /// The fact and its arguments.
    pub reading: Reading,
    /// The values, at least one; `None` where the fact is unknown.
    pub values: Vec<Option<Value>>,
    /// Its span.
    pub span: Span,
}

/// The answer of the summariser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Summary {
    /// This text, which repeated answers share.
    Text(SmolStr),
    /// A failure.
    Fails,
}

/// A line of a scripted conversation.
#[derive(Clone, Debug)]
pub struct ScriptLine {
    /// What happens.
    pub kind: ScriptLineKind,
    /// The number of repetitions.
    pub times: u64,
}

/// The message of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptLineKind {
    /// A system message.
    System(TextSpec),
    /// A user message.
    User(TextSpec),
    /// A reply without calls.
    Assistant(TextSpec),
    /// Thinking at the start of the next reply.
    Thinking(TextSpec),
    /// The harness compacts: its context is the system prompt and this summary.
    Compaction(TextSpec),
    /// A reply with these calls.
    Calls(Vec<ScriptedCall>),
    /// A tool result: of the oldest call without one, or of a call that is added for it.
    Result {
        /// The call that is added before it.
        of: Option<ScriptedCall>,
        /// Its text.
        filling: TextSpec,
        /// Whether it is an error.
        is_error: bool,
    },
}

/// A scripted tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedCall {
    /// The tool.
    pub tool: SmolStr,
    /// Its arguments. Without them, every call counts as different.
    pub arguments: Option<String>,
}

/// A text, or the length of a generated one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSpec {
    /// This text.
    Text(String),
    /// A text of this many characters.
    Chars(u64),
    /// A text of this many estimated tokens.
    Tokens(u64),
}

/// An expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What it requires.
    pub claim: ExpectationKind,
    /// Its span.
    pub span: Span,
}

/// What an expectation requires.
#[derive(Clone, Debug)]
pub enum ExpectationKind {
    /// An outcome of a rule.
    Rule(SmolStr, RuleOutcome, Frequency),
    /// The text of contexts.
    Context(ContextSelector, TextPattern),
    /// A fact at the time of a call.
    Fact(FactSample, Test),
    /// A total over the replay, or over all replays.
    Total(TotalClaim),
    /// When the run is stopped.
    Stops(Frequency),
    /// That no edit violates an invariant.
    Invariants,
}

/// An outcome of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleOutcome {
    /// It fires.
    Fires,
    /// Its condition and guards hold.
    Due,
    /// It is due but has nothing to edit.
    Idle,
    /// Its condition holds, but a guard blocks it.
    Blocked,
    /// Its summary fails.
    Fails,
    /// A person declines it.
    Declined,
}

impl RuleOutcome {
    /// Every outcome with its keyword.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Fires, "fires"),
        (Self::Due, "due"),
        (Self::Idle, "idle"),
        (Self::Blocked, "blocked"),
        (Self::Fails, "fails"),
        (Self::Declined, "declined"),
    ];
}

/// When and how often something happens. Calls are numbered over all runs, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frequency {
    /// At least once.
    Ever,
    /// Never.
    Never,
    /// At each of these calls, and possibly at others.
    At(Vec<u64>),
    /// At none of these calls.
    NotAt(Vec<u64>),
    /// At each of these calls and at no other.
    OnlyAt(Vec<u64>),
    /// For the first time at this call.
    FirstAt(u64),
    /// For the last time at this call.
    LastAt(u64),
    /// This number of times.
    Count(Comparison, u64),
}

/// The contexts that an expectation is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextSelector {
    /// Those of these calls.
    At(Vec<u64>),
    /// That of the last call.
    Final,
    /// All of them.
    Every,
    /// One of them at least.
    Any,
}

/// A search for texts in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPattern {
    /// The texts, which must occur in this order.
    pub texts: Vec<String>,
    /// Whether they must be present, or must be absent.
    pub present: bool,
}

/// The values of a fact that an expectation is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactSample {
    /// The largest.
    Peak,
    /// The smallest.
    Least,
    /// The mean.
    Mean,
    /// The last.
    Final,
    /// Those at these calls.
    At(Vec<u64>),
}

/// What is required of a total.
#[derive(Clone, Copy, Debug)]
pub struct TotalClaim {
    /// The total.
    pub total: &'static Total,
    /// How it compares with the amount.
    pub comparison: Comparison,
    /// The amount in the unit of the total.
    pub amount: Decimal,
    /// Whether it is the sum over all recordings, and not the total of each.
    pub is_over_all: bool,
}

/// A total over a replay.
#[derive(Debug)]
pub struct Total {
    /// The number that it is.
    pub kind: TotalKind,
    /// Its word.
    pub word: &'static str,
    /// Its unit.
    pub unit: Unit,
}

/// Which number of a replay a total is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalKind {
    /// Tokens saved over all calls.
    TokensSaved,
    /// US dollars saved at the calls that are made in both; unknown if no price is known.
    CostSaved,
    /// Inserted summaries.
    Summaries,
    /// Injected messages.
    Injections,
    /// Edits.
    Edits,
    /// Notices for the host.
    Notices,
    /// Model calls that were made.
    Calls,
    /// Runs.
    Runs,
}

/// All totals.
pub static TOTALS: &[Total] = &[
    total(TotalKind::TokensSaved, "tokens_saved", Unit::Tokens),
    total(TotalKind::CostSaved, "cost_saved", Unit::Money),
    total(TotalKind::Summaries, "summaries", COUNT),
    total(TotalKind::Injections, "injections", COUNT),
    total(TotalKind::Edits, "edits", COUNT),
    total(TotalKind::Notices, "notices", COUNT),
    total(TotalKind::Calls, "calls", Unit::Counted(Counted::Calls)),
    total(TotalKind::Runs, "runs", COUNT),
];

const COUNT: Unit = Unit::Counted(Counted::Count);

const fn total(kind: TotalKind, word: &'static str, unit: Unit) -> Total {
    Total { kind, word, unit }
}
