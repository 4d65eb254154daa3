//! The OpenAI Responses API: lists of items, requests, responses, and logs of them.
//!
//! A record is one model call with what is recorded of its request and response. A call that names an earlier one of the
//! file by `previous_response_id` or `conversation` continues its conversation, and so does one that repeats the input of an
//! earlier one. Items by themselves form one conversation.

mod turn;

use foldhash::HashMap;
use smol_str::SmolStr;
use trimtab_base::conversation::{Compaction, Message, Role};

use super::history::RequestLog;
use super::item::{Item, ItemKind, ItemMessages};
use super::record::{Input, Skipped};
use super::sample::{MAX_RECORDS, Sample, ShallowValue};
use super::wire::{Elements, Raw};
use super::{Format, HarnessCall, HarnessCallKind, Quirk, ReadError, Reader, Transcript, error, tool};
use turn::Turn;

/// Items, requests and responses of the OpenAI Responses API.
pub(super) static OPENAI_RESPONSES: Format = Format {
    name: "openai_responses",
    title: "OpenAI Responses API",
    summary: "a list of items, a request with `input`, a response with `output`, both together, or JSON lines of these",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[Quirk::UnmarkedErrors],
};

/// Item types that no other supported format uses.
const OWN_ITEMS: [&str; 13] = [
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "mcp_call",
    "tool_search_call",
];

fn sniff(sample: &Sample<'_>) -> bool {
    sample.records().iter().any(|record| is_record(record) || record.elements(40).iter().any(is_item))
}

fn is_record(record: &ShallowValue<'_>) -> bool {
    let is_call = |record: &ShallowValue<'_>| {
        let has_items = |key| record.field(key).is_some_and(|list| list.elements(40).iter().any(is_item));
        let names_input = record.has("instructions") || record.has("previous_response_id");
        !record.has("messages")
            && (record.string("object").is_some_and(|object| object == "response" || object == "response.compaction")
                || record.has("input") && names_input
                || has_items("input")
                || has_items("output"))
    };
    let has_call = |key| {
        record.field(key).is_some_and(|inner| is_call(&inner) || inner.field("body").is_some_and(|body| is_call(&body)))
    };
    is_item(record) || is_call(record) || ["request", "body", "response"].into_iter().any(has_call)
}

fn is_item(record: &ShallowValue<'_>) -> bool {
    let is_own_part =
        |part: &ShallowValue<'_>| matches!(part.string("type").as_deref(), Some("input_text" | "output_text"));
    match record.string("type").as_deref() {
        Some("message") | None => {
            record.has("role")
                && record.field("content").is_some_and(|content| content.elements(9).iter().any(is_own_part))
        }
        Some("reasoning") => record.has("summary") || record.has("encrypted_content"),
        Some(kind) => OWN_ITEMS.contains(&kind) && (record.has("call_id") || record.has("id")),
    }
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut log = Log::default();
    for raw in input.deep_records(&mut log.skipped) {
        log.add_record(raw);
    }
    let transcripts: Vec<Transcript> = log.conversations.into_iter().map(Conversation::into_transcript).collect();
    let transcripts = RequestLog::join(transcripts, MAX_RECORDS, &mut log.skipped);
    error::with_skipped(transcripts, log.skipped, "openai_responses", input)
}

/// The conversations of a file.
#[derive(Default)]
struct Log {
    conversations: Vec<Conversation>,
    /// The conversation that each response or server-side conversation belongs to.
    by_id: HashMap<SmolStr, usize>,
    /// The conversation of the items by themselves.
    bare: Option<usize>,
    skipped: Skipped,
}

impl Log {
    fn add_record(&mut self, raw: Raw<'_>) {
        if raw.is_array() {
            let mut conversation = Conversation::default();
            conversation.add_items(raw.elements(), &mut self.skipped);
            if conversation.items.messages.is_empty() {
                return self.skipped.count("record without items");
            }
            return self.conversations.push(conversation);
        }
        let Some(item) = Item::of(raw) else { return self.skipped.count("non-object record") };
        if item.kind() != ItemKind::Pinned {
            let bare = *self.bare.get_or_insert(self.conversations.len());
            if bare == self.conversations.len() {
                self.conversations.push(Conversation::default());
            }
            self.conversations[bare].add_items([raw], &mut self.skipped);
            return;
        }
        match Turn::of(raw) {
            Some(turn) => self.add_turn(&turn),
            None if item.has_type() => self.skipped.count(&item.type_name()),
            None => self.skipped.count("record without items"),
        }
    }

