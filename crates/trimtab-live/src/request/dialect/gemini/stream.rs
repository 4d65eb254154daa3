//! Streams of Gemini, whose events are responses with the parts that are new.

use serde_json::{Map, Value as Json, json};

use crate::request::stream::assembler::{Assembled, Assembler};
use crate::request::stream::value::{append, error, field, index};

/// The first candidate, and what the events have told about the response.
#[derive(Debug, Default)]
pub(super) struct GeminiStream {
    /// The fields of the response besides its candidates: of each, the last value.
    response: Map<String, Json>,
    role: Option<Json>,
    parts: Vec<Json>,
    finish_reason: Option<Json>,
    error: Option<String>,
}

impl Assembler for GeminiStream {
    fn add(&mut self, event: Json) -> bool {
        self.error = error(&event).or(self.error.take());
        for (key, value) in event.as_object().into_iter().flatten() {
            if !value.is_null() && !matches!(key.as_str(), "candidates" | "error") {
                self.response.insert(key.clone(), value.clone());
            }
        }
        let candidates = event.get("candidates").and_then(Json::as_array).into_iter().flatten();
        for candidate in candidates.filter(|candidate| index(candidate, "index").unwrap_or(0) == 0) {
            let reason = ["finishReason", "finish_reason"].into_iter().find_map(|key| field(candidate, key));
            self.finish_reason = reason.cloned().or(self.finish_reason.take());
            let content = field(candidate, "content");
            self.role = self.role.take().or_else(|| Some(field(content?, "role")?.clone()));
            let parts = content.and_then(|content| content.get("parts")?.as_array());
            parts.into_iter().flatten().for_each(|part| self.add_part(part));
        }
        // After the reason why it has finished, the usage may still come.
        self.error.is_some() || self.finish_reason.is_some() && event.get("usageMetadata").is_some()
    }

    fn finish(self: Box<Self>) -> Assembled {
        let Self { mut response, role, mut parts, finish_reason, error } = *self;
        let is_blocked = response.get("promptFeedback").is_some_and(|feedback| feedback.get("blockReason").is_some());
        let is_complete = finish_reason.is_some();
        let error = error.or_else(|| is_blocked.then(|| "the prompt was blocked".to_owned()));
        if !is_complete {
            // Of a text that was cut, nobody can tell what it would have been. Calls come whole.
            parts.pop_if(|last| last.get("text").is_some());
        }
        if parts.is_empty() && !is_complete {
            let body = (!response.is_empty()).then(|| Json::Object(response).to_string());
            return Assembled { body, is_complete, error };
        }
        let content = json!({ "role": role.unwrap_or_else(|| "model".into()), "parts": parts });
        let candidate = json!({ "content": content, "finishReason": finish_reason, "index": 0 });
        response.insert("candidates".to_owned(), json!([candidate]));
        Assembled { body: Some(Json::Object(response).to_string()), is_complete, error }
    }
}

impl GeminiStream {
    /// Adds a part. A text goes on with the text before it, up to a signature.
    fn add_part(&mut self, part: &Json) {
        if let (Some(Json::Object(last)), Some(text)) = (self.parts.last_mut(), goes_on(part))
            && goes_on(&Json::Object(last.clone())).is_some()
            && last.get("thought") == part.get("thought")
            && !has_signature(last)
        {
            append(last, "text", text);
            for (key, value) in part.as_object().into_iter().flatten().filter(|(key, _)| *key != "text") {
                last.insert(key.clone(), value.clone());
            }
        } else {
            self.parts.push(part.clone());
        }
    }
}

/// The text of a part that has nothing else, except perhaps a signature.
fn goes_on(part: &Json) -> Option<&str> {
    let fields = part.as_object()?;
    let is_text = |key: &String| matches!(key.as_str(), "text" | "thought" | "thoughtSignature" | "thought_signature");
    fields.get("text").filter(|_| fields.keys().all(is_text))?.as_str()
}

fn has_signature(part: &Map<String, Json>) -> bool {
    ["thoughtSignature", "thought_signature"].iter().any(|key| part.contains_key(*key))
}
