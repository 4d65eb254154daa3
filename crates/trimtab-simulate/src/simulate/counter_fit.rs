//! Fits the counter and the overheads to the recorded usage, call by call.
//!
//! Each call with usage is predicted from the calls before it. The error in reports and the figures of `calibrate` are
//! those of these predictions.

use trimtab_base::conversation::{Counter, Usage};
use trimtab_base::quantity::Decimal;
use trimtab_model::model::{Calibration, ContextSize, Overhead, TokenCounter};
use trimtab_recordings::transcript::{Live, Transcript};
use trimtab_run::run::ArrivedTokens;

use super::recorded_tokens::RecordedTokens;
use super::segment::RecordedCall;

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

/// What the fit predicted for a call with usage from the calls before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The call.
    pub call: usize,
    /// Whether it is the first call after a reset of the context.
    pub is_after_reset: bool,
    /// The recorded size of its context.
    pub recorded: u64,
    /// The predicted size, or `None` for the first call with usage.
    pub size: Option<u64>,
    /// The recorded and the predicted growth of the context since the previous call with usage, or `None` if a reset is in
    /// between or the context did not grow.
    pub growth: Option<Growth>,
}

/// By how many tokens a context grew between two calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// As recorded.
    pub recorded: u64,
    /// As predicted.
    pub predicted: i128,
}

/// The counter, the overhead of each call, and their error.
pub(super) struct Fit {
    pub(super) counter: TokenCounter,
    pub(super) overheads: Vec<u64>,
    pub(super) overhead: OverheadSource,
    pub(super) error: Option<Decimal>,
    pub(super) usage_points: usize,
    pub(super) predictions: Vec<Prediction>,
    /// Counted tokens as the provider counts them.
    pub(super) recorded_tokens: RecordedTokens,
}

/// Predicts each call from the calls before it.
///
/// If counted content disappears without a record, because the harness has compacted, the recorded usage first shows it at
/// this call and confirms it at the next one. Both are predicted with the calibration from before, as if nothing had
/// disappeared.
#[derive(Default)]
struct Predictor {
    /// The calibration from before the drop.
    before: Option<Calibration>,
    /// The counted tokens that have disappeared.
    dropped: u64,
    /// The number of calls with usage that are still predicted as if nothing had disappeared.
    left: u8,
}

impl Predictor {
    /// Records that counted tokens have disappeared before the next call.
    fn drop_tokens(&mut self, dropped: u64, calibration: &Calibration) {
        if dropped == 0 {
            return;
        }
        if self.left == 0 {
            (self.before, self.dropped) = (Some(calibration.clone()), 0);
        }
        (self.dropped, self.left) = (self.dropped.saturating_add(dropped), 2);
    }

    fn predict(&mut self, size: ContextSize, calibration: &Calibration) -> Option<u64> {
        match &self.before {
            Some(before) if self.left > 0 => {
                self.left -= 1;
                before.predict(ContextSize { counted: size.counted.saturating_add(self.dropped), ..size })
            }
            _ => calibration.predict(size),
        }
    }
}

/// Fits the factor of `base` and the overheads to the usage. The fit starts with `family_factor`, that of the model's family,
/// and keeps it if there is no usage. `fallback_overhead` is the overhead for a counter if there is no usage.
pub(super) fn fit(
    calls: &[RecordedCall],
    base: TokenCounter,
    family_factor: Decimal,
    fallback_overhead: impl Fn(TokenCounter) -> (u64, OverheadSource),
) -> Fit {
    let mut calibration = if base.is_exact() { Calibration::of_exact() } else { Calibration::new(family_factor) };
    let mut predictor = Predictor::default();
    let (mut predictions, mut previous, mut is_after_reset) = (Vec::new(), None, false);
    for (at, call) in calls.iter().enumerate() {
        predictor.drop_tokens(call.dropped, &calibration);
        if call.starts_segment {
            calibration.begin_segment();
            (previous, is_after_reset) = (None, at > 0);
        }
        if let Some(recorded) = call.recorded {
            let size = predictor.predict(call.size, &calibration);
            let growth = previous.and_then(|previous| growth(&calibration, previous, (call.size, recorded)));
            let is_after_reset = std::mem::take(&mut is_after_reset);
            predictions.push(Prediction { call: at, is_after_reset, recorded, size, growth });
            calibration.add_predicted(size, call.size, recorded);
            previous = Some((call.size, recorded));
        }
    }
    let (error, usage_points) = (calibration.error(), calibration.points());
    if usage_points == 0 {
        let counter = if base.is_exact() { base } else { base.with_factor(family_factor) };
        let (tokens, overhead) = fallback_overhead(counter);
        return Fit {
            counter,
            overheads: vec![tokens; calls.len().max(1)],
            overhead,
            error,
            usage_points,
            predictions,
            recorded_tokens: RecordedTokens::default(),
        };
    }
    let counter = if base.is_exact() { base } else { base.with_factor(calibration.factor()) };
    let overheads = overheads(calls, counter.factor());
    let (overhead, recorded_tokens) = (OverheadSource::Usage, RecordedTokens::default());
    Fit { counter, overheads, overhead, error, usage_points, predictions, recorded_tokens }
}

