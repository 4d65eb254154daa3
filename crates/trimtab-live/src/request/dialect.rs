//! The dialects, and how they are told apart.
//!
//! A dialect is one file with a [`Form`], and here its `mod`, its variant and its row in the list.

mod anthropic;
mod form;
mod gemini;
mod openai_chat;
mod openai_responses;

use serde::{Deserialize, Serialize};

use self::form::Evidence;
pub(super) use self::form::{EditedMessage, EditedUnit, Form, SystemElements, TOOLS_KEY};
use super::json::Node;

/// A JSON dialect of requests and replies. Serialises to the name of the recording format of
/// the same API.
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
    /// Gemini `generateContent`: a list of contents with parts, and the system instruction beside it.
    #[serde(rename = "gemini_contents")]
    Gemini,
}

/// Lists the dialects with their modules, so that none is left out of a list.
macro_rules! dialects {
    ($($dialect:ident: $module:ident),* $(,)?) => {
        impl Dialect {
            /// All dialects.
            pub const ALL: [Self; [$(stringify!($dialect)),*].len()] = [$(Self::$dialect),*];

            /// How the dialect is read and written.
            pub(super) const fn form(self) -> &'static Form {
                match self {
                    $(Self::$dialect => &$module::FORM,)*
                }
            }
        }
    };
}

dialects! {
    OpenAiChat: openai_chat,
    OpenAiResponses: openai_responses,
    Anthropic: anthropic,
    Gemini: gemini,
}

impl Dialect {
    /// The dialect of a request body; `None` if it is not JSON, or if no dialect or several are equally likely.
    pub fn of_body(json: &str) -> Option<Self> {
        serde_json::from_str::<&serde_json::value::RawValue>(json).ok()?;
        let body = Node::of(json);
        let evidence = Self::ALL.map(|dialect| (dialect, (dialect.form().evidence)(&body)));
        let strongest = evidence.iter().map(|(_, evidence)| *evidence).max().filter(|most| *most != Evidence::None)?;
        let mut likely = evidence.iter().filter(|(_, evidence)| *evidence == strongest).map(|(dialect, _)| *dialect);
        likely.next().filter(|_| likely.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_detected_from_what_only_it_has() {
        let of = Dialect::of_body;
        assert_eq!(of(r#"{"model":"m","input":"hi"}"#), Some(Dialect::OpenAiResponses));
        assert_eq!(of(r#"{"system":"s","messages":[]}"#), Some(Dialect::Anthropic));
        assert_eq!(of(r#"{"contents":[{"parts":[{"text":"hi"}]}]}"#), Some(Dialect::Gemini));
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

    #[test]
    fn a_dialect_has_the_name_of_a_format() {
        for dialect in Dialect::ALL {
            let name = serde_json::to_value(dialect).expect("a name");
            let formats = trimtab_recordings::transcript::FORMATS;
            assert!(formats.iter().any(|format| name == format.name), "{name}");
        }
    }
}
