//! Checked tests: what they tell, what they expect, and assertions over a replay, which are the same expectations.

use smol_str::SmolStr;

use super::policy::{Comparison, Reading, Test};
use crate::quantity::{Counted, Decimal, Unit, Value};
use crate::source::{Span, Spanned};

/// A test of a policy.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it says.
    pub name: String,
    /// The policy that it tests.
    pub policy: SmolStr,
    /// What is given.
    pub given: Given,
    /// What is expected, in the order written.
    pub expected: Vec<Expectation>,
    /// Where its name stands.
    pub head: Span,
    /// Where it stands.
    pub span: Span,
}

/// What a test tells.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Facts, a value an iteration.
    pub series: Vec<Series>,
    /// How many iterations there are, where no conversation says so.
    pub iterations: Option<u64>,
    /// The context window in tokens.
    pub window: Option<u64>,
    /// The model.
    pub model: Option<SmolStr>,
    /// The declared tools, in place of those of the `agent` block.
    pub tools: Option<Vec<SmolStr>>,
    /// Who writes summaries; extracts when it does not say.
    pub summary: Option<Summary>,
    /// A conversation in a few lines.
    pub lines: Vec<Line>,
    /// The path of a recording as written.
    pub transcript: Option<Spanned<String>>,
}

impl Given {
    /// Whether only facts are told: then nothing is sent, and every due rule fires.
    pub const fn is_facts_alone(&self) -> bool {
        self.lines.is_empty() && self.transcript.is_none()
    }

    /// How many iterations a test of facts alone has: as many as it says, else as its longest series.
    pub fn length(&self) -> u64 {
        let longest = self.series.iter().map(|series| series.values.len()).max().unwrap_or(0);
        self.iterations.unwrap_or_else(|| u64::try_from(longest).unwrap_or(u64::MAX))
    }
}

impl Given {
    /// How many model calls the test has; none where only its recording knows. A conversation that does not end with a
    /// reply gets one more.
    pub fn calls(&self) -> Option<u64> {
        if self.transcript.is_some() {
            return None;
        }
        let Some(last) = self.lines.last() else { return Some(self.length()) };
        let replies = |line: &&Line| {
            matches!(line.kind, LineKind::Assistant(_) | LineKind::Calls(_) | LineKind::Result { of: Some(_), .. })
        };
        let replies: u64 = self.lines.iter().filter(replies).map(|line| line.times).sum();
        Some(replies + u64::from(!matches!(last.kind, LineKind::Assistant(_))))
    }
}

impl Claim {
    /// The calls that it names.
    pub fn calls(&self) -> &[u64] {
        match self {
            Self::Rule(_, _, times) => times.calls(),
            Self::Context(Which::At(calls), _) | Self::Fact(Part::At(calls), _) => calls,
            // A stop before the call that would have come next is one of this test.
            Self::Stops(_) | Self::Context(..) | Self::Fact(..) | Self::Total(..) | Self::Invariants => &[],
        }
    }
}

impl Times {
    /// The calls that it names.
    fn calls(&self) -> &[u64] {
        match self {
            Self::At(calls) | Self::NotAt(calls) | Self::OnlyAt(calls) => calls,
            Self::FirstAt(call) | Self::LastAt(call) => std::slice::from_ref(call),
            Self::Ever | Self::Never | Self::Count(..) => &[],
        }
    }
}

/// A fact, a value an iteration; the last value stays.
#[derive(Clone, Debug)]
pub struct Series {
    /// The fact and its arguments.
    pub reading: Reading,
    /// The values; none where the fact is unknown. There is one at least.
    pub values: Vec<Option<Value>>,
    /// Where it stands.
    pub span: Span,
}

/// What a summariser answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Summary {
    /// This text.
    Text(String),
    /// Nothing: it fails.
    Fails,
}

/// One line of a conversation.
#[derive(Clone, Debug)]
pub struct Line {
    /// What happens.
    pub kind: LineKind,
    /// How often, in a row.
    pub times: u64,
    /// Where it stands.
    pub span: Span,
}

