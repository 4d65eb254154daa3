//! The events of a sample: model calls with their usage, tool calls, and the spans that they are in.

use std::ops::Range;

use foldhash::HashMap;
use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Role, Usage};

use super::message::{self, Attachments, LogMessage};
use crate::transcript::history::{self, Histories, ModelCall};
use crate::transcript::record::Skipped;
use crate::transcript::wire::{self, Count, Indexed, List, Raw, Str, TokenCount};
use crate::transcript::{HarnessCall, HarnessCallKind, Tool, Transcript, limit, tool, usage};

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireEvent<'a> {
    #[serde(borrow)]
    event: Str<'a>,
    timestamp: Str<'a>,
    completed: Str<'a>,
    id: Str<'a>,
    span_id: Str<'a>,
    parent_id: Str<'a>,
    #[serde(rename = "type")]
    kind: Str<'a>,
    name: Str<'a>,
    action: Str<'a>,
    model: Str<'a>,
    input: List<'a>,
    input_refs: List<'a>,
    tools: Option<Raw<'a>>,
    output: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Output<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    choices: List<'a>,
    usage: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Choice<'a> {
    #[serde(borrow)]
    message: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage {
    #[serde(rename = "input_tokens")]
    input: TokenCount,
    #[serde(rename = "output_tokens")]
    output: TokenCount,
    #[serde(rename = "total_tokens")]
    total: TokenCount,
    #[serde(rename = "input_tokens_cache_read")]
    cache_read: TokenCount,
    #[serde(rename = "input_tokens_cache_write")]
    cache_write: TokenCount,
}

/// Usage of Inspect. Whether the input includes the cache depends on the provider, the total always includes it.
fn parse_usage(raw: Option<Raw<'_>>) -> Option<Usage> {
    let wire: WireUsage = raw.and_then(Raw::object)?;
    let recorded = [wire.input, wire.cache_read, wire.cache_write, wire.output, wire.total];
    let usage = usage::usage(recorded, |[input, cache_read, cache_write, output, total]| {
        let context = Some(total.saturating_sub(output)).filter(|context| *context > 0);
        let input = context.map_or(input, |all| all.saturating_sub(cache_read).saturating_sub(cache_write));
        Usage { input, cache_read, cache_write, output, ..Usage::default() }
    });
    Some(usage).filter(|usage| usage.total() > 0)
}

/// A span of events.
struct Span {
    parent: SmolStr,
    kind: SmolStr,
    name: SmolStr,
}

/// A reply of a model event.
struct Reply<'a> {
    id: SmolStr,
    key: u64,
    message: Message,
    /// The messages that it answers, and where others are in the pool. Only those of sub-agents are parsed.
    input: Vec<Raw<'a>>,
    refers: Vec<Range<usize>>,
    tools: Vec<Tool>,
    agent: Option<SmolStr>,
    /// Whether a scorer made the call.
    is_scoring: bool,
    is_used: bool,
}

/// The events of a sample.
#[derive(Default)]
pub(super) struct Events<'a> {
    replies: Vec<Reply<'a>>,
    /// When each tool call ended.
    results: HashMap<SmolStr, SmolStr>,
    spans: HashMap<SmolStr, Span>,
    /// The number of open steps of scorers, in old logs.
    scorer_steps: usize,
    /// The tools of the first call with any.
    pub(super) tools: Vec<Tool>,
}