    fn add_turn(&mut self, turn: &Turn<'_>) {
        let earlier = turn.previous_id();
        let continued = earlier.as_ref().and_then(|id| self.by_id.get(id)).copied();
        if turn.has_unrecorded_history() && continued.is_none() {
            self.skipped.count("history of a previous response");
        }
        let index = continued.unwrap_or_else(|| {
            self.conversations.push(Conversation::default());
            self.conversations.len() - 1
        });
        self.conversations[index].add_turn(turn, &mut self.skipped);
        let ids = [turn.response_id(), turn.conversation_id()];
        self.by_id.extend(ids.into_iter().flatten().map(|id| (id, index)));
    }
}

/// A conversation.
#[derive(Default)]
struct Conversation {
    transcript: Transcript,
    items: ItemMessages,
}

impl Conversation {
    fn add_items<'a>(&mut self, items: impl IntoIterator<Item = Raw<'a>>, skipped: &mut Skipped) {
        for raw in items {
            if !skipped.accepts(&raw) {
                continue;
            }
            match Item::of(raw) {
                Some(item) if self.items.add(&item).is_some() => {}
                Some(item) if item.has_type() => skipped.count(&item.type_name()),
                Some(_) => skipped.count("item without a role"),
                None => skipped.count("non-object record"),
            }
        }
    }

    fn add_turn(&mut self, turn: &Turn<'_>, skipped: &mut Skipped) {
        if self.items.messages.is_empty() {
            self.transcript.id = turn.transcript_id();
            self.transcript.tools = tool::parse_tools(turn.field(|one| one.tools, skipped));
            self.add_texts(turn.field(|one| one.instructions, skipped), Role::System, skipped);
        }
        self.transcript.model = turn.model().or_else(|| self.transcript.model.take());
        self.add_texts(turn.field(|one| one.input, skipped), Role::User, skipped);
        self.add_output(turn, skipped);
    }

    /// Adds a text as a message of this role, or a list of items.
    fn add_texts(&mut self, raw: Option<Raw<'_>>, role: Role, skipped: &mut Skipped) {
        let Some(raw) = raw else { return };
        match raw.text() {
            Some(text) if text.is_empty() => {}
            Some(text) => self.items.push(Message::text(role, text)),
            None => self.add_items(raw.elements(), skipped),
        }
    }

    /// Adds the output of the model.
    fn add_output(&mut self, turn: &Turn<'_>, skipped: &mut Skipped) {
        let output = turn.field(|one| one.output, skipped).map(Raw::elements).unwrap_or_default();
        let is_context = self.begin_compaction(output.clone());
        let first = self.items.messages.len();
        self.items.end_reply();
        self.add_items(output, skipped);
        self.items.end_reply();
        if is_context {
            let kind = HarnessCallKind::Summary;
            let call = turn.usage().map(|usage| HarnessCall { messages: first, kind, usage, model: turn.model() });
            self.transcript.harness_calls.extend(call);
            for copy in self.items.messages.get_mut(first..).unwrap_or_default() {
                copy.harness = copy.role == Role::User;
            }
        } else {
            let first = self.without_repeated_reply(first);
            self.complete_reply(first, turn);
        }
    }

    /// Resets the context if the output contains a compaction. Returns whether the output is the compacted context that
    /// the client asked for, with messages of others, instead of a reply.
    fn begin_compaction(&mut self, output: Elements<'_>) -> bool {
        let items: Vec<Item<'_>> = output.filter_map(Item::of).collect();
        if !items.iter().any(|item| item.type_name().as_ref() == "compaction") {
            return false;
        }
        let is_context = items.iter().any(|item| matches!(item.kind().role(), Some(Role::User | Role::System)));
        self.items.pending_compaction = Some(Compaction { automatic: !is_context, ..Compaction::default() });
        is_context
    }

    /// Drops the added reply if the input ends with it already. Returns the index of the first message of the output.
    fn without_repeated_reply(&mut self, first: usize) -> usize {
        let messages = &mut self.items.messages;
        match messages.as_slice() {
            [.., last, reply]
                if messages.len() == first + 1 && last.role == reply.role && last.parts == reply.parts =>
            {
                messages.pop();
                first - 1
            }
            _ => first,
        }
    }

    /// Sets what the response states about its reply.
    fn complete_reply(&mut self, first: usize, turn: &Turn<'_>) {
        let added = self.items.messages.get_mut(first..).unwrap_or_default();
        if let Some(reply) = added.iter_mut().rfind(|message| message.role == Role::Assistant) {
            reply.usage = turn.usage();
            reply.model = turn.model();
            reply.at = turn.time();
        }
    }

    fn into_transcript(self) -> Transcript {
        Transcript { messages: self.items.messages.into_iter().map(Into::into).collect(), ..self.transcript }
    }
}

#[cfg(test)]
mod tests;
