//! JSON of any shape, made from the words of the dialects.

use proptest::prelude::*;
use serde_json::{Map, Value as Json};

const KEYS: [&str; 37] = [
    "parts",
    "functionCall",
    "functionResponse",
    "function_response",
    "response",
    "inlineData",
    "thought",
    "thoughtSignature",
    "error",
    "role",
    "type",
    "content",
    "text",
    "id",
    "name",
    "input",
    "arguments",
    "args",
    "function",
    "custom",
    "call_id",
    "output",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "tool_use_id",
    "reasoning",
    "reasoning_content",
    "thinking",
    "signature",
    "data",
    "summary",
    "refusal",
    "source",
    "is_error",
    "image_url",
    "cache_control",
];

const WORDS: [&str; 26] = [
    "user",
    "assistant",
    "system",
    "tool",
    "developer",
    "function",
    "text",
    "input_text",
    "output_text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
    "image",
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "shell_call",
    "shell_call_output",
    "web_search_call",
    "compaction",
    "a",
    "",
    "a long text that is much longer than its placeholder, so that it can be masked",
];

/// Any JSON value, mostly an object.
pub(crate) fn json() -> impl Strategy<Value = Json> {
    let word = || prop::sample::select(WORDS.to_vec()).prop_map(Json::from);
    let leaf = prop_oneof![6 => word(), 1 => Just(Json::Null), 1 => any::<bool>().prop_map(Json::from), 1 => any::<u8>().prop_map(Json::from)];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let key = prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned);
        let object = prop::collection::vec((key, inner.clone()), 0..6);
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(Json::from),
            3 => object.prop_map(|fields| Json::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// An object that is often a message or an item.
pub(crate) fn element() -> impl Strategy<Value = Json> {
    let word = || prop::sample::select(WORDS.to_vec()).prop_map(Json::from);
    let role = || prop::sample::select(vec!["user", "assistant", "tool", "system", "model"]).prop_map(Json::from);
    let role = prop_oneof![9 => role(), 1 => word()];
    let content_key = prop::sample::select(vec!["content", "parts"]);
    (json(), role, word(), prop::option::of(json()), content_key).prop_map(
        |(mut json, role, kind, content, content_key)| {
            if let Some(map) = json.as_object_mut() {
                map.insert("role".to_owned(), role);
                map.entry("type").or_insert(kind);
                map.extend(content.map(|content| (content_key.to_owned(), content)));
            }
            json
        },
    )
}
