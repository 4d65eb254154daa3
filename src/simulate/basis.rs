//! What a replay rests on: the window, the model's prices, the counter and its calibration.

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::conversation::{Counter, Role};
use crate::model::{self, Calibration, Estimate, Prices};
use crate::plan::Plan;
use crate::quantity::Decimal;
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

/// Where the window comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// The caller's flag.
    Flag,
    /// The policy's `agent` block.
    Policy,
    /// The recording.
    Recording,
    /// The table of models.
    Model,
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
    /// What is sent beside the recorded messages, in tokens.
    pub overhead: u64,
    /// How far the counter is off on this transcript, where its usage tells.
    pub error: Option<Decimal>,
    /// The declared tools.
    pub tools: BTreeSet<SmolStr>,
}

impl Basis {
    /// Settles everything that does not change during a replay.
    pub fn of(plan: &Plan, transcript: &Transcript, tokens: Tokens, window: Option<u64>, model: Option<&str>) -> Self {
        let named = model.map(SmolStr::from).or_else(|| plan.agent.model.as_ref().map(|model| model.node.clone()));
        let model = named.or_else(|| transcript.model.clone());
        let known = model.as_deref().and_then(model::find);
        let points = points(transcript);
        let fitted = model::calibrate(&points);
        let counter = fitted.map_or_else(Estimate::default, |fitted| Estimate::scaled(fitted.factor));
        let tokens = match (tokens, points.is_empty()) {
            (Tokens::Best, true) => Tokens::Estimate,
            (Tokens::Best, false) => Tokens::Reported,
            (tokens, _) => tokens,
        };
        let declared = plan.agent.tools.iter().flatten().cloned();
        Self {
            window: Self::window(plan, transcript, window, known.map(|model| model.window)),
            model,
            prices: known.and_then(|model| model.prices),
            tokens,
            counter,
            overhead: overhead(plan, transcript, fitted, counter),
            error: fitted.map(|fitted| fitted.error),
            tools: declared.chain(transcript.tools.iter().map(|tool| tool.name.clone())).collect(),
        }
    }

    fn window(
        plan: &Plan,
        transcript: &Transcript,
        flag: Option<u64>,
        table: Option<u64>,
    ) -> Option<(u64, WindowSource)> {
        let flag = flag.map(|window| (window, WindowSource::Flag));
        let policy = plan.agent.window.map(|window| (window.node, WindowSource::Policy));
        let recorded = transcript.window.map(|window| (window, WindowSource::Recording));
        flag.or(policy).or(recorded).or_else(|| table.map(|window| (window, WindowSource::Model)))
    }
}

/// For each reply with usage: the tokens of the context as the plain estimate counts them, and as they were recorded.
fn points(transcript: &Transcript) -> Vec<(u64, u64)> {
    if transcript.messages.iter().all(|message| message.usage.is_none()) {
        return Vec::new();
    }
    let counter = Estimate::default();
    let (mut prompt, mut counted, mut leading) = (0, 0, true);
    let mut points = Vec::new();
    for message in &transcript.messages {
        leading &= message.role == Role::System;
        let tokens = counter.message(message);
        if leading {
            prompt += tokens;
        }
        if message.resets {
            counted = prompt;
        }
        if let Some(usage) = message.usage.filter(|usage| usage.context() > 0 && message.role == Role::Assistant) {
            points.push((counted, usage.context()));
        }
        counted += tokens;
    }
    points
}

/// What is sent beside the messages: as calibrated, else what the tools' schemas count, else what the policy says.
fn overhead(plan: &Plan, transcript: &Transcript, fitted: Option<Calibration>, counter: Estimate) -> u64 {
    if let Some(fitted) = fitted {
        return fitted.overhead;
    }
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
