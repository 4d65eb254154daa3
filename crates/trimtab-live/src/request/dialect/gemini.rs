//! Gemini `generateContent`: a list of contents with parts. Results of calls are parts of a content of the user.

mod part;
mod stream;

use serde_json::json;
use trimtab_base::conversation::{Body, Message, Role};
use trimtab_recordings::transcript::api;

use self::stream::GeminiStream;
use super::form::{Evidence, Form, SystemElements};
use crate::request::error::RequestError;
use crate::request::json::literal;
use crate::request::read::single;
use crate::request::render::content::Blocks;
use crate::request::render::divided;

pub(super) static FORM: Form = Form {
    list_key: "contents",
    prompt_element: None,
    system_keys: &["systemInstruction", "system_instruction"],
    system: api::gemini_system,
    system_list_key: Some("parts"),
    blocks: &PARTS,
    system_elements: SystemElements::Instead,
    continuation_keys: &["cachedContent", "cached_content"],
    compaction_element: None,
    evidence: |body| if body.get("contents").is_some() { Evidence::Own } else { Evidence::None },
    reply_length: None,
    read: |elements, calls| {
        single(elements, |json| api::gemini_messages(json, calls)).ok_or("a content with a list `parts`")
    },
    has_unnamed_calls: true,
    // The API rejects empty texts. A client whose list begins with the system prompt has a server that accepts it there.
    new_element: |new, _| {
        let (role, text) = match new.message.role {
            Role::Assistant => ("model", new.message.plain_text()),
            Role::System if new.is_prompt => ("system", new.message.plain_text()),
            _ => ("user", new.message.plain_text()),
        };
        (!text.is_empty()).then(|| format!(r#"{{"role":"{role}","parts":[{}]}}"#, (PARTS.text)(&text)))
    },
    rewrite: |unit, slots| divided::rewrite(&PARTS, unit, slots),
    place: None,
    tool_group_keys: &["functionDeclarations", "function_declarations"],
    tool_choice_keys: &["toolConfig", "tool_config"],
    tool: |name, description, schema| json!({ "name": name, "description": description, "parametersJsonSchema": schema }),
    reply: |root, calls| {
        let candidate = root.get("candidates").and_then(|candidates| candidates.elements().into_iter().next());
        let content = candidate.and_then(|candidate| candidate.get("content")).unwrap_or_else(|| root.clone());
        let messages = api::gemini_messages(content.raw(), calls).unwrap_or_default();
        // A model does not answer its own calls.
        let reply = messages.into_iter().find(|message| message.role != Role::Tool);
        let reply = reply.map(|message| Message { role: Role::Assistant, harness: false, ..message });
        reply.ok_or_else(|| RequestError::new("a content of the model, or `candidates` with one"))
    },
    reply_model_key: "modelVersion",
    usage_key: "usageMetadata",
    usage: api::gemini_usage,
    assembler: || Box::<GeminiStream>::default(),
    streams_lists: true,
};

static PARTS: Blocks = Blocks {
    key: "parts",
    read: api::gemini_bodies,
    write: part::rewritten,
    text: |text| format!(r#"{{"text":{}}}"#, literal(text)),
};

/// Whether a part of a message is reasoning.
const fn is_thinking(body: &Body) -> bool {
    matches!(body, Body::Thinking { .. })
}
