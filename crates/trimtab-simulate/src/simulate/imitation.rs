//! Natural experiments: what a replay predicts of the calls after a recorded compaction or clearing, without their usage.

use std::sync::Arc;

use trimtab_base::conversation::{Message, Usage};
use trimtab_base::quantity::Decimal;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::Transcript;

use super::interval::ErrorAmounts;
use super::options::Options;
use super::replay::replay;
use super::summariser::FailingSummariser;

/// The most calls after an event that are predicted.
const MAX_CALLS: usize = 20;

/// The most events of a transcript that are imitated, because each is a replay of its own.
const MAX_EVENTS: usize = 16;

/// A figure that was predicted and recorded, and the interval of the prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// The prediction.
    pub predicted: Decimal,
    /// What was recorded.
    pub recorded: Decimal,
    /// How much less than predicted it may be.
    pub below: Decimal,
    /// How much more than predicted it may be.
    pub above: Decimal,
}

impl Predicted {
    /// Whether the recorded figure is within the interval.
    pub fn is_held(&self) -> bool {
        self.recorded >= self.predicted - self.below && self.recorded <= self.predicted + self.above
    }
}

/// What the recorded harness did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImitatedEvent {
    /// It replaced the history by a summary.
    Compaction,
    /// It cleared tool results.
    Clearing,
    /// The context began anew.
    Cleared,
}

/// Every kind of event, in the order of reports.
pub static IMITATED_EVENTS: [ImitatedEvent; 3] =
    [ImitatedEvent::Compaction, ImitatedEvent::Clearing, ImitatedEvent::Cleared];

impl ImitatedEvent {
    fn of(message: &Message) -> Option<Self> {
        match message.resets {
            true if message.compaction().is_some() => Some(Self::Compaction),
            true => Some(Self::Cleared),
            false => message.cleared().map(|_| Self::Clearing),
        }
    }

    /// The word in machine-readable output.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Clearing => "clearing",
            Self::Cleared => "cleared_context",
        }
    }

    /// The name in reports for people.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Clearing => "clearing",
            Self::Cleared => "cleared context",
        }
    }
}

/// The calls after a recorded compaction or clearing, predicted from what was known at that event and from the texts
/// that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imitation {
    /// What the harness did.
    pub event: ImitatedEvent,
    /// The tokens that the calls send.
    pub tokens: Predicted,
    /// What they cost in US dollars, or `None` if a price is unknown.
    pub cost: Option<Predicted>,
}

/// The imitations of the recorded events after which at least one call has usage, oldest first.
pub fn imitations(plan: &Plan, transcript: &Transcript, options: &Options) -> Vec<Imitation> {
    let is_event = |at: &usize| ImitatedEvent::of(&transcript.messages[*at]).is_some();
    let events: Vec<usize> = (1..transcript.messages.len()).filter(is_event).collect();
    let next = |event: usize| events.iter().copied().find(|next| *next > event).unwrap_or(transcript.messages.len());
    let imitated = events.iter().filter_map(|event| imitate(plan, transcript, options, *event..next(*event)));
    imitated.take(MAX_EVENTS).collect()
}

/// Predicts the calls of a stretch of messages that begins with the event.
fn imitate(
    plan: &Plan,
    transcript: &Transcript,
    options: &Options,
    stretch: std::ops::Range<usize>,
) -> Option<Imitation> {
    let event = ImitatedEvent::of(transcript.messages.get(stretch.start)?)?;
    let replies = |range: std::ops::Range<usize>| range.filter(|at| transcript.messages[*at].is_reply());
    let usage = |at: usize| transcript.messages[at].usage.filter(|usage| usage.context() > 0);
    let before = 0..stretch.start;
    let predicted: Vec<usize> = replies(stretch).take(MAX_CALLS).take_while(|at| usage(*at).is_some()).collect();
    let end = predicted.last()? + 1;
    let last = replies(before.clone()).filter_map(usage).next_back()?;
    let first_call = replies(before).count();
    let mut stripped = transcript.clone();
    stripped.messages.truncate(end);
    stripped.harness_calls.retain(|call| call.messages < end);
    for at in &predicted {
        let reply = Arc::make_mut(&mut stripped.messages[*at]);
        // The output is the model's answer and no prediction.
        reply.usage =
            reply.usage.map(|usage| Usage { output: usage.output, service: usage.service, ..Usage::default() });
    }
    let options = Options { per_call: true, ..options.clone() };
    let trace = replay(plan, &stripped, &options, &mut FailingSummariser, &mut |_| {});
    let calls = trace.calls.get(first_call..)?;
    let sizes: Vec<u64> = calls.iter().map(|call| call.before).collect();
    let recorded: Vec<Usage> = predicted.iter().filter_map(|at| usage(*at)).collect();
    if sizes.len() != recorded.len() {
        return None;
    }
    let freed = Decimal::from(last.context().saturating_sub(sizes[0])) * Decimal::from(sizes.len());
    let (below, above) = ErrorAmounts { taken: freed, ..ErrorAmounts::default() }.errors();
    let tokens = Predicted {
        predicted: sizes.iter().map(|size| Decimal::from(*size)).sum(),
        recorded: recorded.iter().map(|usage| Decimal::from(usage.context())).sum(),
        below,
        above,
    };
    let prices = trace.pricing.per_call.as_ref()?.get(first_call..)?;
    let prices: Option<Vec<_>> = prices.iter().map(|call| call.prices).collect();
    let cost = prices.and_then(|prices| {
        let modelled = trace.money.calls.get(first_call..)?;
        let mut sum = [Decimal::ZERO; 2];
        for ((prices, (modelled, _)), recorded) in prices.iter().zip(modelled).zip(&recorded) {
            sum[0] += prices.cost(*modelled)?;
            sum[1] += prices.cost(*recorded)?;
        }
        let first = prices.first()?;
        let million = Decimal::from(1_000_000);
        let taken = freed * first.cache_read / million;
        let rewritten = Decimal::from(sizes[0]) * (first.cache_write - first.cache_read) / million;
        let amounts = ErrorAmounts { taken, breaks: rewritten, ..ErrorAmounts::default() };
        let (below, above) = amounts.errors();
        Some(Predicted { predicted: sum[0], recorded: sum[1], below, above })
    });
    Some(Imitation { event, tokens, cost })
}
