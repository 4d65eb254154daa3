//! The inputs of a replay that do not change: the window, the model's prices, the counter and its calibration.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::options::{Options, Tokens};
use super::segment::{RecordedCall, Segments};
use super::series::UsageDrop;
use crate::conversation::{Counter, Message, Role, Usage};
use crate::model::{self, Calibration, Estimate, Overhead};
use crate::plan::Plan;
use crate::quantity::{Decimal, whole};
use crate::run::{Declared, Environment, Learning, Reflection, Resolution, added_tool, tool_tokens};
use crate::transcript::{Live, RecordedAnswer, Transcript};

/// The source of the overhead: the tokens sent in addition to the recorded messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverheadSource {
    /// Recorded usage.
    Usage,
    /// The recording contains the system prompt and the tools.
    Recording,
    /// The policy's `agent` block.
    Policy,
    /// Unknown: every context lacks these parts.
    Missing {
        /// The system prompt.
        prompt: bool,
        /// The schemas of the tools.
        tools: bool,
    },
}

impl OverheadSource {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Recording => "recording",
            Self::Policy => "policy",
            Self::Missing { .. } => "missing",
        }
    }
}

/// The counter and its error.
#[derive(Clone, Copy, Debug)]
pub struct Counting {
    /// Its name.
    pub name: &'static str,
    /// The mean relative difference between a call's usage and the prediction from earlier calls.
    pub error: Option<Decimal>,
    /// The number of calls with usage.
    pub usage_points: usize,
    /// The source of the overhead.
    pub overhead: OverheadSource,
}

/// The inputs of a replay that do not change.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The model, the window, the prices and the tools.
    pub agent: Resolution,
    /// The counter's kind; never [`Tokens::Best`].
    pub tokens: Tokens,
    /// The counter.
    pub counter: Estimate,
    /// The overhead of each call, in tokens.
    pub overheads: Vec<u64>,
    /// The tokens among them that the recorded requests do not have: those of the tool that the plan adds.
    pub added_overhead: u64,
    /// The source of the overheads.
    pub overhead: OverheadSource,
    /// Drops of the recorded input without a recorded reason, by the index of the reply after them.
    pub drops: BTreeMap<usize, UsageDrop>,
    /// The tokens of the schema of each tool, as far as they are known.
    tool_tokens: BTreeMap<SmolStr, u64>,
    /// The error of the counter on this transcript: the mean relative difference between a call's usage and the
    /// prediction from earlier calls; none with too little usage.
    pub error: Option<Decimal>,
    /// The number of calls with usage.
    pub usage_points: usize,
    /// The answers that the recorded live session received under the same plan, in order.
    pub answers: Vec<RecordedAnswer>,
    /// The most iterations that the recorded host made in a run, if it was a live session that declared them.
    max_iterations: Option<u64>,
    /// The playbook with which the session begins, and who distils strategies.
    learning: Learning,
    /// Whether the recording was made by a live session under the same plan.
    pub is_live: bool,
    /// The factor of the counter of the recorded live session; 1 if there is none.
    sent_factor: Decimal,
}

impl Basis {
    /// Determines everything that does not change during a replay.
    pub fn of(plan: &Plan, transcript: &Transcript, options: &Options) -> Self {
        let live = transcript.live.as_ref().filter(|live| live.plan == plan.hash);
        let agent = resolve(plan, transcript, live, options);
        let author = transcript.model.as_deref().or(agent.model.as_deref());
        let usual = author.map_or(Decimal::ONE, model::factor);
        let Segments { calls, drops } = Segments::of(transcript, usual);
        let Fit { counter, overheads, overhead, error, usage_points } = match live {
            Some(live) => live_fit(transcript, live, &calls, usual),
            None => fit(&calls, usual, |counter| overhead(plan, transcript, counter)),
        };
        let tokens = match (options.tokens, usage_points) {
            (Tokens::Best, 0) => Tokens::Estimate,
            (Tokens::Best, _) => Tokens::Reported,
            (tokens, _) => tokens,
        };
        let sent_factor = transcript.live.as_ref().map_or(Decimal::ONE, Live::counter_factor);
        let answers = live.map(|live| live.answers.clone()).unwrap_or_default();
        let mut tool_tokens = match live {
            Some(live) if !live.tool_tokens.is_empty() => live.tool_tokens.clone(),
            _ => tool_tokens(&transcript.tools, counter),
        };
        let added = added_tokens(plan, transcript, counter);
        let added_overhead = added.values().sum();
        tool_tokens.extend(added);
        Self {
            agent,
            tokens,
            counter,
            overheads: overheads.into_iter().map(|overhead| overhead.saturating_add(added_overhead)).collect(),
            added_overhead,
            overhead,
            drops,
            tool_tokens,
            error,
            usage_points,
            answers,
            max_iterations: transcript.live.as_ref().and_then(|live| live.max_iterations),
            learning: learning(transcript, live, options),
            is_live: live.is_some(),
            sent_factor,
        }
    }

