//! What a replay gives back.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::basis::{OverheadSource, ToolsSource};
use super::seen::Seen;
use super::unknown::UnknownFact;
use super::window::WindowSource;
use crate::conversation::{Compaction, Violation};
use crate::effect::IdleReason;
use crate::fact::Spending;
use crate::phase::Phase;
use crate::plan::Plan;
use crate::quantity::{Decimal, Value};
use crate::run::{Explanation, IdleAction, Notice, Stop};

/// The replay of one transcript.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The policy.
    pub policy: SmolStr,
    /// The transcript's id.
    pub id: String,
    /// The format it was read from.
    pub format: &'static str,
    /// The model.
    pub model: Option<SmolStr>,
    /// The window and where it comes from.
    pub window: Option<(u64, WindowSource)>,
    /// Who declares the agent's tools; none when nobody does.
    pub tools_source: Option<ToolsSource>,
    /// How contexts were counted.
    pub counter: Counting,
    /// Every model call in order.
    pub calls: Vec<Call>,
    /// How many runs there were.
    pub runs: usize,
    /// Where the recorded context began anew.
    pub resets: Vec<Reset>,
    /// Where the recorded harness replaced tool results with placeholders.
    pub clearings: Vec<Clearing>,
    /// The calls before which the recorded input fell, and the recording says nothing about it.
    pub falls: Vec<usize>,
    /// Records that were skipped when reading, by kind.
    pub skipped: BTreeMap<String, u64>,
    /// The first call whose context differs from the recorded one.
    pub first_divergence: Option<usize>,
    /// What each rule did, in the order of the plan.
    pub rules: Vec<RuleTrace>,
    /// Summaries that were put in.
    pub summaries: usize,
    /// Messages that `inject` put in.
    pub injections: usize,
    /// Recorded calls that come after a stop in their run.
    pub after_stop: usize,
    /// What the replies and summaries of all runs would have used.
    pub spent: Spending,
    /// Facts that rules read and that were unknown at every call, in the order of the rules.
    pub unknown: Vec<UnknownFact>,
    /// The invariants.
    pub invariants: Invariants,
    /// Texts for the host, with the call at which they came.
    pub notices: Vec<(usize, Notice)>,
    /// Stops, with the call at which they came.
    pub stops: Vec<(usize, Stop)>,
    /// Failed summaries, with the call and the rule.
    pub failures: Vec<(usize, SmolStr, String)>,
    /// How the rules came out at the call that was asked for.
    pub explained: Option<Explained>,
    /// How they came out at each call, when all were to be followed.
    pub followed: Vec<Explained>,
    /// What the recording holds, and results that are fetched again.
    pub seen: Seen,
}

/// A place where the recorded context began anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reset {
    /// The first call of the new context.
    pub call: usize,
    /// Why.
    pub cause: ResetCause,
}

/// Why a recorded context began anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetCause {
    /// The harness compacted.
    Compaction(Compaction),
    /// A person or the harness cleared the context, and the session went on with a new prompt.
    Cleared,
    /// The recorded input fell, and the recording says nothing about it.
    Unexplained,
}

/// Tool results that the recorded harness replaced with placeholders, taken in as an edit of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clearing {
    /// The first call without them.
    pub call: usize,
    /// How many results were found in the recorded context.
    pub results: usize,
    /// How many are named that the recorded context does not hold.
    pub missing: usize,
    /// What clearing them saves by the counter of the replay, in tokens.
    pub estimated: u64,
    /// What it saved as the harness counts, in tokens, where the recording says so.
    pub stated: Option<u64>,
    /// By how much the recorded input fell, in tokens, where usage tells.
    pub measured: Option<u64>,
    /// Whether the recording says nothing of it, and a fall of the recorded input without a reason was taken for it.
    pub inferred: bool,
}

/// The counter and how far it is off.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// Its name.
    pub name: &'static str,
    /// The mean distance of the recorded usage of a call from what the calls before it predict, as a share of it.
    pub error: Option<Decimal>,
    /// The number of calls with usage.
    pub usage_points: usize,
    /// Where the tokens come from that are sent beside the recorded messages.
    pub overhead: OverheadSource,
}

