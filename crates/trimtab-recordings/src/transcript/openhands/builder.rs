//! The messages built from events, whatever their version.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use serde_json::Value as Json;
use smol_str::{SmolStr, ToSmolStr};
use trimtab_base::conversation::{Body, Cleared, Compaction, HarnessEdits, Message, Part, Role, ToolResult, Usage};

use super::view::{Kept, View};
use crate::transcript::compaction::KEPT_BEYOND_LIMIT;
use crate::transcript::record::Skipped;
use crate::transcript::wire::TokenCount;
use crate::transcript::{HarnessCall, HarnessCallKind, Tool, usage};

/// The messages built so far.
#[derive(Default)]
pub(super) struct MessageBuilder {
    messages: Vec<Message>,
    pub(super) tools: Vec<Tool>,
    /// The usage of responses, by id.
    usages: HashMap<SmolStr, ResponseUsage>,
    /// The number of messages before the summary that each response wrote.
    summaries: HashMap<SmolStr, usize>,
    /// The index of the reply of each response.
    responses: HashMap<SmolStr, usize>,
    /// The ids of all calls.
    calls: HashSet<SmolStr>,
    /// The events with results, and the ids of their calls.
    results: Vec<(SmolStr, SmolStr)>,
    /// Results cleared before the next message.
    cleared: Vec<SmolStr>,
    /// What the model sees.
    view: View,
}

/// The usage of a response.
struct ResponseUsage {
    /// The number of responses whose usage is recorded before it.
    position: usize,
    usage: Usage,
    model: Option<SmolStr>,
}

/// A response of the model, or the part of it that one action contains.
#[derive(Default)]
pub(super) struct Reply {
    /// The id of the event; empty if unknown.
    pub(super) event: SmolStr,
    /// The id of the response; empty if unknown.
    pub(super) response: SmolStr,
    pub(super) parts: Vec<Part>,
    pub(super) usage: Option<Usage>,
    pub(super) model: Option<SmolStr>,
    pub(super) at: Option<SmolStr>,
}

/// What the harness forgot.
#[derive(Default)]
pub(super) struct Condensation {
    /// The ids of events.
    pub(super) forgotten: HashSet<SmolStr>,
    pub(super) summary: Option<Arc<str>>,
    /// The number of events before the summary among those that stay.
    pub(super) offset: Option<u64>,
    /// The id of the response that wrote the summary; empty if unknown.
    pub(super) response: SmolStr,
    pub(super) at: Option<SmolStr>,
}

impl MessageBuilder {
    /// Collects the usage of responses from metrics, which contain lists `token_usages`.
    pub(super) fn add_usages(&mut self, metrics: &Json) {
        let Json::Object(map) = metrics else { return };
        for (key, value) in map {
            match value {
                Json::Array(usages) if key == "token_usages" => {
                    for (id, usage, model) in usages.iter().filter_map(response_usage) {
                        let position = self.usages.len();
                        self.usages.entry(id).or_insert(ResponseUsage { position, usage, model });
                    }
                }
                value => self.add_usages(value),
            }
        }
    }

    /// Adds the message of an event.
    pub(super) fn push(&mut self, event: SmolStr, message: Message) {
        self.view.push(event, (message.role != Role::System).then_some(self.messages.len()));
        self.add(message);
    }

    /// Adds an event that the model sees and that is not read.
    pub(super) fn push_unread(&mut self, event: SmolStr) {
        self.view.push(event, None);
    }

    fn add(&mut self, mut message: Message) {
        if !self.cleared.is_empty() {
            let results = std::mem::take(&mut self.cleared);
            message.harness_edits.get_or_insert_default().cleared = Some(Cleared { results, tokens: None });
        }
        self.messages.push(message);
    }

    /// Adds a reply, or the parts that an earlier action of the same response has not added.
    pub(super) fn push_reply(&mut self, reply: Reply) {
        let Reply { event, response, parts, usage, model, at } = reply;
        self.calls.extend(parts.iter().filter_map(call_id).cloned());
        let earlier = self.responses.get(&response).copied().filter(|_| !response.is_empty());
        if let Some(message) = earlier.and_then(|index| self.messages.get_mut(index)) {
            self.view.push(event, earlier);
            for part in parts {
                if !message.parts.contains(&part) {
                    message.parts.push(part);
                }
            }
            return;
        }
        self.push(event, Message { usage, at, model, ..Message::new(Role::Assistant, parts) });
        self.responses.insert(response, self.messages.len() - 1);
    }

