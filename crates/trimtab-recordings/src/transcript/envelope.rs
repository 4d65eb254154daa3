//! The objects around the messages of a chat recording: requests, logs and lists, whatever API the messages are of.
//!
//! [`accepted_conversations`] finds the conversations of a file, with their messages as raw JSON. Ids, models, windows and tools are read here, messages are not.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Role, Usage};

use super::line::{self, Line};
use super::record::{Input, Skipped};
use super::sample::{LIST_KEYS, ShallowValue};
use super::wire::{self, Indexed, List, Raw, Str, TokenCount};
use super::{Transcript, block, time, tool};

/// A conversation whose messages are raw JSON.
#[derive(Clone, Debug, Default)]
pub(super) struct RawConversation<'a> {
    pub(super) envelope: Envelope<'a>,
    pub(super) messages: Vec<Raw<'a>>,
}

impl RawConversation<'_> {
    /// Drops and counts the parts that nest too deeply to be parsed.
    fn drop_deep_values(&mut self, skipped: &mut Skipped) {
        self.messages.retain(|raw| skipped.accepts(raw));
        let envelope = &mut self.envelope;
        let parts = [
            &mut envelope.response,
            &mut envelope.system,
            &mut envelope.system_prompt,
            &mut envelope.system_instruction,
            &mut envelope.tools,
            &mut envelope.tool_config,
            &mut envelope.output,
        ];
        for part in parts {
            *part = part.filter(|raw| skipped.accepts(raw));
        }
    }
}

/// The object around a list of messages; empty when the file is a bare list.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Envelope<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    conversation_id: Str<'a>,
    session_id: Str<'a>,
    #[serde(rename = "sessionId")]
    session: Str<'a>,
    custom_id: Str<'a>,
    model: Str<'a>,
    /// The model of Bedrock.
    #[serde(rename = "modelId")]
    model_id: Str<'a>,
    context_window: TokenCount,
    timestamp: Option<Raw<'a>>,
    created_at: Option<Raw<'a>>,
    pub(super) system: Option<Raw<'a>>,
    pub(super) system_prompt: Option<Raw<'a>>,
    tools: Option<Raw<'a>>,
    functions: Option<Raw<'a>>,
    /// The tools of Bedrock.
    #[serde(rename = "toolConfig")]
    tool_config: Option<Raw<'a>>,
    pub(super) usage: Option<Raw<'a>>,
    pub(super) response: Option<Raw<'a>>,
    /// The response of Bedrock, or what a log of invocations has of it.
    pub(super) output: Option<Raw<'a>>,
    /// What such a log has of the request.
    input: Option<Raw<'a>>,
    /// How the provider is to edit the context.
    pub(super) context_management: Option<Raw<'a>>,
    messages: List<'a>,
    history: List<'a>,
    /// The messages of the Gemini API.
    contents: List<'a>,
    /// The messages of a checkpoint of Gemini CLI, whose `history` is that of the user interface.
    #[serde(rename = "clientHistory")]
    client_history: List<'a>,
    #[serde(alias = "systemInstruction")]
    pub(super) system_instruction: Option<Raw<'a>>,
    #[serde(alias = "usageMetadata")]
    pub(super) usage_metadata: Option<Raw<'a>>,
    request: Option<Raw<'a>>,
    body: Option<Raw<'a>>,
    role: Str<'a>,
    #[serde(rename = "type")]
    kind: Str<'a>,
}

impl<'a> Envelope<'a> {
    /// The lists of [`LIST_KEYS`], in the same order.
    const fn lists(&mut self) -> [&mut List<'a>; LIST_KEYS.len()] {
        [&mut self.messages, &mut self.client_history, &mut self.history, &mut self.contents]
    }

    fn has_messages(&mut self) -> bool {
        self.lists().iter().any(|list| list.0.is_some())
    }

