//! Conversion of recorded messages to the messages of a transcript.

use std::mem;

use serde::Deserialize;
use smol_str::{SmolStr, format_smolstr};
use trimtab_base::conversation::{Body, Cleared, Compaction, HarnessEdits, Message, Part, Role, ToolResult, Usage};

use super::Time;
use super::part::{Tokens, WirePart};
use crate::transcript::call_id::CallIds;
use crate::transcript::compaction::{KEPT_BEYOND_LIMIT, Tail};
use crate::transcript::record::Skipped;
use crate::transcript::wire::{self, Flag, List, Raw, Str};
use crate::transcript::{HarnessCall, HarnessCallKind, time};

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    /// The id, for a message of the database, whose `info` lacks it.
    #[serde(borrow)]
    id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    info: MessageInfo<'a>,
    parts: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct MessageInfo<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    role: Str<'a>,
    #[serde(rename = "modelID")]
    model: Str<'a>,
    summary: Flag,
    /// The agent that wrote the reply; early versions call it the mode.
    agent: Str<'a>,
    mode: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    time: Time,
    #[serde(deserialize_with = "wire::lenient")]
    tokens: Tokens,
    #[serde(deserialize_with = "wire::lenient")]
    error: MessageError<'a>,
}

impl MessageInfo<'_> {
    /// Whether the reply is the summary of a compaction.
    fn is_summary(&self) -> bool {
        self.summary.0 || [&self.agent, &self.mode].into_iter().any(|agent| agent.as_str() == "compaction")
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct MessageError<'a> {
    #[serde(borrow)]
    name: Str<'a>,
}

/// The messages built so far.
#[derive(Default)]
pub(super) struct MessageBuilder {
    messages: Vec<Message>,
    /// The calls that wrote summaries.
    harness_calls: Vec<HarnessCall>,
    call_ids: CallIds,
    /// The last requested compaction, whose summary follows.
    requested: CompactionRequest,
    /// The messages that a compaction can keep.
    tail: Tail,
    /// The results that OpenCode cleared and the times at which it did, until the next message after that.
    clearings: Vec<(u64, SmolStr)>,
}

/// A compaction whose summary follows.
#[derive(Default)]
struct CompactionRequest {
    /// Whether OpenCode compacted by itself.
    automatic: bool,
    /// The id of the first message that stays in the context, after the summary.
    tail_start: Option<SmolStr>,
}

/// One model call of a reply.
#[derive(Default)]
struct Step {
    parts: Vec<Part>,
    results: Vec<(ToolResult, Time)>,
    usage: Option<Usage>,
    started: Option<u64>,
}

impl MessageBuilder {
    /// Adds a recorded message.
    pub(super) fn add(&mut self, raw: Raw<'_>, skipped: &mut Skipped) {
        if !skipped.accepts(&raw) {
            return;
        }
        let message: WireMessage<'_> = raw.object().unwrap_or_default();
        self.tail.begin(message.info.id.non_empty().or_else(|| message.id.non_empty()));
        let parts = message.parts.0.iter().flatten();
        let parts: Vec<WirePart<'_>> = parts.filter_map(|raw| raw.object()).collect();
        match message.info.role.as_str() {
            "user" => self.add_prompt(&message.info, parts, skipped),
            "assistant" if message.info.is_summary() => self.add_summary(&message.info, &parts, skipped),
            "assistant" => self.add_reply(&message.info, parts, skipped),
            _ => skipped.count("message without a known role"),
        }
    }

    /// Returns the messages, and the calls that wrote summaries.
    pub(super) fn finish(self, skipped: &mut Skipped) -> (Vec<Message>, Vec<HarnessCall>) {
        skipped.add(KEPT_BEYOND_LIMIT, self.tail.refused());
        (self.messages, self.harness_calls)
    }

    fn add_prompt(&mut self, info: &MessageInfo<'_>, parts: Vec<WirePart<'_>>, skipped: &mut Skipped) {
        let mut bodies = Vec::new();
        let mut harness = true;
        for part in parts {
            match (part.kind.as_str(), part.image()) {
                ("text", _) if part.ignored.0 => skipped.count("ignored text"),
                ("text", _) => {
                    harness &= part.synthetic.0;
                    bodies.push(Body::Text(part.text.0.unwrap_or_default()));
                }
                ("file", Some(image)) => {
                    harness = false;
                    bodies.push(image);
                }
                ("compaction", _) => {
                    let tail_start = part.tail_start_id.non_empty();
                    self.requested = CompactionRequest { automatic: part.auto.0, tail_start };
                }
                (kind, _) => skipped.count(kind),
            }
        }
        if !bodies.is_empty() {
            let parts = bodies.into_iter().map(Part::new).collect();
            self.push(Message { harness, ..Message::new(Role::User, parts) }, info.time.created.0);
        }
    }

