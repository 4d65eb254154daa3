//! The conversation of a session or of a sub-agent.

use std::sync::Arc;

use foldhash::HashMap;
use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Compaction, Message, Part, Role, ToolResult};

use super::{Data, Event, UsageRecord};
use crate::transcript::wire::{self, Content, Raw, Str, Text};
use crate::transcript::{HarnessCall, HarnessCallKind, Transcript, block, compaction, first_model, openai_chat};

/// The messages of a conversation so far.
#[derive(Debug, Default)]
pub(super) struct Thread {
    messages: Vec<Message>,
    /// The event that each message was read from.
    events: Vec<SmolStr>,
    /// The API call of the last reply.
    api_call: Option<SmolStr>,
    /// The index of the reply of each API call; none of one that was left out.
    replies: HashMap<SmolStr, ReplyPlace>,
    /// The number of messages that were rewound.
    pub(super) rewound: usize,
    /// The index of the message that has each call.
    calls: HashMap<SmolStr, usize>,
    /// Reasoning that was recorded before its reply.
    reasoning: Option<Arc<str>>,
    pending_compaction: Option<Compaction>,
    /// The reasoning effort of the next request.
    pub(super) effort: Option<SmolStr>,
    /// The calls that wrote summaries, and those of other branches.
    harness_calls: Vec<HarnessCall>,
}

/// Where the reply of an API call is.
#[derive(Debug)]
enum ReplyPlace {
    /// It is the message with this index.
    Message(usize),
    /// It was rewound.
    Left {
        /// The number of messages that were left.
        messages: usize,
        model: Option<SmolStr>,
    },
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ToolRequest<'a> {
    #[serde(borrow)]
    tool_call_id: Str<'a>,
    name: Str<'a>,
    arguments: Option<Raw<'a>>,
}

impl Thread {
    /// The conversation of the sub-agent that a call started. It begins with the prompt in the arguments of the call.
    pub(super) fn of_sub_agent(parent: &Self, call: &str) -> Self {
        let mut calls =
            parent.calls.get(call).and_then(|at| parent.messages.get(*at)).into_iter().flat_map(Message::calls);
        let arguments = calls.find(|(id, ..)| id.as_str() == call).map(|(_, _, arguments)| arguments);
        let prompt = arguments.and_then(Arguments::parsed);
        let prompt = prompt.as_ref().and_then(|json| json.get("prompt")?.as_str());
        let messages: Vec<_> = prompt.map(|prompt| Message::text(Role::User, prompt)).into_iter().collect();
        let events = messages.iter().map(|_| SmolStr::default()).collect();
        Self { messages, events, ..Self::default() }
    }

    pub(super) fn into_transcript(mut self, transcript: Transcript) -> Transcript {
        self.harness_calls.sort_by_key(|call| (call.messages, call.usage.total()));
        let messages: Vec<_> = self.messages.into_iter().map(Arc::new).collect();
        Transcript {
            model: first_model(&messages).or(transcript.model),
            messages,
            harness_calls: self.harness_calls,
            ..transcript
        }
    }

    /// The number of messages.
    pub(super) const fn len(&self) -> usize {
        self.messages.len()
    }

    /// Takes the usage of its replies.
    pub(super) fn take_usages(&mut self, usages: &mut HashMap<SmolStr, UsageRecord>) {
        for (api_call, place) in &self.replies {
            let Some(record) = usages.remove(api_call) else { continue };
            match *place {
                ReplyPlace::Message(index) => {
                    if let Some(reply) = self.messages.get_mut(index) {
                        reply.usage = record.usage;
                    }
                }
                ReplyPlace::Left { messages, ref model } => {
                    let (kind, model) = (HarnessCallKind::Branch, record.model.or_else(|| model.clone()));
                    let call = record.usage.map(|usage| HarnessCall { messages, kind, usage, model });
                    self.harness_calls.extend(call);
                }
            }
        }
    }

    /// Adds the calls whose replies are no messages, except those of compactions, which have their usage already.
    pub(super) fn add_harness_calls(&mut self, records: Vec<UsageRecord>) {
        let summaries = self.harness_calls.iter().filter(|call| call.kind == HarnessCallKind::Summary);
        let summaries: Vec<_> = summaries.map(|call| call.usage).collect();
        for UsageRecord { usage, model, messages, .. } in records {
            let Some(usage) = usage.filter(|usage| !summaries.contains(usage)) else { continue };
            let (messages, kind) = (messages.min(self.messages.len()), HarnessCallKind::Other);
            self.harness_calls.push(HarnessCall { messages, kind, usage, model });
        }
    }

