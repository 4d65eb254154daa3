//! The items of the OpenAI Responses API, which Codex records too.
//!
//! Consecutive items that a model writes are one reply: its reasoning, its text and its calls.

use std::sync::Arc;

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Body, Compaction, Message, Part, Role, ToolResult, Usage};

use super::wire::{self, Fields, Raw, TokenCount};
use super::{block, compaction, openai_chat, usage};

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// A message.
    Message(Role),
    /// Reasoning, mostly encrypted.
    Reasoning,
    /// A call that the client answers; the arguments are in this field. None of another kind has arguments that can be
    /// replaced.
    Call(Option<&'static str>),
    /// The result of a call. Its output can be replaced only if it is a text or a list of contents.
    CallOutput {
        /// Whether it can be replaced.
        is_editable: bool,
    },
    /// A call that the provider answers, such as a search.
    ProviderCall,
    /// Anything else, such as a compaction or a reference. It is not part of the conversation and always stays.
    Pinned,
}

impl ItemKind {
    /// Whether a model writes such items.
    pub const fn is_of_reply(self) -> bool {
        matches!(self, Self::Message(Role::Assistant) | Self::Reasoning | Self::Call(_) | Self::ProviderCall)
    }

    /// Returns the role of the message that contains the item, or `None` if it is not part of the conversation.
    pub const fn role(self) -> Option<Role> {
        match self {
            Self::Message(role) => Some(role),
            Self::Reasoning | Self::Call(_) | Self::ProviderCall => Some(Role::Assistant),
            Self::CallOutput { .. } => Some(Role::Tool),
            Self::Pinned => None,
        }
    }
}

/// An item whose values are raw.
#[derive(Clone, Debug)]
pub(super) struct Item<'a> {
    raw: Raw<'a>,
    fields: Fields<'a>,
}

impl<'a> Item<'a> {
    /// The item in an object.
    pub(super) fn of(raw: Raw<'a>) -> Option<Self> {
        Some(Self { raw, fields: raw.object()? })
    }

    /// The value of a field other than `null`. Of several with the same key, the last one counts.
    fn get(&self, key: &str) -> Option<Raw<'a>> {
        let (_, raw) = self.fields.0.iter().rfind(|(name, _)| name == key)?;
        (!raw.is_null()).then_some(*raw)
    }

    fn string(&self, key: &str) -> Option<Arc<str>> {
        self.get(key).and_then(Raw::text)
    }

    /// Whether it has a type.
    pub(super) fn has_type(&self) -> bool {
        self.string("type").is_some()
    }

    /// The recorded type; `message` if it has none.
    pub(super) fn type_name(&self) -> Arc<str> {
        self.string("type").unwrap_or_else(|| "message".into())
    }

    /// What the item is.
    pub(super) fn kind(&self) -> ItemKind {
        let has_call_id = || self.get("call_id").is_some();
        match self.type_name().as_ref() {
            "message" => self.string("role").map_or(ItemKind::Pinned, |role| ItemKind::Message(role_of(&role))),
            "reasoning" => ItemKind::Reasoning,
            "function_call" => ItemKind::Call(Some("arguments")),
            "custom_tool_call" => ItemKind::Call(Some("input")),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                ItemKind::CallOutput { is_editable: true }
            }
            "tool_search_output" if has_call_id() => ItemKind::CallOutput { is_editable: false },
            other if other.ends_with("_call_output") => ItemKind::CallOutput { is_editable: false },
            other if other.ends_with("_call") && has_call_id() => ItemKind::Call(None),
            other if other.ends_with("_call") => ItemKind::ProviderCall,
            _ => ItemKind::Pinned,
        }
    }

    /// The content, part by part.
    pub(super) fn bodies(&self) -> Vec<Body> {
        match self.kind() {
            ItemKind::Message(_) => self.get("content").map(parts).unwrap_or_default(),
            ItemKind::Reasoning => vec![self.thinking()],
            ItemKind::Call(field) => vec![self.call(field)],
            ItemKind::CallOutput { is_editable } => vec![Body::ToolResult(Box::new(self.result(is_editable)))],
            ItemKind::ProviderCall => vec![openai_chat::parse_part(self.raw)],
            ItemKind::Pinned => Vec::new(),
        }
    }

    fn thinking(&self) -> Body {
        let lists = ["summary", "content"].into_iter().filter_map(|key| self.get(key));
        let parts = lists.flat_map(Raw::elements).filter_map(Raw::object::<Fields<'_>>);
        let texts: Vec<Arc<str>> = parts.filter_map(|part| part.get("text")?.text()).collect();
        let signature = self.string("encrypted_content").or_else(|| self.string("id"));
        Body::Thinking { text: texts.join("\n").into(), signature: signature.map(|text| text.as_ref().into()) }
    }

    fn call(&self, field: Option<&str>) -> Body {
        let name = self.string("name").map_or_else(|| self.type_name().trim_end_matches("_call").into(), SmolStr::from);
        let arguments = match field {
            Some(field) => wire::arguments(self.get(field)),
            None => match openai_chat::parse_part(self.raw) {
                Body::Other(json) => Arguments::from(*json),
                _ => Arguments::Text(self.raw.get().into()),
            },
        };
        Body::ToolCall { id: self.call_id(), name, arguments }
    }

    fn result(&self, is_editable: bool) -> ToolResult {
        let bodies = match self.get("output") {
            Some(output) if is_editable => parts(output),
            None if is_editable => Vec::new(),
            // The item as it is.
            _ => vec![openai_chat::parse_part(self.raw)],
        };
        let (text, attachments) = block::join_texts(bodies);
        let is_error = matches!(self.string("status").as_deref(), Some("failed" | "incomplete"));
        ToolResult { id: self.call_id(), name: None, text, attachments, is_error }
    }

    fn call_id(&self) -> SmolStr {
        self.string("call_id").or_else(|| self.string("id")).map(SmolStr::from).unwrap_or_default()
    }
}