    /// The tokens of the messages that a recorded policy sent instead of the recorded ones, by the counter of the replay.
    pub(super) fn sent(&self, reply: &Message) -> Option<u64> {
        reply.sent.map(|sent| whole(Decimal::from(sent) * self.counter.factor() / self.sent_factor))
    }

    /// What rules read besides the conversation.
    pub fn environment(&self) -> Environment {
        let (tool_tokens, learning) = (self.tool_tokens.clone(), self.learning.clone());
        let (counter, max_iterations) = (Arc::new(self.counter), self.max_iterations);
        Environment { max_iterations, tool_tokens, learning, ..self.agent.environment(counter) }
    }

    /// The description of the counter in the trace.
    pub(super) const fn counting(&self) -> Counting {
        Counting {
            name: self.tokens.word(),
            error: self.error,
            usage_points: self.usage_points,
            overhead: self.overhead,
        }
    }
}

/// The tokens of the tool that the plan adds to the recorded requests. A live session under this plan added it itself.
fn added_tokens(plan: &Plan, transcript: &Transcript, counter: Estimate) -> BTreeMap<SmolStr, u64> {
    let is_recorded = transcript.live.as_ref().is_some_and(|live| live.plan == plan.hash);
    let added = added_tool(plan, &transcript.tools).filter(|_| !is_recorded);
    tool_tokens(added.as_slice(), counter)
}

/// The playbook of the options, or that of the recorded live session. The strategies that its host distilled are among its
/// answers, which are used only under the same plan.
fn learning(transcript: &Transcript, live: Option<&Live>, options: &Options) -> Learning {
    let recorded = || transcript.live.as_ref().map(|live| Arc::new(live.playbook.clone()));
    let host_reflects = live.is_some_and(|live| live.host_reflects);
    Learning {
        playbook: options.playbook.clone().or_else(recorded).unwrap_or_default(),
        reflection: if host_reflects { Reflection::Host } else { Reflection::Embedded },
    }
}

fn resolve(plan: &Plan, transcript: &Transcript, live: Option<&Live>, options: &Options) -> Resolution {
    let contexts = transcript.messages.iter().filter_map(|message| {
        let compacted = message.compaction().and_then(|compaction| compaction.tokens);
        message.usage.map(Usage::context).max(compacted)
    });
    let tools: Vec<SmolStr> = transcript.tools.iter().map(|tool| tool.name.clone()).collect();
    let declared = Declared {
        given_window: options.window,
        given_model: options.model.as_deref(),
        given_tools: options.tools.as_deref(),
        used_window: live.and_then(|live| live.window),
        window: transcript.window,
        model: transcript.model.as_deref(),
        tools: &tools,
        largest_context: contexts.max().unwrap_or(0),
    };
    Resolution::of(plan, &declared)
}

/// The counter, the overhead of each call, and their error.
struct Fit {
    counter: Estimate,
    overheads: Vec<u64>,
    overhead: OverheadSource,
    error: Option<Decimal>,
    usage_points: usize,
}

/// Predictions that use only the calls before the predicted one. An unrecorded drop shows at one call and is confirmed by
/// the next; both are predicted as if there were no drop.
#[derive(Default)]
struct Predictor {
    before: Option<Calibration>,
    dropped: u64,
    /// The number of calls with usage that are still predicted without the drop.
    left: u8,
}

impl Predictor {
    /// Records a drop of counted tokens before the next call.
    fn drop_tokens(&mut self, dropped: u64, calibration: &Calibration) {
        if dropped == 0 {
            return;
        }
        if self.left == 0 {
            (self.before, self.dropped) = (Some(calibration.clone()), 0);
        }
        (self.dropped, self.left) = (self.dropped.saturating_add(dropped), 2);
    }

    fn predict(&mut self, counted: u64, calibration: &Calibration) -> Option<u64> {
        match &self.before {
            Some(before) if self.left > 0 => {
                self.left -= 1;
                before.predict(counted.saturating_add(self.dropped))
            }
            _ => calibration.predict(counted),
        }
    }
}