    /// Adds an event. Returns whether it is part of the conversation.
    pub(super) fn add(&mut self, kind: &str, event: Event<'_>, has_usage: bool) -> bool {
        let id = event.id.non_empty().unwrap_or_default();
        let at = event.timestamp.non_empty();
        let data = event.data;
        let message = match kind {
            "system.message" => text_message(Role::System, data),
            "user.message" => user_message(data),
            "system.notification" => text_message(Role::User, data).map(|one| Message { harness: true, ..one }),
            "assistant.reasoning" => {
                self.reasoning = text(data.content);
                return self.reasoning.is_some();
            }
            "assistant.message" => return self.add_reply(data, (id, at), has_usage),
            "tool.execution_start" => return self.add_call(&data, id, at),
            "tool.execution_complete" => Some(result_message(&data)),
            "session.compaction_complete" => return self.compact(data, id, at),
            "session.snapshot_rewind" => return self.rewind(data.up_to_event_id.as_str()),
            _ => return false,
        };
        message.map(|message| self.push(Message { at, ..message }, id)).is_some()
    }

    fn push(&mut self, mut message: Message, event: SmolStr) {
        compaction::mark_first(&mut message, &mut self.pending_compaction);
        if message.role == Role::User {
            self.api_call = None;
        }
        message.effort = self.effort.clone().filter(|_| message.is_reply());
        let place = self.place(&message);
        self.messages.insert(place, message);
        self.events.insert(place, event);
    }

    /// Where a message stands. The system prompt is recorded when the first request is made, after the message that asks for it.
    fn place(&self, message: &Message) -> usize {
        let is_input = |known: &Message| known.role == Role::User && !known.resets;
        let is_first = message.role == Role::System && self.messages.iter().all(is_input);
        if is_first { 0 } else { self.messages.len() }
    }