fn role_of(name: &str) -> Role {
    match name {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        _ => Role::User,
    }
}

/// The parts of a content without empty texts, as the reader of chat messages has them.
pub(super) fn parts(content: Raw<'_>) -> Vec<Body> {
    let parts = if content.is_array() { content.elements().collect() } else { vec![content] };
    let bodies = parts.into_iter().map(openai_chat::parse_part);
    bodies.filter(|body| !matches!(body, Body::Text(text) if text.is_empty())).collect()
}

/// The messages of items.
#[derive(Debug, Default)]
pub(super) struct ItemMessages {
    /// The messages so far.
    pub(super) messages: Vec<Message>,
    /// A compaction before the next message that is not a tool result.
    pub(super) pending_compaction: Option<Compaction>,
    is_reply_open: bool,
}

impl ItemMessages {
    /// Adds an item, and returns its message. Returns `None` if the item is not part of the conversation.
    pub(super) fn add(&mut self, item: &Item<'_>) -> Option<&mut Message> {
        let kind = item.kind();
        let role = kind.role()?;
        let parts = item.bodies().into_iter().map(Part::new);
        if kind.is_of_reply() && self.is_reply_open {
            let reply = self.messages.last_mut()?;
            reply.parts.extend(parts);
            return Some(reply);
        }
        self.push(Message::new(role, parts.collect()));
        self.is_reply_open = kind.is_of_reply();
        self.messages.last_mut()
    }

    /// Adds a message.
    pub(super) fn push(&mut self, mut message: Message) {
        self.end_reply();
        compaction::mark_first(&mut message, &mut self.pending_compaction);
        self.messages.push(message);
    }

    /// The next item belongs to another message.
    pub(super) const fn end_reply(&mut self) {
        self.is_reply_open = false;
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireUsage<'a> {
    input_tokens: TokenCount,
    output_tokens: TokenCount,
    #[serde(borrow)]
    input_tokens_details: Option<Raw<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct InputTokensDetails {
    cached_tokens: TokenCount,
}

/// Usage of the Responses API, whose input includes cache reads.
pub(super) fn usage(raw: Raw<'_>) -> Option<Usage> {
    let wire: WireUsage<'_> = raw.object()?;
    let details: InputTokensDetails = wire::parse_or_default(wire.input_tokens_details);
    wire.input_tokens.0?;
    Some(usage::with_cache([wire.input_tokens, details.cached_tokens, TokenCount::default(), wire.output_tokens]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::wire::Indexed;

    fn read(items: &str) -> Vec<Message> {
        let json = Indexed::of(items).expect("JSON");
        let items = json.raw().elements();
        let mut read = ItemMessages::default();
        for item in items.into_iter().filter_map(Item::of) {
            read.add(&item);
        }
        read.messages
    }

    #[test]
    fn consecutive_items_of_the_model_are_one_reply_and_each_output_is_a_message() {
        let messages = read(
            r#"[{"role":"developer","content":"Be brief."},{"type":"reasoning","summary":[{"type":"summary_text","text":"think"}],"encrypted_content":"abc"},
            {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Looking."}]},
            {"type":"function_call","call_id":"a","name":"ls","arguments":"{}"},{"type":"item_reference","id":"x"},
            {"type":"custom_tool_call","call_id":"b","name":"patch","input":"free text"},
            {"type":"function_call_output","call_id":"a","output":"x"},
            {"type":"custom_tool_call_output","call_id":"b","output":[{"type":"input_text","text":"y"}]}]"#,
        );
        let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::Assistant, Role::Tool, Role::Tool]);
        let thinking = Body::Thinking { text: "think".into(), signature: Some("abc".into()) };
        assert_eq!(messages[1].parts[0].body, thinking);
        assert_eq!(messages[1].parts[3], Part::call("b", "patch", Arguments::Text("free text".into())));
        assert_eq!(messages[3].parts, [Part::result("b", "y", false)]);
    }

    #[test]
    fn a_failed_status_marks_a_result_as_an_error() {
        let messages = read(
            r#"[{"type":"apply_patch_call","call_id":"a","operation":{}},{"type":"apply_patch_call_output","call_id":"a","status":"failed","output":"x"},
            {"type":"function_call_output","call_id":"b","status":"completed","output":"Error: x"}]"#,
        );
        let is_error = |message: &Message| message.results().any(|result| result.is_error);
        assert_eq!(messages.iter().map(is_error).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn a_search_for_tools_is_a_call_with_a_result() {
        let messages = read(
            r#"[{"type":"tool_search_call","call_id":"a","execution":"client","arguments":{"query":"x"}},
            {"type":"tool_search_output","call_id":"a","tools":[{"name":"f"}]},{"type":"web_search_call","id":"w"}]"#,
        );
        assert_eq!(
            messages[0].calls().next().map(|(id, name, _)| (id.as_str(), name.as_str())),
            Some(("a", "tool_search"))
        );
        assert!(matches!(&messages[1].results().next().expect("a result").attachments[..], [Body::Other(_)]));
        assert!(matches!(&messages[2].parts[0].body, Body::Other(_)));
    }

    #[test]
    fn the_input_of_usage_includes_cache_reads() {
        let text = r#"{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":5}"#;
        let json = Indexed::of(text).expect("JSON");
        assert_eq!(usage(json.raw()), Some(Usage { input: 40, cache_read: 60, output: 5, ..Usage::default() }));
    }
}