/// Fits the factor and the overheads to the usage. Without usage, the factor is that of the model's family.
fn fit(calls: &[RecordedCall], usual: Decimal, without_usage: impl Fn(Estimate) -> (u64, OverheadSource)) -> Fit {
    let mut calibration = Calibration::new(usual);
    let mut predictor = Predictor::default();
    for call in calls {
        predictor.drop_tokens(call.dropped, &calibration);
        if call.begins {
            calibration.begin_segment();
        }
        if let Some(recorded) = call.recorded {
            let predicted = predictor.predict(call.counted, &calibration);
            calibration.add_predicted(predicted, call.counted, recorded);
        }
    }
    let (error, usage_points) = (calibration.error(), calibration.points());
    if usage_points == 0 {
        let counter = Estimate::scaled(usual);
        let (tokens, overhead) = without_usage(counter);
        return Fit { counter, overheads: vec![tokens; calls.len().max(1)], overhead, error, usage_points };
    }
    let counter = Estimate::scaled(calibration.factor());
    let overheads = overheads(calls, counter.factor());
    Fit { counter, overheads, overhead: OverheadSource::Usage, error, usage_points }
}

/// The counter and the overheads of a live session, which knew only the calls before each call.
fn live_fit(transcript: &Transcript, live: &Live, calls: &[RecordedCall], usual: Decimal) -> Fit {
    let Fit { error, usage_points, .. } = fit(calls, usual, |_| (0, OverheadSource::Recording));
    let counter = Estimate::scaled(live.counter_factor());
    let (mut counted, mut known, mut overheads) = (0, Overhead::default(), Vec::with_capacity(calls.len()));
    for message in &transcript.messages {
        if message.role == Role::Assistant {
            overheads.push(known.get(Decimal::ONE).unwrap_or(live.overhead));
            let usage = message.usage.map(Usage::context).filter(|context| *context > 0);
            if let Some(usage) = usage {
                known.add(message.sent.unwrap_or(counted), usage);
            }
        }
        counted += counter.message(message);
    }
    if overheads.is_empty() {
        overheads.push(live.overhead);
    }
    let overhead = if usage_points == 0 { OverheadSource::Policy } else { OverheadSource::Usage };
    Fit { counter, overheads, overhead, error, usage_points }
}

/// The overhead of each call, computed from the calls before it in its segment. The first call of a segment uses its own
/// usage.
fn overheads(calls: &[RecordedCall], factor: Decimal) -> Vec<u64> {
    let mut overhead = Overhead::default();
    let mut all: Vec<Option<u64>> = Vec::with_capacity(calls.len());
    let mut is_first = true;
    for call in calls {
        is_first |= call.begins;
        match call.recorded {
            Some(recorded) if is_first => {
                overhead = Overhead::default();
                overhead.add(call.counted, recorded);
                all.push(overhead.get(factor));
                is_first = false;
            }
            Some(recorded) => {
                all.push(overhead.get(factor));
                overhead.add(call.counted, recorded);
            }
            // Before the first usage of a segment, that usage is the best evidence.
            None => all.push(overhead.get(factor).filter(|_| !is_first)),
        }
    }
    let mut next = all.iter().rev().flatten().next().copied().unwrap_or(0);
    let mut all: Vec<u64> = all
        .into_iter()
        .rev()
        .map(|known| {
            next = known.unwrap_or(next);
            next
        })
        .collect();
    all.reverse();
    for (overhead, call) in all.iter_mut().zip(calls) {
        // The overhead is part of the context, so it is not larger. A recorded size far below it is a recording error.
        if let Some(recorded) = call.recorded.filter(|recorded| *recorded >= *overhead / 2) {
            *overhead = recorded.min(*overhead);
        }
    }
    all
}

/// The overhead without usage: counted from the schemas of the tools, or else from the policy.
fn overhead(plan: &Plan, transcript: &Transcript, counter: Estimate) -> (u64, OverheadSource) {
    let counted: u64 = tool_tokens(&transcript.tools, counter).into_values().sum();
    let prompt = transcript.messages.first().is_some_and(|message| message.role == Role::System);
    let calls = || transcript.messages.iter().any(|message| message.calls().next().is_some());
    let missing = match plan.agent.overhead {
        _ if prompt && (counted > 0 || !calls()) => OverheadSource::Recording,
        Some(overhead) if overhead >= counted => OverheadSource::Policy,
        _ => OverheadSource::Missing { prompt: !prompt, tools: counted == 0 },
    };
    match (prompt, counted) {
        (true, counted) if counted > 0 => (counted, missing),
        _ => (plan.agent.overhead.unwrap_or(counted).max(counted), missing),
    }
}