    /// Adds a reply, or more of the last one: parts of one response have the same API call. One without content is a reply if
    /// it has usage.
    fn add_reply(&mut self, data: Data<'_>, (event, at): (SmolStr, Option<SmolStr>), has_usage: bool) -> bool {
        let reasoning = data.reasoning_text.0.or_else(|| self.reasoning.take()).filter(|text| !text.is_empty());
        self.reasoning = None;
        let signature = data.reasoning_opaque.get().filter(|text| !text.is_empty()).map(Box::from);
        let mut parts = Vec::new();
        if reasoning.is_some() || signature.is_some() {
            parts.push(Part::new(Body::Thinking { text: reasoning.unwrap_or_default(), signature }));
        }
        parts.extend(text_parts(data.content));
        let requests = data.tool_requests.0.unwrap_or_default().into_iter().filter_map(Raw::object::<ToolRequest<'_>>);
        let requests: Vec<_> = requests.collect();
        parts.extend(requests.iter().map(|request| call(&request.tool_call_id, &request.name, request.arguments)));
        if parts.is_empty() && !has_usage {
            return false;
        }
        let api_call = data.api_call_id.non_empty();
        let is_same = api_call.is_some() && api_call == self.api_call;
        let last = self.messages.iter().rposition(|message| message.role == Role::Assistant);
        let place = if let Some(place) = last.filter(|_| is_same) {
            self.messages[place].parts.extend(parts);
            place
        } else {
            let (place, model) = (self.messages.len(), data.model.non_empty());
            self.push(Message { at, model, ..Message::new(Role::Assistant, parts) }, event);
            self.replies.extend(api_call.clone().map(|id| (id, ReplyPlace::Message(place))));
            place
        };
        self.calls.extend(requests.iter().map(|request| (SmolStr::new(request.tool_call_id.as_str()), place)));
        self.api_call = api_call;
        true
    }

    /// Adds a call that no reply has requested. Returns whether there is none.
    fn add_call(&mut self, data: &Data<'_>, event: SmolStr, at: Option<SmolStr>) -> bool {
        let id = SmolStr::new(data.tool_call_id.as_str());
        if self.calls.contains_key(&id) {
            return false;
        }
        let part = call(&data.tool_call_id, &data.tool_name, data.arguments);
        if let Some(reply) = self.messages.last_mut().filter(|message| message.role == Role::Assistant) {
            reply.parts.push(part);
        } else {
            let model = data.model.non_empty();
            self.push(Message { at, model, ..Message::new(Role::Assistant, vec![part]) }, event);
        }
        self.calls.insert(id, self.messages.len() - 1);
        true
    }

    /// Begins the context again with a summary, if the compaction succeeded.
    fn compact(&mut self, data: Data<'_>, event: SmolStr, at: Option<SmolStr>) -> bool {
        let used = &data.compaction_tokens_used;
        let (messages, kind) = (self.messages.len(), HarnessCallKind::Summary);
        let call = |usage| HarnessCall { messages, kind, usage, model: used.model.non_empty() };
        self.harness_calls.extend(used.usage().map(call));
        if data.success.is_some_and(|success| success.get() == "false") {
            return false;
        }
        // Only a person gives instructions for a summary.
        let automatic = data.custom_instructions.non_empty().is_none();
        let tokens = data.pre_compaction_tokens.0.filter(|tokens| *tokens > 0);
        self.pending_compaction = Some(Compaction { automatic, tokens, ..Compaction::default() });
        if let Some(summary) = data.summary_content.0.filter(|text| !text.is_empty()) {
            self.push(Message { at, harness: true, ..Message::text(Role::User, summary) }, event);
        }
        true
    }

    /// Removes the messages from an event on.
    fn rewind(&mut self, event: &str) -> bool {
        let Some(at) = self.events.iter().position(|id| !event.is_empty() && id == event) else { return false };
        self.rewound += self.messages.len() - at;
        for call in &mut self.harness_calls {
            call.messages = call.messages.min(at);
        }
        for place in self.replies.values_mut() {
            match place {
                ReplyPlace::Message(index) if *index >= at => {
                    let model = self.messages.get(*index).and_then(|reply| reply.model.clone());
                    *place = ReplyPlace::Left { messages: at, model };
                }
                ReplyPlace::Left { messages, .. } => *messages = at.min(*messages),
                ReplyPlace::Message(_) => {}
            }
        }
        self.messages.truncate(at);
        self.events.truncate(at);
        true
    }
}

fn text(content: Content<'_>) -> Option<Arc<str>> {
    let (text, _) = block::join_texts(block::parse_parts(content, openai_chat::parse_part));
    Some(text).filter(|text| !text.is_empty())
}

fn text_parts(content: Content<'_>) -> Vec<Part> {
    let bodies = block::parse_parts(content, |raw| block::parse_plain(raw, openai_chat::parse_part));
    bodies.into_iter().filter(|body| !matches!(body, Body::Text(text) if text.is_empty())).map(Part::new).collect()
}

fn text_message(role: Role, data: Data<'_>) -> Option<Message> {
    let parts = text_parts(data.content);
    (!parts.is_empty()).then(|| Message::new(role, parts))
}

/// What the model saw of a prompt, which Copilot completes with reminders.
fn user_message(data: Data<'_>) -> Option<Message> {
    let harness = data.source.get().is_some_and(|source| !matches!(source, "" | "user"));
    let message = match data.transformed_content.0.clone().filter(|text| !text.is_empty()) {
        Some(text) => Message::text(Role::User, text),
        None => text_message(Role::User, data)?,
    };
    Some(Message { harness, ..message })
}

fn call(id: &Str<'_>, name: &Str<'_>, arguments: Option<Raw<'_>>) -> Part {
    Part::call(id.as_str(), name.as_str(), wire::arguments(arguments))
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Outcome<'a> {
    #[serde(borrow)]
    content: Content<'a>,
    message: Text,
}

fn result_message(data: &Data<'_>) -> Message {
    // A command that fails is a success of its tool.
    let is_error = data.success.is_some_and(|success| success.get() == "false")
        || data.shell_execution.exit_code.and_then(Raw::parse::<i64>).is_some_and(|code| code != 0);
    let outcome: Outcome<'_> = wire::parse_or_default(data.result);
    let bodies = block::parse_parts(outcome.content, openai_chat::parse_part);
    let (mut text, attachments) = block::join_texts(bodies);
    if text.is_empty() && attachments.is_empty() {
        let error: Outcome<'_> = wire::parse_or_default(data.error.filter(|raw| raw.is_object()));
        text = error.message.0.or_else(|| data.error.and_then(Raw::text)).unwrap_or_default();
    }
    let id = SmolStr::new(data.tool_call_id.as_str());
    let result = ToolResult { id, name: data.tool_name.non_empty(), text, attachments, is_error };
    Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))])
}