/// What happens in a line of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A system message.
    System(Filling),
    /// A person's message.
    User(Filling),
    /// A reply without calls.
    Assistant(Filling),
    /// Thinking that the next reply begins with.
    Thinking(Filling),
    /// A reply with these calls.
    Calls(Vec<Called>),
    /// A result: of the first call without one, or of a call that is made for it.
    Result {
        /// The call that is made first.
        of: Option<Called>,
        /// Its text.
        filling: Filling,
        /// Whether it is an error.
        is_error: bool,
    },
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The tool.
    pub tool: SmolStr,
    /// Its arguments; none when they are no matter, and then no two calls are alike.
    pub arguments: Option<String>,
}

/// A text, or how long one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// This text.
    Text(String),
    /// Any text of so many characters.
    Chars(u64),
    /// Any text of so many tokens by the estimate.
    Tokens(u64),
}

/// Something that is expected.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// What.
    pub claim: Claim,
    /// Where it stands.
    pub span: Span,
}

/// What an expectation says.
#[derive(Clone, Debug)]
pub enum Claim {
    /// How a rule comes out.
    Rule(SmolStr, Came, Times),
    /// What contexts hold.
    Context(Which, Needle),
    /// A fact when a context is sent.
    Fact(Part, Test),
    /// A number of the whole replay.
    Total(&'static Total, Comparison, Decimal),
    /// Whether and when the run is stopped.
    Stops(Times),
    /// No edit breaks an invariant.
    Invariants,
}

/// What may come of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It fires.
    Fires,
    /// Condition and guards hold.
    Due,
    /// It is due and has nothing to do.
    Idle,
    /// Its condition holds, and a guard does not let it fire.
    Held,
    /// Its summary fails.
    Fails,
}

impl Came {
    /// All with their words.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Fires, "fires"),
        (Self::Due, "due"),
        (Self::Idle, "idle"),
        (Self::Held, "held"),
        (Self::Fails, "fails"),
    ];

    /// The word in a test.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(came, _)| *came == self).map_or("", |(_, word)| word)
    }
}

/// When and how often. Calls are counted over all runs, from 0; in one run they are its iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Times {
    /// At least once.
    Ever,
    /// Not once.
    Never,
    /// At each of these, and perhaps elsewhere.
    At(Vec<u64>),
    /// At none of these.
    NotAt(Vec<u64>),
    /// At each of these and nowhere else.
    OnlyAt(Vec<u64>),
    /// For the first time at this one.
    FirstAt(u64),
    /// For the last time at this one.
    LastAt(u64),
    /// So many times.
    Count(Comparison, u64),
}

/// Which contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those of these calls.
    At(Vec<u64>),
    /// That of the last call.
    Final,
    /// All of them.
    Every,
    /// One of them at least.
    Any,
}

/// What is looked for in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle {
    /// The texts, each behind the one before it.
    pub texts: Vec<String>,
    /// Whether they are there; else they must not be.
    pub present: bool,
}

/// Which values of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
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

/// A number of the whole replay.
#[derive(Debug)]
pub struct Total {
    /// The number that it is.
    pub kind: TotalKind,
    /// Its word.
    pub word: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// Its meaning.
    pub summary: &'static str,
}

/// Which number of a replay a total is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalKind {
    /// Tokens saved over all calls.
    TokensSaved,
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
    total(TotalKind::TokensSaved, "tokens_saved", Unit::Tokens, "tokens saved, summed over all calls"),
    total(TotalKind::Summaries, "summaries", COUNT, "inserted summaries"),
    total(TotalKind::Injections, "injections", COUNT, "messages inserted by `inject`"),
    total(TotalKind::Edits, "edits", COUNT, "edits made"),
    total(TotalKind::Notices, "notices", COUNT, "notices for the host"),
    total(TotalKind::Calls, "calls", Unit::Counted(Counted::Calls), "model calls made"),
    total(TotalKind::Runs, "runs", COUNT, "runs"),
];

const COUNT: Unit = Unit::Counted(Counted::Count);

const fn total(kind: TotalKind, word: &'static str, unit: Unit, summary: &'static str) -> Total {
    Total { kind, word, unit, summary }
}