impl<'a> Events<'a> {
    pub(super) fn add(&mut self, raw: Raw<'a>, attachments: &Attachments<'_>, skipped: &mut Skipped) {
        let Some(event) = raw.object::<WireEvent<'a>>() else {
            return skipped.count("non-object event");
        };
        let text = |text: &Str<'_>| text.non_empty().unwrap_or_default();
        match event.event.as_str() {
            "model" => self.add_reply(&event, attachments, skipped),
            "tool" => drop(self.results.insert(text(&event.id), text(&event.completed))),
            "span_begin" => {
                let [parent, kind, name] = [&event.parent_id, &event.kind, &event.name].map(text);
                self.spans.insert(text(&event.id), Span { parent, kind, name });
            }
            "step" if event.kind.as_str() == "scorer" && event.action.as_str() == "begin" => self.scorer_steps += 1,
            "step" if event.kind.as_str() == "scorer" => self.scorer_steps = self.scorer_steps.saturating_sub(1),
            _ => {}
        }
    }

    fn add_reply(&mut self, event: &WireEvent<'a>, attachments: &Attachments<'_>, skipped: &mut Skipped) {
        let Some(output) = event.output.and_then(Raw::object::<Output<'_>>) else {
            return skipped.count("model call without a reply");
        };
        let choice = output.choices.0.iter().flatten().next().copied().and_then(Raw::object::<Choice<'_>>);
        let raw = choice.and_then(|choice| choice.message);
        let Some(LogMessage { id, mut message, .. }) = raw.and_then(|raw| message::parse(raw, attachments, skipped))
        else {
            return skipped.count("model call without a reply");
        };
        message.usage = parse_usage(output.usage);
        message.at = event.completed.non_empty().or_else(|| event.timestamp.non_empty());
        let models = [message.model.take(), output.model.non_empty(), event.model.non_empty()];
        message.model = models.into_iter().flatten().next();
        let (is_scoring, agent) = self.find_owner(event.span_id.as_str());
        let refers = event.input_refs.0.iter().flatten().filter_map(|range| bounds(*range)).collect();
        let input = event.input.0.clone().unwrap_or_default();
        let resolved = event.tools.and_then(|raw| attachments.resolve(raw));
        let resolved = resolved.as_deref().and_then(Indexed::of);
        let tools = tool::parse_tools(resolved.as_ref().map(Indexed::raw).or(event.tools));
        let key = history::by_ids(&message);
        self.replies.push(Reply { id, key, message, input, refers, tools, agent, is_scoring, is_used: false });
    }

    /// Returns whether a span belongs to a scorer, and the innermost agent that it belongs to.
    fn find_owner(&self, span: &str) -> (bool, Option<SmolStr>) {
        let (mut is_scoring, mut agent, mut next) = (self.scorer_steps > 0, None, self.spans.get(span));
        // The links may form a cycle.
        for _ in 0..=self.spans.len() {
            let Some(span) = next else { break };
            is_scoring |= matches!(span.kind.as_str(), "scorer" | "scorers");
            if span.kind == "agent" && agent.is_none() {
                agent = Some(span.name.clone());
            }
            next = self.spans.get(&span.parent);
        }
        (is_scoring, agent)
    }

    /// Gives the messages the usage, times and models of the events. The output of the sample stands for an event of its
    /// last reply if there is none.
    pub(super) fn complete(&mut self, messages: &mut [LogMessage], output: Option<Raw<'_>>) {
        let (mut last_unmatched, mut first_unused) = (None, 0);
        for LogMessage { id, message, .. } in messages {
            let ended =
                message.results().next().and_then(|result| self.results.get(&result.id)).filter(|at| !at.is_empty());
            message.at = ended.cloned();
            if message.role != Role::Assistant {
                continue;
            }
            let key = history::by_ids(message);
            let matches = |reply: &&mut Reply| !reply.is_used && !reply.is_scoring && reply.is(id, key);
            first_unused += self.replies[first_unused..].iter().take_while(|reply| reply.is_used).count();
            let Some(reply) = self.replies[first_unused..].iter_mut().find(matches) else {
                last_unmatched = Some(message);
                continue;
            };
            reply.is_used = true;
            message.usage = reply.message.usage;
            message.at.clone_from(&reply.message.at);
            message.model = message.model.take().or_else(|| reply.message.model.clone());
            if self.tools.is_empty() {
                self.tools = std::mem::take(&mut reply.tools);
            }
            last_unmatched = None;
        }
        let output: Output<'_> = wire::parse_or_default(output);
        if let Some(message) = last_unmatched {
            message.usage = parse_usage(output.usage);
            message.model = message.model.take().or_else(|| output.model.non_empty());
        }
    }

    /// The calls that belong to no agent and whose replies are not messages of the sample. Where they happened among the
    /// messages is not recorded.
    pub(super) fn outside_calls(&self, messages: usize) -> Vec<HarnessCall> {
        let outside = self.replies.iter().filter(|reply| !reply.is_used && !reply.is_scoring && reply.agent.is_none());
        let call = |reply: &Reply<'_>| {
            let Message { usage, model, .. } = &reply.message;
            Some(HarnessCall { messages, kind: HarnessCallKind::Other, usage: (*usage)?, model: model.clone() })
        };
        outside.filter_map(call).collect()
    }

    /// The conversations of sub-agents: of the calls whose replies are not messages of the sample.
    pub(super) fn into_sub_agents(
        self,
        pool: &[Raw<'_>],
        attachments: &Attachments<'_>,
        skipped: &mut Skipped,
    ) -> Vec<Transcript> {
        let (mut histories, mut left) = (Histories::default(), limit::MAX_REFERRED);
        for reply in self.replies.into_iter().filter(|reply| !reply.is_used) {
            if reply.is_scoring {
                skipped.count("model call of a scorer");
            } else if reply.agent.is_none() {
                skipped.count("model call outside the conversation");
            } else {
                let Reply { message, input, refers, tools, agent, .. } = reply;
                let refers = refers.into_iter().filter_map(|range| pool.get(range.start..range.end.min(pool.len())));
                let refers: Vec<&[Raw<'_>]> = refers.collect();
                let Some(rest) = left.checked_sub(refers.iter().map(|range| range.len()).sum()) else {
                    skipped.count("model call beyond the limit of references to messages");
                    continue;
                };
                left = rest;
                let input = input
                    .into_iter()
                    .chain(refers.concat())
                    .filter_map(|raw| message::parse(raw, attachments, skipped));
                let input = input.map(|read| read.message).collect();
                // The agent is part of the conversation, so that none of them is the main one.
                let conversation = agent.clone().unwrap_or_default().into();
                let call = ModelCall { conversation, agent: None, input, reply: Some(message), tools };
                histories.add(call, skipped);
            }
        }
        let transcripts = histories.into_transcripts().into_iter();
        transcripts.map(|transcript| Transcript { agent: Some(SmolStr::new(&transcript.id)), ..transcript }).collect()
    }
}

impl Reply<'_> {
    /// Returns whether this is the message with this id, or without ids, with this key.
    fn is(&self, id: &SmolStr, key: u64) -> bool {
        if id.is_empty() || self.id.is_empty() { self.key == key } else { self.id == *id }
    }
}

/// The positions of messages in the pool, from a list of start and end.
fn bounds(range: Raw<'_>) -> Option<Range<usize>> {
    let mut bounds = range.elements().map_while(|raw| raw.parse::<Count>()?.0);
    let (start, end) = (bounds.next()?, bounds.next()?);
    let [start, end] = [start, end].map(|bound| usize::try_from(bound).unwrap_or(usize::MAX));
    bounds.next().is_none().then_some(start..end)
}