    /// Adds the summary of a compaction, with which the context begins anew, and copies of the messages that stay.
    fn add_summary(&mut self, info: &MessageInfo<'_>, parts: &[WirePart<'_>], skipped: &mut Skipped) {
        let CompactionRequest { automatic, tail_start } = mem::take(&mut self.requested);
        let mut usages: Vec<Usage> = parts.iter().filter_map(WirePart::usage).collect();
        if usages.is_empty() {
            usages.extend(info.tokens.usage());
        }
        let (messages, kind, model) = (self.messages.len(), HarnessCallKind::Summary, info.model.non_empty());
        let calls = usages.iter().map(|usage| HarnessCall { messages, kind, usage: *usage, model: model.clone() });
        self.harness_calls.extend(calls);
        let texts = parts.iter().filter(|part| part.kind.as_str() == "text").filter_map(|part| part.text.0.clone());
        let texts: Vec<_> = texts.filter(|text| !text.is_empty()).map(Part::text).collect();
        // After a failed call the context stays as it is.
        if texts.is_empty() || info.error.name.non_empty().is_some() {
            skipped.count("compaction without a summary");
            return;
        }
        // The call that writes the summary has another system prompt and no tools.
        let tokens = self.last_size();
        let mut message = Message { harness: true, resets: true, ..Message::new(Role::User, texts) };
        let compaction = Some(Compaction { automatic, tokens, ..Compaction::default() });
        message.harness_edits = Some(Box::new(HarnessEdits { compaction, ..HarnessEdits::default() }));
        let kept = tail_start.map(|first| self.tail.since(&first)).unwrap_or_default();
        self.push(message, info.time.created.0);
        for index in kept {
            let copy = self.messages[index].kept_copy();
            self.messages.push(copy);
        }
    }

    /// The size of the context after the last reply, which OpenCode compares with its limit.
    fn last_size(&self) -> Option<u64> {
        let begins = self.messages.iter().rposition(|message| message.resets).unwrap_or(0);
        let replies = self.messages[begins..].iter().filter(|message| message.role == Role::Assistant);
        replies.filter_map(|reply| reply.usage).next_back().map(Usage::total)
    }

    fn add_reply(&mut self, info: &MessageInfo<'_>, parts: Vec<WirePart<'_>>, skipped: &mut Skipped) {
        let mut steps = self.split_steps(parts, skipped);
        if let ([step], Some(usage)) = (steps.as_mut_slice(), info.tokens.usage()) {
            step.usage.get_or_insert(usage);
        }
        if steps.is_empty() {
            let name = info.error.name.non_empty();
            skipped.count(&name.map_or("empty reply".into(), |name| format_smolstr!("failed reply:{name}")));
        }
        let model = info.model.non_empty();
        for (index, step) in steps.into_iter().enumerate() {
            let at = info.time.created.0.filter(|_| index == 0).or(step.started).or(info.time.created.0);
            let reply =
                Message { model: model.clone(), usage: step.usage, ..Message::new(Role::Assistant, step.parts) };
            self.push(reply, at);
            for (result, time) in step.results {
                let id = result.id.clone();
                let part = Part::new(Body::ToolResult(Box::new(result)));
                self.push(Message::new(Role::Tool, vec![part]), time.end.0);
                self.clearings.extend(time.compacted.0.map(|at| (at, id)));
            }
        }
    }

    /// Splits a reply into its steps that have content or usage.
    fn split_steps(&mut self, parts: Vec<WirePart<'_>>, skipped: &mut Skipped) -> Vec<Step> {
        let mut steps = vec![Step::default()];
        let mut is_open = true;
        for part in parts {
            if !is_open || part.kind.as_str() == "step-start" {
                steps.push(Step::default());
                is_open = true;
            }
            let Some(step) = steps.last_mut() else { continue };
            step.started = step.started.or(part.time.start.0).or(part.state.time.start.0);
            match part.kind.as_str() {
                "text" => step.parts.push(Part::text(part.text.0.unwrap_or_default())),
                "reasoning" => step.parts.push(Part::new(part.thinking())),
                "tool" => {
                    let id = self.call_ids.next(part.call_id.as_str());
                    step.parts.push(Part::new(part.call(id.clone())));
                    step.results.extend(part.result(id).map(|result| (result, part.state.time)));
                }
                "step-start" => {}
                "step-finish" => {
                    step.usage = part.usage();
                    is_open = false;
                }
                kind => skipped.count(kind),
            }
        }
        steps.retain(|step| !step.parts.is_empty() || step.usage.is_some());
        steps
    }

    /// Adds a message, and to it the clearings since the previous one.
    fn push(&mut self, mut message: Message, at: Option<u64>) {
        message.at = at.and_then(time::from_millis);
        let is_past = |cleared: &(u64, SmolStr)| at.is_some_and(|at| at >= cleared.0);
        let (past, open): (Vec<_>, _) = mem::take(&mut self.clearings).into_iter().partition(is_past);
        self.clearings = open;
        if !past.is_empty() {
            let results = past.into_iter().map(|(_, id)| id).collect();
            message.harness_edits.get_or_insert_default().cleared = Some(Cleared { results, tokens: None });
        }
        self.tail.push(self.messages.len());
        self.messages.push(message);
    }
}