/// One model call.
#[derive(Clone, Debug)]
pub struct Call {
    /// The run it belongs to, from 0.
    pub run: u64,
    /// Its iteration in the run, from 0.
    pub iteration: u64,
    /// Tokens that are sent beside the messages, as they were fitted; no context is smaller.
    pub overhead: u64,
    /// Tokens of the recorded context.
    pub before: u64,
    /// Tokens of the context that the plan would have sent; 0 when it would not have made the call.
    pub after: u64,
    /// Whether the plan would have made the call: a stop had not come.
    pub made: bool,
    /// The rules that fired around it, by their index.
    pub fired: Vec<usize>,
    /// The facts that were watched, as they were when it was sent; empty when it was not.
    pub values: Vec<Option<Value>>,
}

/// What one rule did.
#[derive(Clone, Debug, Default)]
pub struct RuleTrace {
    /// Its name.
    pub name: SmolStr,
    /// How often it was due.
    pub due: usize,
    /// How often it fired.
    pub fired: usize,
    /// How many edits it made.
    pub edits: usize,
    /// Tokens that its edits kept from being sent, summed over the calls; negative when they added some.
    pub saved: i128,
    /// How often `down_to` was out of reach, and by how many tokens at most.
    pub short: (usize, u64),
    /// The calls at which it fired.
    pub calls: Vec<usize>,
    /// Why its actions yielded nothing when it was due and idle, each reason once, in the order in which they came.
    pub idle: Vec<IdleCount>,
}

/// A reason for which an action of a rule yielded nothing.
#[derive(Clone, Debug)]
pub struct IdleCount {
    /// The effect and its target.
    pub action: String,
    /// The reason as it was the last time.
    pub reason: IdleReason,
    /// How often.
    pub times: usize,
}

impl IdleCount {
    /// Whether another is of the same action for the same kind of reason.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.action == other.action && self.reason.word() == other.reason.word()
    }
}

impl RuleTrace {
    /// Notes why the rule was idle.
    pub(super) fn idle(&mut self, actions: Vec<IdleAction>) {
        for IdleAction { action, reason } in actions {
            let new = IdleCount { action, reason, times: 1 };
            match self.idle.iter_mut().find(|known| known.is_alike(&new)) {
                Some(known) => (known.reason, known.times) = (reason, known.times + 1),
                None => self.idle.push(new),
            }
        }
    }
}

/// How the invariants fared.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    /// Edits that were checked.
    pub checked: usize,
    /// What was broken, with the call.
    pub broken: Vec<(usize, Violation)>,
}

/// The rules at one call, phase by phase.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The call.
    pub call: usize,
    /// Each phase of the call with its rules.
    pub phases: Vec<(&'static str, Vec<Explanation>)>,
}

/// Peak and mean of a series of contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Series {
    /// How many calls.
    pub calls: usize,
    /// The largest, in tokens.
    pub peak: u64,
    /// The mean, in tokens.
    pub mean: u64,
    /// The sum, in tokens.
    pub sum: u128,
}

/// Sums over several traces.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Transcripts.
    pub transcripts: usize,
    /// Calls.
    pub calls: usize,
    /// Runs.
    pub runs: usize,
    /// Contexts as recorded.
    pub before: Series,
    /// Contexts as the plan would have sent them.
    pub after: Series,
}

impl Series {
    fn of(sizes: impl Iterator<Item = u64>) -> Self {
        sizes.fold(Self::default(), |series, size| {
            series.and(Self { calls: 1, peak: size, mean: size, sum: u128::from(size) })
        })
    }

    /// Both series as one.
    fn and(self, other: Self) -> Self {
        let (calls, sum) = (self.calls + other.calls, self.sum + other.sum);
        let mean = sum / u128::try_from(calls.max(1)).unwrap_or(1);
        Self { calls, peak: self.peak.max(other.peak), mean: u64::try_from(mean).unwrap_or(u64::MAX), sum }
    }
}

