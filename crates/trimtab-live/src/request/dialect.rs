//! The three dialects, and how they are told apart.

use serde::{Deserialize, Serialize};

use super::json::Node;

/// A JSON dialect of requests and replies. As data it has the name of the format of recordings in this dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Dialect {
    /// OpenAI Chat Completions: a list of messages.
    #[serde(rename = "openai_chat")]
    OpenAiChat,
    /// OpenAI Responses: a list of items.
    #[serde(rename = "openai_responses")]
    OpenAiResponses,
    /// Anthropic Messages: a list of messages with content blocks, and the system prompt beside it.
    #[serde(rename = "anthropic_messages")]
    Anthropic,
}

impl Dialect {
    /// The dialect of a request body; none if the body could be of several dialects.
    pub fn of_body(json: &str) -> Option<Self> {
        serde_json::from_str::<&serde_json::value::RawValue>(json).ok()?;
        let body = Node::of(json);
        if body.get("input").is_some() && body.get("messages").is_none() {
            return Some(Self::OpenAiResponses);
        }
        let messages = body.get("messages")?.elements();
        let is_anthropic = ["system", "anthropic_version", "stop_sequences", "top_k", "context_management"]
            .iter()
            .any(|key| body.get(key).is_some())
            || declares_tool_with(&body, "input_schema")
            || messages.iter().any(is_anthropic_message);
        let is_chat = declares_tool_with(&body, "function") || messages.iter().any(is_chat_message);
        // Anthropic has system messages in the list too.
        let has_system =
            || messages.iter().any(|message| message.get_string("role").is_some_and(|role| role == "system"));
        match (is_anthropic, is_chat) {
            (true, false) => Some(Self::Anthropic),
            (false, true) => Some(Self::OpenAiChat),
            (false, false) if has_system() => Some(Self::OpenAiChat),
            _ => None,
        }
    }

    /// The key of the list in a body.
    pub(super) const fn list_key(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::Anthropic => "messages",
            Self::OpenAiResponses => "input",
        }
    }

    /// The keys of a request that continues what the server has stored.
    pub(super) const fn continuation_keys(self) -> &'static [&'static str] {
        match self {
            Self::OpenAiResponses => &["previous_response_id", "conversation"],
            Self::OpenAiChat | Self::Anthropic => &[],
        }
    }

    /// Whether the list may contain system messages.
    pub(super) const fn has_system_elements(self) -> bool {
        matches!(self, Self::OpenAiChat | Self::OpenAiResponses)
    }

    /// The key of the system prompt beside the list.
    pub(super) const fn system_key(self) -> Option<&'static str> {
        match self {
            Self::OpenAiChat => None,
            Self::OpenAiResponses => Some("instructions"),
            Self::Anthropic => Some("system"),
        }
    }
}

fn declares_tool_with(body: &Node<'_>, key: &str) -> bool {
    let tools = body.get("tools").map(|tools| tools.elements()).unwrap_or_default();
    tools.iter().any(|tool| tool.get(key).is_some())
}

fn is_anthropic_message(message: &Node<'_>) -> bool {
    let own = ["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image"];
    let blocks = message.get("content").map(|content| content.elements()).unwrap_or_default();
    blocks.iter().any(|block| block.get_string("type").is_some_and(|kind| own.contains(&kind.as_str())))
}

fn is_chat_message(message: &Node<'_>) -> bool {
    let role = message.get_string("role").unwrap_or_default();
    ["developer", "tool", "function"].contains(&role.as_str())
        || message.get("tool_calls").is_some()
        || message.get("function_call").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_detected_from_what_only_it_has() {
        let of = Dialect::of_body;
        assert_eq!(of(r#"{"model":"m","input":"hi"}"#), Some(Dialect::OpenAiResponses));
        assert_eq!(of(r#"{"system":"s","messages":[]}"#), Some(Dialect::Anthropic));
        let blocks = r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}"#;
        assert_eq!(of(blocks), Some(Dialect::Anthropic));
        assert_eq!(of(r#"{"messages":[{"role":"system","content":"s"}]}"#), Some(Dialect::OpenAiChat));
        let tools = r#"{"messages":[],"tools":[{"type":"function","function":{"name":"a"}}]}"#;
        assert_eq!(of(tools), Some(Dialect::OpenAiChat));
        let with_system =
            r#"{"system":"s","messages":[{"role":"user","content":"a"},{"role":"system","content":"b"}]}"#;
        assert_eq!(of(with_system), Some(Dialect::Anthropic));
        assert_eq!(of(r#"{"messages":[{"role":"user","content":"hi"}]}"#), None);
        assert_eq!(of("broken"), None);
    }
}
