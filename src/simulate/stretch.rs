//! The stretches of a recording: within one, the recorded context only grows by what is recorded.
//!
//! A stretch ends where the harness says that the context began anew, and where the recorded input falls although nothing
//! recorded explains it. Some versions of harnesses clear old tool results and write nothing about it, so such a fall is
//! taken as a clearing of the oldest results; where these are too small for it, as a context that began anew.

use std::collections::BTreeMap;

use super::series::Recorded;
use crate::conversation::{Body, Cleared, Counter, Message, Role, Usage};
use crate::model::Estimate;
use crate::quantity::{Decimal, whole};
use crate::transcript::Transcript;

/// The least fall that is looked into, in tokens, and as one part in so many of the context before it. Thinking that the
/// provider drops, other tokenizers and other tools make for smaller ones.
const LEAST: u64 = 5_000;
const PART: u64 = 10;

/// How many tokens a counted one stands for at most, when what is gone is to explain a fall.
const MOST: u64 = 2;

/// How many falls are taken as clearings; at further ones the context begins anew.
const CLEARINGS: usize = 200;

/// How a fall without a recorded reason is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fall {
    /// The harness cleared these results.
    Cleared(Cleared),
    /// The context began anew with the open turn.
    Anew,
}

/// Every recorded call in order, and the falls of the recorded input, by the index of the reply before which they are.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    pub(super) calls: Vec<Called>,
    pub(super) falls: BTreeMap<usize, Fall>,
}

/// A recorded call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Called {
    /// Whether a stretch has begun since the call before.
    pub(super) begins: bool,
    /// The tokens of its context as the plain estimate counts them.
    pub(super) counted: u64,
    /// The tokens of its context as they were recorded.
    pub(super) recorded: Option<u64>,
    /// Counted tokens that went with a fall before it, which nothing recorded tells.
    pub(super) fallen: u64,
    /// The index of its reply.
    message: usize,
    /// Thinking since the call before it, in counted tokens, if a user message has come since: providers drop it then.
    dropped: u64,
}

impl Stretches {
    /// The stretches of a transcript; `factor` is the usual number of tokens for a counted one. Without usage there are no
    /// falls, and nothing is counted.
    pub(super) fn of(transcript: &Transcript, factor: Decimal) -> Self {
        let has_usage = transcript.messages.iter().any(|message| message.usage.is_some());
        let counts =
            if has_usage { transcript.messages.iter().map(|one| Count::of(one)).collect() } else { Vec::new() };
        let mut falls = BTreeMap::new();
        let mut calls = walk(transcript, &counts, &BTreeMap::new(), &mut falls);
        let sizes: BTreeMap<usize, u64> =
            fallen(&calls).into_iter().map(|(at, tokens)| (at, whole(Decimal::from(tokens) / factor))).collect();
        if !sizes.is_empty() {
            calls = walk(transcript, &counts, &sizes, &mut falls);
        }
        Self { calls, falls }
    }
}

/// What a message counts by the plain estimate.
#[derive(Clone, Copy, Debug)]
struct Count {
    tokens: u64,
    /// Tokens of its thinking.
    thinking: u64,
}

impl Count {
    fn of(message: &Message) -> Self {
        let counter = Estimate::default();
        let thinking = message.parts.iter().filter(|part| matches!(part.body, Body::Thinking { .. }));
        let thinking = thinking.map(|part| counter.body(&part.body)).sum();
        Self { tokens: counter.message(message), thinking }
    }
}

/// Every call. Where the recorded input falls by one of `sizes`, in counted tokens, it is decided how that is taken.
fn walk(
    transcript: &Transcript,
    counts: &[Count],
    sizes: &BTreeMap<usize, u64>,
    falls: &mut BTreeMap<usize, Fall>,
) -> Vec<Called> {
    let (mut calls, mut begins, mut fallen) = (Vec::new(), true, 0);
    let (mut recorded, mut thinking, mut dropped) = (Recorded::of(transcript, !sizes.is_empty()), 0, 0);
    for (at, message) in transcript.messages.iter().enumerate() {
        if let Some(cleared) = message.cleared() {
            recorded.clear(cleared);
        }
        if message.resets {
            recorded.reset();
            begins = true;
        } else if let Some(size) = sizes.get(&at) {
            let (fall, before) = (taken(&recorded, *size, falls.len()), recorded.counted);
            recorded.fall(&fall);
            fallen = before.saturating_sub(recorded.counted);
            falls.insert(at, fall);
            begins = true;
        }
        if message.role == Role::User {
            dropped += std::mem::take(&mut thinking);
        }
        if message.role == Role::Assistant {
            let usage = message.usage.map(Usage::context).filter(|context| *context > 0);
            let (begins, fallen) = (std::mem::take(&mut begins), std::mem::take(&mut fallen));
            calls.push(Called { begins, counted: recorded.counted, recorded: usage, fallen, message: at, dropped });
            dropped = 0;
        }
        if let Some(count) = counts.get(at) {
            thinking += count.thinking;
            recorded.add(message, count.tokens, &Estimate::default());
        }
    }
    calls
}

/// How a fall of so many recorded tokens is taken: what the oldest results would save explains at least half of it, or the
/// context began anew.
fn taken(recorded: &Recorded, size: u64, before: usize) -> Fall {
    let (mut results, mut freed) = (Vec::new(), 0);
    for (id, tokens) in recorded.oldest_results().take_while(|_| before < CLEARINGS) {
        if freed >= size {
            break;
        }
        freed += tokens;
        results.push(id);
    }
    if MOST * freed >= size { Fall::Cleared(Cleared { results, tokens: None }) } else { Fall::Anew }
}

/// The replies before which the recorded input fell without a reason, and by how many tokens.
fn fallen(calls: &[Called]) -> Vec<(usize, u64)> {
    let mut stretches: Vec<Vec<Called>> = Vec::new();
    for call in calls {
        if call.begins || stretches.is_empty() {
            stretches.push(Vec::new());
        }
        stretches.last_mut().into_iter().for_each(|points| points.extend(call.recorded.map(|_| *call)));
    }
    stretches.iter().flat_map(|points| fallen_within(points)).collect()
}

/// The falls among the calls with usage of one stretch.
fn fallen_within(points: &[Called]) -> Vec<(usize, u64)> {
    let pairs = points.windows(2).enumerate();
    let fell = pairs.filter_map(|(at, pair)| {
        let fall = unexplained(pair[0], pair[1]);
        // One low number among others is an error of the record.
        let stays = || points.get(at + 2).is_none_or(|next| unexplained(pair[0], *next) > 0);
        let grown = pair[1].counted.saturating_sub(pair[0].counted);
        (fall > 0 && stays()).then_some((pair[1].message, fall + grown))
    });
    fell.collect()
}

/// How far the recorded input fell from one call to a later one, in tokens; 0 when what was recorded explains it.
fn unexplained(before: Called, after: Called) -> u64 {
    let gone = before.counted.saturating_sub(after.counted) + after.dropped;
    let (from, to) = (before.recorded.unwrap_or(0), after.recorded.unwrap_or(0));
    let fall = from.saturating_sub(to).saturating_sub(MOST * gone);
    if fall > LEAST.max(from / PART) { fall } else { 0 }
}
