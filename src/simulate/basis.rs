//! What a replay rests on: the window, the model's prices, the counter and its calibration.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::options::Options;
use super::stretch::{Called, Fall, Stretches};
use super::trace::Counting;
use super::window::{self, WindowSource};
use crate::conversation::Role;
use crate::model::{self, Calibration, Estimate, Overhead, Prices};
use crate::plan::Plan;
use crate::quantity::Decimal;
use crate::source::SourceId;
use crate::transcript::Transcript;

/// How contexts are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    /// `reported` where the recording holds usage, else `estimate`.
    #[default]
    Best,
    /// Characters by kind, calibrated on the transcript's usage.
    Estimate,
    /// The recorded input less what the policy has taken away, by the estimate.
    Reported,
    /// The recorded input as it stands.
    Recorded,
}

impl Tokens {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Estimate => "estimate",
            Self::Reported => "reported",
            Self::Recorded => "recorded",
        }
    }
}

/// Where the list of the agent's tools comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolsSource {
    /// The caller, such as `given tools` of a test.
    Caller,
    /// The recording.
    Recording,
    /// The policy's `agent` block, since the recording declares none.
    Policy,
    /// A profile of the project's settings, since the recording declares none.
    Profile,
}

impl ToolsSource {
    /// The word in output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Recording => "recording",
            Self::Policy => "policy",
            Self::Profile => "profile",
        }
    }
}

/// Where the tokens come from that are sent beside the recorded messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverheadSource {
    /// Recorded usage.
    Usage,
    /// The recording holds system prompt and tools.
    Recording,
    /// The policy's `agent` block.
    Policy,
    /// Nothing tells: this is missing in every context.
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

/// What a replay rests on.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The model, as the caller, the policy or the recording names it.
    pub model: Option<SmolStr>,
    /// The window in tokens and where it comes from; none when nobody knows it.
    pub window: Option<(u64, WindowSource)>,
    /// The model's prices, where the table has them.
    pub prices: Option<Prices>,
    /// The counter's kind; never [`Tokens::Best`].
    pub tokens: Tokens,
    /// The counter.
    pub counter: Estimate,
    /// What is sent beside the recorded messages, in tokens, for each call.
    pub overheads: Vec<u64>,
    /// Where the overheads come from.
    pub overhead: OverheadSource,
    /// Where the recorded input fell without a recorded reason, by the index of the reply before which it did.
    pub falls: BTreeMap<usize, Fall>,
    /// How far the counter is off on this transcript: the mean distance of a call's usage from what the calls before
    /// it predict, as a share of it; none with too little usage.
    pub error: Option<Decimal>,
    /// The number of calls with usage.
    pub usage_points: usize,
    /// The declared tools.
    pub tools: BTreeSet<SmolStr>,
    /// Who declares them; none when nobody does.
    pub tools_source: Option<ToolsSource>,
}

impl Basis {
    /// Settles everything that does not change during a replay.
    pub fn of(plan: &Plan, transcript: &Transcript, options: &Options) -> Self {
        let (tokens, model) = (options.tokens, options.model.as_deref());
        let named = model.map(SmolStr::from).or_else(|| plan.agent.model.as_ref().map(|model| model.node.clone()));
        let model = named.or_else(|| transcript.model.clone());
        let known = model.as_deref().and_then(model::find);
        let author = transcript.model.as_deref().or(model.as_deref());
        let usual = author.map_or(Decimal::ONE, model::factor);
        let Stretches { calls, falls } = Stretches::of(transcript, usual);
        let Fit { counter, overheads, overhead, error, usage_points } =
            fit(&calls, usual, |counter| overhead(plan, transcript, counter));
        let tokens = match (tokens, usage_points) {
            (Tokens::Best, 0) => Tokens::Estimate,
            (Tokens::Best, _) => Tokens::Reported,
            (tokens, _) => tokens,
        };
        let (tools, tools_source) = tools(plan, transcript, options.tools.as_deref());
        Self {
            window: window::settle(plan, transcript, options.window, model.as_deref()),
            model,
            prices: known.and_then(|model| model.prices),
            tokens,
            counter,
            overheads,
            overhead,
            falls,
            error,
            usage_points,
            tools,
            tools_source,
        }
    }

    /// What the trace says of the counter.
    pub(super) const fn counting(&self) -> Counting {
        Counting {
            name: self.tokens.word(),
            error: self.error,
            usage_points: self.usage_points,
            overhead: self.overhead,
        }
    }
}

