//! The segments of a recording. Within a segment, the recorded context grows only by recorded messages.
//!
//! A segment ends where the harness records that the context was reset, and where the recorded input drops for no recorded
//! reason. Some versions of harnesses clear old tool results without recording it, so such a drop is interpreted as a
//! clearing of the oldest results, or as a reset if those are too small to explain it.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Cleared, Counter, Message, Role, Usage};
use trimtab_base::quantity::{Decimal, whole};
use trimtab_model::model::{ContextSize, Models};
use trimtab_recordings::transcript::{Live, Transcript};

use super::replies::{Count, Replies};
use super::series::{Recorded, UsageDrop};

/// The least drop that is interpreted, in tokens and as a fraction (`1 / MIN_DROP_FRACTION`) of the context before it.
/// Thinking that the provider drops, other tokenizers and other tools cause smaller drops.
const MIN_DROP: u64 = 5_000;
const MIN_DROP_FRACTION: u64 = 10;

/// The most recorded tokens that one removed counted token can explain.
const MAX_FACTOR: u64 = 2;

/// The most drops that are interpreted as clearings; further ones are resets.
const MAX_CLEARINGS: usize = 200;

/// Every recorded call in order, and the drops of the recorded input, by the index of the reply after them.
#[derive(Debug, Default)]
pub(super) struct Segments {
    pub(super) calls: Vec<RecordedCall>,
    pub(super) drops: BTreeMap<usize, UsageDrop>,
}

/// A recorded call.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordedCall {
    /// Whether it is the first call of a segment.
    pub(super) starts_segment: bool,
    /// The tokens of its context by the uncalibrated estimate.
    pub(super) counted: u64,
    /// Its size if the replies in it have as many tokens as the provider counted.
    pub(super) size: ContextSize,
    /// The recorded tokens of its context.
    pub(super) recorded: Option<u64>,
    /// Counted tokens removed by an unrecorded drop before it.
    pub(super) dropped: u64,
    /// The index of its reply.
    message: usize,
    /// Tokens of thinking before the last user message since the previous call: providers drop it.
    dropped_thinking: u64,
}

impl Segments {
    /// The segments of a transcript. `factor` is the usual number of tokens for one that `counter` counts. Without usage there are no
    /// drops, and nothing is counted.
    pub(super) fn of(transcript: &Transcript, models: &Models, factor: Decimal, counter: &dyn Counter) -> Self {
        let drops_reasoning = transcript.main_model().is_some_and(|id| models.drops_reasoning(id));
        let has_usage = transcript.messages.iter().any(|message| message.usage.is_some());
        let counts: Vec<Count> = if has_usage {
            transcript.messages.iter().map(|one| Count::of(one, counter)).collect()
        } else {
            Vec::new()
        };
        let mut drops = BTreeMap::new();
        let changes = tokenizer_changes(transcript, models);
        let (counts, replies) = ((counts.as_slice(), counter), Replies::of(transcript, factor, drops_reasoning));
        let mut calls = walk((transcript, &changes, factor), counts, replies.clone(), &BTreeMap::new(), &mut drops);
        // Of a live session it is known what was sent.
        let unexplained = if transcript.live.is_some() { Vec::new() } else { unexplained_drops(&calls) };
        let sizes: BTreeMap<usize, u64> =
            unexplained.into_iter().map(|(at, tokens)| (at, whole(Decimal::from(tokens) / factor))).collect();
        if !sizes.is_empty() {
            calls = walk((transcript, &changes, factor), counts, replies, &sizes, &mut drops);
        }
        Self { calls, drops }
    }
}

/// The indices of the replies of a model that counts in another way than the model before it.
fn tokenizer_changes(transcript: &Transcript, models: &Models) -> BTreeSet<usize> {
    let (mut changes, mut previous): (_, Option<(&SmolStr, Decimal)>) = (BTreeSet::new(), None);
    for (at, message) in transcript.messages.iter().enumerate().filter(|(_, message)| message.is_reply()) {
        let Some(model) = message.model.as_ref().filter(|model| previous.is_none_or(|(other, _)| other != *model))
        else {
            continue;
        };
        let factor = models.factor(model);
        if previous.is_some_and(|(_, other)| other != factor) {
            changes.insert(at);
        }
        previous = Some((model, factor));
    }
    changes
}