/// Returns the growth between two calls, given as sizes and recorded tokens, or `None` if the context did not grow.
fn growth(calibration: &Calibration, before: (ContextSize, u64), after: (ContextSize, u64)) -> Option<Growth> {
    let recorded = after.1.checked_sub(before.1)?;
    Some(Growth { recorded, predicted: calibration.growth(before.0, after.0) })
}

/// The counter and the overheads of a live session, which knew only the calls before each call.
pub(super) fn live_fit(transcript: &Transcript, live: &Live, calls: &[RecordedCall], family_factor: Decimal) -> Fit {
    let Fit { counter: fitted, error, usage_points, predictions, .. } =
        fit(calls, TokenCounter::default(), family_factor, |_| (0, OverheadSource::Recording));
    let counter = TokenCounter::scaled(live.counter_factor());
    let recorded_tokens = match usage_points {
        0 => RecordedTokens::default(),
        _ => RecordedTokens::of(counter.factor(), fitted.factor()),
    };
    let (mut arrived, mut measured) = (ArrivedTokens::default(), Overhead::default());
    let mut overheads = Vec::with_capacity(calls.len());
    for message in &transcript.messages {
        if message.resets {
            arrived.reset();
        }
        if message.is_reply() {
            overheads.push(measured.get(Decimal::ONE).unwrap_or(live.overhead));
            let usage = message.usage.map(Usage::context).filter(|context| *context > 0);
            if let Some(usage) = usage {
                measured.add(message.sent.unwrap_or(arrived.get()), usage);
            }
        }
        arrived.add(message, counter.message(message));
    }
    if overheads.is_empty() {
        overheads.push(live.overhead);
    }
    let overhead = if usage_points == 0 { OverheadSource::Policy } else { OverheadSource::Usage };
    Fit { counter, overheads, overhead, error, usage_points, predictions, recorded_tokens }
}

/// The overhead of each call, computed from the calls before it in its segment. The first call of a segment uses its own
/// usage. The overhead includes the tokens of replies that are not counted, such as reasoning.
fn overheads(calls: &[RecordedCall], factor: Decimal) -> Vec<u64> {
    let mut overhead = Overhead::default();
    let mut all: Vec<Option<u64>> = Vec::with_capacity(calls.len());
    let mut is_first = true;
    for call in calls {
        is_first |= call.starts_segment;
        let of_call = |overhead: &Overhead| overhead.besides(call.counted, call.size, factor);
        match call.recorded {
            Some(recorded) if is_first => {
                overhead = Overhead::default();
                overhead.add(call.size, recorded);
                all.push(of_call(&overhead));
                is_first = false;
            }
            Some(recorded) => {
                all.push(of_call(&overhead));
                overhead.add(call.size, recorded);
            }
            // Before the first usage of a segment, that usage is the best evidence.
            None => all.push(of_call(&overhead).filter(|_| !is_first)),
        }
    }
    let mut next = all.iter().rev().flatten().next().copied().unwrap_or(0);
    let mut all: Vec<u64> = all
        .into_iter()
        .rev()
        .map(|overhead| {
            next = overhead.unwrap_or(next);
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