    /// Adds a result, or a message of the harness if no call has its id. A result that only its text shows to be an error is an
    /// inferred one.
    pub(super) fn push_result(
        &mut self,
        event: SmolStr,
        mut result: ToolResult,
        inferred_error: bool,
        at: Option<SmolStr>,
    ) {
        result.is_error |= inferred_error;
        let message = if self.calls.contains(&result.id) {
            self.results.push((event.clone(), result.id.clone()));
            Message { inferred_error, ..Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))]) }
        } else {
            let text = Some(Part::text(std::mem::take(&mut result.text)));
            let parts = text.into_iter().chain(result.attachments.into_iter().map(Part::new)).collect();
            Message { harness: true, ..Message::new(Role::User, parts) }
        };
        self.push(event, Message { at, ..message });
    }

    /// Adds a condensation.
    pub(super) fn condense(&mut self, condensation: Condensation) {
        let Condensation { forgotten, summary, offset, response, at } = condensation;
        self.summaries.insert(response, self.messages.len());
        if let Some(summary) = summary.filter(|summary| !summary.is_empty()) {
            let kept = self.view.summarise(&forgotten, offset);
            self.compact(Message { at, harness: true, ..Message::text(Role::User, summary) }, &kept);
            return;
        }
        self.view.forget(&forgotten);
        let is_forgotten = |result: &(SmolStr, SmolStr)| forgotten.contains(&result.0);
        let (gone, kept): (Vec<_>, _) = std::mem::take(&mut self.results).into_iter().partition(is_forgotten);
        self.results = kept;
        self.cleared.extend(gone.into_iter().map(|(_, call)| call));
    }

    /// Begins the context anew with a summary and copies of the messages that stay.
    fn compact(&mut self, summary: Message, kept: &Kept) {
        let copies = |indexes: &[usize]| -> Vec<Message> {
            indexes.iter().map(|index| self.messages[*index].kept_copy()).collect()
        };
        let (before, after) = (copies(&kept.before_summary), copies(&kept.after_summary));
        for (at, mut message) in before.into_iter().chain([summary]).chain(after).enumerate() {
            if at == 0 {
                let compaction = Some(Compaction { automatic: true, ..Compaction::default() });
                message.harness_edits = Some(Box::new(HarnessEdits { compaction, ..HarnessEdits::default() }));
                message.resets = true;
            }
            self.add(message);
        }
    }

    /// Returns the messages, the declared tools, and the calls whose response is not among the messages.
    pub(super) fn finish(mut self, skipped: &mut Skipped) -> (Vec<Message>, Vec<Tool>, Vec<HarnessCall>) {
        skipped.add(KEPT_BEYOND_LIMIT, self.view.refused());
        let mut others = Vec::new();
        for (id, stated) in self.usages {
            if let Some(reply) = self.responses.get(&id).and_then(|index| self.messages.get_mut(*index)) {
                reply.usage = reply.usage.or(Some(stated.usage));
            } else {
                let summary = self.summaries.get(&id).copied();
                let kind = summary.map_or(HarnessCallKind::Other, |_| HarnessCallKind::Summary);
                others.push((summary.unwrap_or(self.messages.len()), kind, stated));
            }
        }
        others.sort_by_key(|(messages, _, stated)| (*messages, stated.position));
        let call = |(messages, kind, stated): (usize, HarnessCallKind, ResponseUsage)| HarnessCall {
            messages,
            kind,
            usage: stated.usage,
            model: stated.model,
        };
        (self.messages, self.tools, others.into_iter().map(call).collect())
    }
}

fn call_id(part: &Part) -> Option<&SmolStr> {
    match &part.body {
        Body::ToolCall { id, .. } => Some(id),
        _ => None,
    }
}

/// The usage of one response. The prompt includes the cache.
fn response_usage(json: &Json) -> Option<(SmolStr, Usage, Option<SmolStr>)> {
    let response = json.get("response_id")?.as_str().filter(|id| !id.is_empty())?.to_smolstr();
    let recorded = ["prompt_tokens", "cache_read_tokens", "cache_write_tokens", "completion_tokens"];
    let recorded = recorded.map(|key| json.get(key).map(TokenCount::of).unwrap_or_default());
    let usage = usage::with_larger_cache(recorded);
    Some((response, usage, json.get("model").and_then(Json::as_str).map(SmolStr::new)))
}