/// Every call. A segment also begins with each change of the tokenizer. Interprets each drop in `sizes`, given in counted tokens.
fn walk(
    (transcript, changes, factor): (&Transcript, &BTreeSet<usize>, Decimal),
    (counts, counter): (&[Count], &dyn Counter),
    mut replies: Replies,
    sizes: &BTreeMap<usize, u64>,
    drops: &mut BTreeMap<usize, UsageDrop>,
) -> Vec<RecordedCall> {
    let (mut calls, mut starts_segment, mut dropped) = (Vec::new(), true, 0);
    // What was sent is counted with the factor of the live session.
    let live_factor = transcript.live.as_ref().map_or(Decimal::ONE, Live::counter_factor);
    let (mut recorded, mut thinking, mut dropped_thinking) = (Recorded::of(transcript, !sizes.is_empty()), 0, 0);
    for (at, message) in transcript.messages.iter().enumerate() {
        if let Some(cleared) = message.cleared() {
            recorded.clear(cleared);
        }
        if message.resets {
            recorded.reset();
            replies.reset();
            starts_segment = true;
        } else if let Some(size) = sizes.get(&at) {
            let (usage_drop, before) = (interpret(&recorded, *size, drops.len()), recorded.counted);
            recorded.apply_drop(&usage_drop);
            if usage_drop == UsageDrop::Reset {
                replies.reset();
            }
            dropped = before.saturating_sub(recorded.counted);
            drops.insert(at, usage_drop);
            starts_segment = true;
        }
        starts_segment |= changes.contains(&at);
        if message.role == Role::User {
            dropped_thinking += std::mem::take(&mut thinking);
        }
        if message.is_reply() {
            let usage = message.usage.map(Usage::context).filter(|context| *context > 0);
            let (starts_segment, dropped) = (std::mem::take(&mut starts_segment), std::mem::take(&mut dropped));
            let counted = message.sent.map_or(recorded.counted, |sent| whole(Decimal::from(sent) / live_factor));
            let size = replies.size(counted);
            calls.push(RecordedCall {
                starts_segment,
                counted,
                size,
                recorded: usage,
                dropped,
                message: at,
                dropped_thinking,
            });
            dropped_thinking = 0;
        }
        if let Some(count) = counts.get(at) {
            thinking += reasoning(message, *count, factor);
            recorded.add(message, count.tokens, counter);
            replies.add(message, *count);
        }
    }
    calls
}

/// The tokens of the reasoning of a message. Some providers do not return it: then it is what the recorded output of the reply
/// has besides the rest.
fn reasoning(message: &Message, count: Count, factor: Decimal) -> u64 {
    let reasons = message.parts.iter().any(|part| matches!(part.body, Body::Thinking { .. }));
    let counted = whole(Decimal::from(count.tokens) * factor);
    let hidden = message.reply_tokens(counted).saturating_sub(counted);
    count.thinking + if reasons && message.is_reply() { hidden } else { 0 }
}

/// Interprets a drop of recorded tokens: as a clearing if the oldest results explain at least half of it, otherwise as a
/// reset.
fn interpret(recorded: &Recorded, size: u64, before: usize) -> UsageDrop {
    let (mut results, mut freed) = (Vec::new(), 0);
    let oldest = (before < MAX_CLEARINGS).then(|| recorded.oldest_results());
    for (id, tokens) in oldest.into_iter().flatten() {
        if freed >= size {
            break;
        }
        freed += tokens;
        results.push(id);
    }
    if MAX_FACTOR * freed >= size { UsageDrop::Cleared(Cleared { results, tokens: None }) } else { UsageDrop::Reset }
}

/// The drops without a recorded reason: the index of the reply after each, and the number of tokens.
fn unexplained_drops(calls: &[RecordedCall]) -> Vec<(usize, u64)> {
    let mut segments: Vec<Vec<RecordedCall>> = Vec::new();
    for call in calls {
        if call.starts_segment || segments.is_empty() {
            segments.push(Vec::new());
        }
        segments.last_mut().into_iter().for_each(|points| points.extend(call.recorded.map(|_| *call)));
    }
    segments.iter().flat_map(|points| drops_within(points)).collect()
}

/// The drops among the calls with usage of one segment.
fn drops_within(points: &[RecordedCall]) -> Vec<(usize, u64)> {
    let pairs = points.windows(2).enumerate();
    let drops = pairs.filter_map(|(at, pair)| {
        let size = unexplained(pair[0], pair[1]);
        // A single low number is a recording error.
        let stays = || points.get(at + 2).is_none_or(|next| unexplained(pair[0], *next) > 0);
        let grown = pair[1].counted.saturating_sub(pair[0].counted);
        (size > 0 && stays()).then_some((pair[1].message, size + grown))
    });
    drops.collect()
}

/// By how many tokens the recorded input dropped from one call to a later one; 0 if recorded events explain it.
fn unexplained(before: RecordedCall, after: RecordedCall) -> u64 {
    let gone = before.counted.saturating_sub(after.counted) + after.dropped_thinking;
    let (from, to) = (before.recorded.unwrap_or(0), after.recorded.unwrap_or(0));
    let size = from.saturating_sub(to).saturating_sub(MAX_FACTOR * gone);
    if size > MIN_DROP.max(from / MIN_DROP_FRACTION) { size } else { 0 }
}
