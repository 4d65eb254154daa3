//! What a replay rests on: the window, the model's prices, the counter and its calibration.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::replay::Options;
use super::stretch::{Fall, Stretches};
use super::window::{self, WindowSource};
use crate::conversation::Role;
use crate::model::{self, Estimate, Prices};
use crate::plan::Plan;
use crate::quantity::{Decimal, whole};
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
    /// What is sent beside the recorded messages, in tokens, for each stretch: see `stretch`.
    pub overheads: Vec<u64>,
    /// Where the recorded input fell without a recorded reason, by the index of the reply before which it did.
    pub falls: BTreeMap<usize, Fall>,
    /// How far the counter is off on this transcript, where its usage tells.
    pub error: Option<Decimal>,
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
        let Stretches { points, falls } = Stretches::of(transcript);
        let Fit { counter, overheads, error } = fit(&points, |counter| overhead(plan, transcript, counter));
        let tokens = match (tokens, error) {
            (Tokens::Best, None) => Tokens::Estimate,
            (Tokens::Best, Some(_)) => Tokens::Reported,
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
            falls,
            error,
            tools,
            tools_source,
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

/// The counter, the overhead of each stretch, and how far the two are off.
struct Fit {
    counter: Estimate,
    overheads: Vec<u64>,
    error: Option<Decimal>,
}

/// Fits factor and overhead on the stretch with most points, then the overhead alone on the others: what stands beside
/// the messages changes when a harness compacts, the tokenizer does not.
fn fit(stretches: &[Vec<(u64, u64)>], otherwise: impl Fn(Estimate) -> u64) -> Fit {
    let longest = stretches.iter().max_by_key(|points| points.len());
    let Some(fitted) = longest.and_then(|points| model::calibrate(points)) else {
        let counter = Estimate::default();
        return Fit { counter, overheads: vec![otherwise(counter); stretches.len()], error: None };
    };
    let counter = Estimate::scaled(fitted.factor);
    let scaled = |counted: u64| whole(Decimal::from(counted) * counter.factor());
    let overhead = |points: &Vec<(u64, u64)>| {
        let mut rest: Vec<u64> =
            points.iter().map(|(counted, recorded)| recorded.saturating_sub(scaled(*counted))).collect();
        rest.sort_unstable();
        let median = rest.get(rest.len() / 2).copied().unwrap_or(fitted.overhead);
        // It is part of every context, so none is smaller; a number far below it is an error of the record.
        let contexts = points.iter().map(|(_, recorded)| *recorded).filter(|recorded| *recorded >= median / 2);
        contexts.min().map_or(median, |least| median.min(least))
    };
    let overheads: Vec<u64> = stretches.iter().map(overhead).collect();
    let off = stretches.iter().zip(&overheads).flat_map(|(points, overhead)| {
        points.iter().map(move |(counted, recorded)| {
            Decimal::from((overhead + scaled(*counted)).abs_diff(*recorded)) / Decimal::from((*recorded).max(1))
        })
    });
    let (sum, count) = off.fold((Decimal::ZERO, 0u32), |(sum, count), off| (sum + off.min(Decimal::ONE), count + 1));
    Fit { counter, overheads, error: Some(sum / Decimal::from(count.max(1))) }
}

/// What is sent beside the messages, where no usage tells: what the tools' schemas count, else what the policy says.
fn overhead(plan: &Plan, transcript: &Transcript, counter: Estimate) -> u64 {
    let schemas = transcript.tools.iter().filter(|tool| tool.schema.is_some() || tool.description.is_some());
    let counted: u64 = schemas
        .map(|tool| {
            let (description, schema) = (tool.description.as_deref(), tool.schema.as_deref());
            counter.tool(&tool.name, description.unwrap_or_default(), schema.unwrap_or_default())
        })
        .sum();
    let prompt = transcript.messages.first().is_some_and(|message| message.role == Role::System);
    match (prompt, counted) {
        (true, counted) if counted > 0 => counted,
        _ => plan.agent.overhead.unwrap_or(counted).max(counted),
    }
}