impl Trace {
    /// A trace of a plan in which nothing has happened yet.
    pub(super) fn of(plan: &Plan) -> Self {
        let rules = plan.rules.iter().map(|rule| RuleTrace { name: rule.name.clone(), ..RuleTrace::default() });
        Self {
            policy: plan.policy.clone(),
            id: String::new(),
            format: "",
            model: None,
            window: None,
            tools_source: None,
            counter: Counting { name: "", error: None, usage_points: 0, overhead: OverheadSource::Recording },
            calls: Vec::new(),
            runs: 0,
            resets: Vec::new(),
            clearings: Vec::new(),
            falls: Vec::new(),
            skipped: BTreeMap::new(),
            first_divergence: None,
            rules: rules.collect(),
            summaries: 0,
            injections: 0,
            after_stop: 0,
            spent: Spending::default(),
            unknown: Vec::new(),
            invariants: Invariants::default(),
            notices: Vec::new(),
            stops: Vec::new(),
            failures: Vec::new(),
            explained: None,
            followed: Vec::new(),
            seen: Seen::default(),
        }
    }

    /// Notes that a call begins.
    pub(super) fn begin_call(&mut self, run: u64, iteration: u64, follow: bool) {
        if follow {
            self.followed.push(Explained { call: self.calls.len(), phases: Vec::new() });
        }
        let (fired, values) = (Vec::new(), Vec::new());
        self.calls.push(Call { run, iteration, overhead: 0, before: 0, after: 0, made: false, fired, values });
    }

    /// Notes how rules came out in a phase of a call.
    pub(super) fn explain(&mut self, call: usize, phase: Phase, explanation: Vec<Explanation>) {
        let wanted = self.explained.as_mut().filter(|explained| explained.call == call);
        if let Some(explained) = wanted.or(self.followed.get_mut(call))
            && !explanation.is_empty()
        {
            explained.phases.push((phase.word(), explanation));
        }
    }

    /// The contexts as they were recorded.
    pub fn before(&self) -> Series {
        Series::of(self.calls.iter().map(|call| call.before))
    }

    /// The contexts as the plan would have sent them.
    pub fn after(&self) -> Series {
        Series::of(self.calls.iter().filter(|call| call.made).map(|call| call.after))
    }

    /// A number of tokens as a share of the window; none when the window is unknown.
    pub fn ratio(&self, tokens: u64) -> Option<Decimal> {
        let (window, _) = self.window.filter(|(window, _)| *window > 0)?;
        Some(Decimal::from(tokens) / Decimal::from(window))
    }

    /// Whether a recorded context is larger than the window, which then cannot be right.
    pub fn outgrows(&self) -> bool {
        self.window.is_some_and(|(window, _)| window > 0 && self.before().peak > window)
    }

    /// The automatic compaction that this window cannot explain, where there is one: a harness compacts by itself when
    /// the window fills up, and this one did so with less than half of it in use. The size is in tokens.
    pub fn early_compaction(&self) -> Option<u64> {
        let (window, _) = self.window?;
        let automatic = self.resets.iter().filter_map(|reset| match reset.cause {
            ResetCause::Compaction(Compaction { automatic: true, tokens }) => tokens,
            _ => None,
        });
        automatic.max().filter(|tokens| *tokens < window / 2)
    }

    /// Tokens that were kept from being sent, summed over the calls; negative when the plan sent more.
    pub fn saved(&self) -> i128 {
        let signed = |sum: u128| i128::try_from(sum).unwrap_or(i128::MAX);
        signed(self.before().sum) - signed(self.after().sum)
    }
}

impl Totals {
    /// Sums over traces.
    pub fn of<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Self {
        let mut totals = Self::default();
        for trace in traces {
            totals.transcripts += 1;
            totals.calls += trace.calls.len();
            totals.runs += trace.runs;
            totals.before = totals.before.and(trace.before());
            totals.after = totals.after.and(trace.after());
        }
        totals
    }
}