    /// Returns the envelope that contains the messages: this one, or the request nested in it, completed with the
    /// response, usage and id beside that request.
    fn unwrap_request(mut self) -> Option<Self> {
        if self.has_messages() {
            return Some(self);
        }
        let field = |raw: Option<Raw<'a>>, key: &str| raw.and_then(Raw::object::<wire::Fields<'a>>)?.get(key);
        let logged = field(self.input, "inputBodyJson");
        let inner = self.request.or(self.body).or(logged);
        let mut inner: Self = inner.and_then(Raw::object)?;
        if !inner.has_messages() {
            return None;
        }
        let names_model = inner.model.non_empty().or_else(|| inner.model_id.non_empty()).is_some();
        let (model, model_id) = if names_model { (inner.model, inner.model_id) } else { (self.model, self.model_id) };
        Some(Self {
            model,
            model_id,
            timestamp: inner.timestamp.or(self.timestamp),
            created_at: inner.created_at.or(self.created_at),
            response: inner.response.or(self.response).or_else(|| field(self.output, "outputBodyJson")),
            output: inner.output.or(self.output),
            usage: inner.usage.or(self.usage),
            custom_id: self.custom_id,
            ..inner
        })
    }

    /// The time of the request or of its log entry.
    fn time(&self) -> Option<SmolStr> {
        self.timestamp.or(self.created_at).and_then(time::parse)
    }

    /// The request without its response and its usage.
    pub(super) fn without_response(&self) -> Self {
        Self { response: None, output: None, usage: None, usage_metadata: None, ..self.clone() }
    }

    /// The response and its usage without the request.
    pub(super) fn without_request(&self) -> Self {
        Self { system: None, system_prompt: None, system_instruction: None, ..self.clone() }
    }

    /// Counts a recorded response of which no reply has been read. One that holds an error has none.
    pub(super) fn count_unread_response(&self, reply: Option<&Message>, skipped: &mut Skipped) {
        let is_error =
            |raw: Raw<'_>| raw.object::<wire::Fields<'_>>().is_some_and(|fields| fields.get("error").is_some());
        if reply.is_none() && self.response.is_some_and(|raw| !is_error(raw)) {
            skipped.count("response");
        }
    }

    /// Appends the recorded response, unless the messages end with it already, and sets the usage of the last reply.
    pub(super) fn append_reply(&self, messages: &mut Vec<Message>, reply: Option<Message>, usage: Option<Usage>) {
        if let Some(reply) = reply {
            let at = reply.at.clone().or_else(|| self.time());
            match messages.last_mut().filter(|last| last.role == reply.role && last.parts == reply.parts) {
                Some(last) => {
                    last.at = last.at.take().or(at);
                    last.model = last.model.take().or(reply.model);
                }
                None => messages.push(Message { at, ..reply }),
            }
        }
        let last = messages.iter_mut().rev().find(|message| message.role == Role::Assistant);
        if let (Some(last), Some(usage)) = (last, usage) {
            last.usage = Some(usage);
        }
    }

    /// Builds the transcript of these messages.
    pub(super) fn transcript(&self, messages: Vec<Message>) -> Transcript {
        let bedrock_tools = || self.tool_config.and_then(Raw::object::<wire::Fields<'_>>)?.get("tools");
        let ids = [&self.conversation_id, &self.session_id, &self.session, &self.custom_id, &self.id];
        Transcript {
            id: ids.into_iter().find_map(Str::get).unwrap_or_default().to_owned(),
            model: self.model.non_empty().or_else(|| self.model_id.non_empty()),
            window: self.context_window.0.filter(|window| *window > 0),
            tools: tool::parse_tools(self.tools.or(self.functions).or_else(bedrock_tools)),
            messages: messages.into_iter().map(Into::into).collect(),
            ..Transcript::default()
        }
    }
}

/// Whether a record is an entry of Bedrock's log of model invocations.
pub(super) fn is_bedrock_log(record: &ShallowValue<'_>) -> bool {
    record.has("schemaType") && record.has("modelId")
}