/// The tools of the agent and who declares them. What a recording declares is what its agent had; tools that it only
/// calls are no declaration.
fn tools(plan: &Plan, transcript: &Transcript, given: Option<&[SmolStr]>) -> (BTreeSet<SmolStr>, Option<ToolsSource>) {
    let recorded = || {
        let names: BTreeSet<SmolStr> = transcript.tools.iter().map(|tool| tool.name.clone()).collect();
        (!names.is_empty()).then_some((names, Some(ToolsSource::Recording)))
    };
    let is_profile = plan.agent.place("tools").is_some_and(|span| span.source == SourceId::SETTINGS);
    let source = if is_profile { ToolsSource::Profile } else { ToolsSource::Policy };
    let set = |names: &[SmolStr]| names.iter().cloned().collect::<BTreeSet<_>>();
    let written = || plan.agent.tools.as_deref().map(|names| (set(names), Some(source)));
    given.map(|names| (set(names), Some(ToolsSource::Caller))).or_else(recorded).or_else(written).unwrap_or_default()
}

/// The counter, the overhead of each call, and how far the two are off.
struct Fit {
    counter: Estimate,
    overheads: Vec<u64>,
    overhead: OverheadSource,
    error: Option<Decimal>,
    usage_points: usize,
}

/// Predictions that know nothing of the call they are for. A fall that nothing recorded tells is known only by the call
/// that shows it and the next, which confirms it; these two are predicted as if there were none.
#[derive(Default)]
struct Foresight {
    before: Option<Calibration>,
    fallen: u64,
    /// How many calls with usage have yet to show the fall.
    left: u8,
}

impl Foresight {
    /// Notes a fall of so many counted tokens before the next call.
    fn fall(&mut self, fallen: u64, calibration: &Calibration) {
        if fallen == 0 {
            return;
        }
        if self.left == 0 {
            (self.before, self.fallen) = (Some(calibration.clone()), 0);
        }
        (self.fallen, self.left) = (self.fallen.saturating_add(fallen), 2);
    }

    fn predict(&mut self, counted: u64, calibration: &Calibration) -> Option<u64> {
        match &self.before {
            Some(before) if self.left > 0 => {
                self.left -= 1;
                before.predict(counted.saturating_add(self.fallen))
            }
            _ => calibration.predict(counted),
        }
    }
}

/// Fits factor and overheads to the usage; without any, the factor is that of the model's family.
fn fit(calls: &[Called], usual: Decimal, otherwise: impl Fn(Estimate) -> (u64, OverheadSource)) -> Fit {
    let mut calibration = Calibration::new(usual);
    let mut foresight = Foresight::default();
    for call in calls {
        foresight.fall(call.fallen, &calibration);
        if call.begins {
            calibration.begin_stretch();
        }
        if let Some(recorded) = call.recorded {
            let predicted = foresight.predict(call.counted, &calibration);
            calibration.add_predicted(predicted, call.counted, recorded);
        }
    }
    let (error, usage_points) = (calibration.error(), calibration.points());
    if usage_points == 0 {
        let counter = Estimate::scaled(usual);
        let (tokens, overhead) = otherwise(counter);
        return Fit { counter, overheads: vec![tokens; calls.len().max(1)], overhead, error, usage_points };
    }
    let counter = Estimate::scaled(calibration.factor());
    let overheads = overheads(calls, counter.factor());
    Fit { counter, overheads, overhead: OverheadSource::Usage, error, usage_points }
}

/// For each call, the overhead that the calls before it in its stretch show. The first of a stretch, which has none
/// before it, is given its own.
fn overheads(calls: &[Called], factor: Decimal) -> Vec<u64> {
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
            // Before the first usage of a stretch, that usage says the most.
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
        // It is part of the context, so it is no larger; a number far below it is an error of the record.
        if let Some(recorded) = call.recorded.filter(|recorded| *recorded >= *overhead / 2) {
            *overhead = recorded.min(*overhead);
        }
    }
    all
}

/// What is sent beside the messages, where no usage tells: what the tools' schemas count, else what the policy says.
fn overhead(plan: &Plan, transcript: &Transcript, counter: Estimate) -> (u64, OverheadSource) {
    let schemas = transcript.tools.iter().filter(|tool| tool.schema.is_some() || tool.description.is_some());
    let counted: u64 = schemas
        .map(|tool| {
            let (description, schema) = (tool.description.as_deref(), tool.schema.as_deref());
            counter.tool(&tool.name, description.unwrap_or_default(), schema.unwrap_or_default())
        })
        .sum();
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