/// Whether it is such an entry with a request of the Anthropic Messages API.
pub(super) fn invokes_anthropic(record: &ShallowValue<'_>) -> bool {
    let body = || record.field("input")?.field("inputBodyJson");
    is_bedrock_log(record) && body().is_some_and(|body| body.has("anthropic_version"))
}

/// Reads a conversation whose messages are raw JSON.
pub(super) type ReadConversation = fn(&RawConversation<'_>, &mut Skipped) -> Transcript;

/// The conversations of a file, without what nests too deeply to be read.
pub(super) fn accepted_conversations<'a>(input: &'a Input<'_>, skipped: &mut Skipped) -> Vec<RawConversation<'a>> {
    let mut conversations = find_conversations(input, skipped);
    for conversation in &mut conversations {
        conversation.drop_deep_values(skipped);
    }
    conversations
}

/// What a line of a file is.
pub(super) fn line(text: &str) -> Line {
    match line::by_key(text, &LIST_KEYS, &["role"]) {
        // It may be a request inside a record.
        Line::Other => match Indexed::of(text).as_ref().map(|json| Record::of(json.raw())) {
            Some(Record::Conversation(_)) => Line::Whole,
            _ => Line::Other,
        },
        found => found,
    }
}

/// Finds the conversations of a file: one per object or list with messages, and one of all bare messages together.
fn find_conversations<'a>(input: &'a Input<'_>, skipped: &mut Skipped) -> Vec<RawConversation<'a>> {
    let is_message = |first| matches!(Record::of(first), Record::Message);
    if let Some(items) = input.array().filter(|items| items.clone().next().is_some_and(is_message)) {
        return vec![RawConversation { messages: items.collect(), ..RawConversation::default() }];
    }
    let mut conversations: Vec<RawConversation<'a>> = Vec::new();
    let mut bare: Option<usize> = None;
    for raw in input.deep_records(skipped) {
        match Record::of(raw) {
            Record::Conversation(conversation) => conversations.push(*conversation),
            Record::Message => {
                let index = *bare.get_or_insert(conversations.len());
                if index == conversations.len() {
                    conversations.push(RawConversation::default());
                }
                conversations[index].messages.push(raw);
            }
            Record::Other(kind) => skipped.count(&kind),
        }
    }
    conversations
}

/// A record of a file.
enum Record<'a> {
    /// A list of messages, or an object that contains one.
    Conversation(Box<RawConversation<'a>>),
    /// A message by itself.
    Message,
    /// Anything else, with the kind that it is counted as.
    Other(String),
}

impl<'a> Record<'a> {
    fn of(raw: Raw<'a>) -> Self {
        if raw.is_empty_list() {
            return Self::Other("record without messages".to_owned());
        }
        if raw.is_array() {
            let messages = raw.elements().collect();
            return Self::Conversation(Box::new(RawConversation { messages, ..RawConversation::default() }));
        }
        raw.object().map_or_else(|| Self::Other("non-object record".to_owned()), Self::of_envelope)
    }

    fn of_envelope(mut envelope: Envelope<'a>) -> Self {
        if envelope.role.get().is_some() && !envelope.has_messages() {
            return Self::Message;
        }
        let kind = envelope.kind.get().unwrap_or("record without messages").to_owned();
        let Some(mut envelope) = envelope.unwrap_request() else { return Self::Other(kind) };
        let messages = envelope.lists().into_iter().find_map(|list| list.0.take()).unwrap_or_default();
        Self::Conversation(Box::new(RawConversation { envelope, messages }))
    }
}

/// Inserts the system prompt before the messages, unless they begin with one.
pub(super) fn prepend_system(messages: &mut Vec<Message>, system: Option<Raw<'_>>) {
    if messages.first().is_none_or(|first| first.role != Role::System) {
        let system = block::parse_content(wire::parse_content(system));
        messages.splice(0..0, system.into_messages(Role::System));
    }
}
