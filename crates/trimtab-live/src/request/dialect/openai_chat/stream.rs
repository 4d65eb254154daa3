//! Streams of OpenAI Chat Completions, which many other servers send too.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};

use crate::request::layout::valid;
use crate::request::stream::assembler::{Assembled, Assembler};
use crate::request::stream::value::{append, error, field, index, string};

/// The first choice, and what the chunks have told about the response.
#[derive(Debug, Default)]
pub(super) struct ChatStream {
    /// The fields of the response besides its choices: of each, the last value.
    response: Map<String, Json>,
    message: Map<String, Json>,
    calls: Vec<Map<String, Json>>,
    /// The place of the last call with an index; without an index, of the last call of all.
    places: HashMap<Option<u64>, usize>,
    finish_reason: Option<Json>,
    error: Option<String>,
}

impl Assembler for ChatStream {
    fn add(&mut self, event: Json) -> bool {
        self.error = error(&event).or(self.error.take());
        for (key, value) in event.as_object().into_iter().flatten() {
            if !value.is_null() && !matches!(key.as_str(), "choices" | "error" | "object") {
                self.response.insert(key.clone(), value.clone());
            }
        }
        let choices = event.get("choices").and_then(Json::as_array).into_iter().flatten();
        for choice in choices.filter(|choice| index(choice, "index").unwrap_or(0) == 0) {
            self.finish_reason = field(choice, "finish_reason").cloned().or(self.finish_reason.take());
            // A server that has only one chunk sends the message in it.
            if let Some(delta) = field(choice, "delta").or_else(|| field(choice, "message")) {
                self.add_delta(delta);
            }
        }
        // After the reason why it has finished, the usage may still come.
        self.error.is_some()
    }

    fn finish(self: Box<Self>) -> Assembled {
        let Self { mut response, mut message, calls, places: _, finish_reason, error } = *self;
        let is_complete = finish_reason.is_some();
        // Of a call that was cut, nobody can tell what it would have been.
        let calls = calls.into_iter().map(Json::Object);
        let calls: Vec<Json> = calls.filter(|call| is_complete || has_json(call)).collect();
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), calls.into());
        }
        if message.is_empty() {
            let body = (!response.is_empty()).then(|| Json::Object(response).to_string());
            return Assembled { body, is_complete, error };
        }
        message.entry("role").or_insert_with(|| "assistant".into());
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason });
        response.insert("choices".to_owned(), json!([choice]));
        Assembled { body: Some(Json::Object(response).to_string()), is_complete, error }
    }
}

impl ChatStream {
    fn add_delta(&mut self, delta: &Json) {
        for (key, value) in delta.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                (_, Json::Null) => {}
                ("tool_calls", Json::Array(calls)) => calls.iter().for_each(|call| self.add_call(call)),
                ("role", _) => drop(self.message.insert(key.clone(), value.clone())),
                _ => grow(&mut self.message, key, value),
            }
        }
    }

    /// Adds a part of a call: to the last call with its index, or to the last one of all if it has none. Another id begins
    /// another call, because some servers give all calls the same index.
    fn add_call(&mut self, part: &Json) {
        let (index, id) = (index(part, "index"), string(part, "id").filter(|id| !id.is_empty()));
        let has_other_id = |at: usize| {
            let known = self.calls[at].get("id").and_then(Json::as_str).filter(|known| !known.is_empty());
            known.is_some_and(|known| id.is_some_and(|id| id != known))
        };
        let known = self.places.get(&index).copied().filter(|at| !has_other_id(*at));
        let place = known.unwrap_or(self.calls.len());
        if place == self.calls.len() {
            self.calls.push(Map::new());
        }
        self.places.extend([(index, place), (None, place)]);
        let call = &mut self.calls[place];
        for (key, value) in part.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("index", _) | (_, Json::Null) => {}
                // They come whole.
                ("id" | "type", Json::String(text)) if text.is_empty() => {}
                ("id" | "type", _) => drop(call.insert(key.clone(), value.clone())),
                _ => grow(call, key, value),
            }
        }
    }
}

/// Adds a value to a field: texts go on, lists get longer, and objects grow field by field.
fn grow(object: &mut Map<String, Json>, key: &str, value: &Json) {
    match (object.get_mut(key), value) {
        (_, Json::Null) => {}
        (_, Json::String(text)) => append(object, key, text),
        (Some(Json::Array(list)), Json::Array(more)) => list.extend(more.iter().cloned()),
        (Some(Json::Object(old)), Json::Object(more)) => more.iter().for_each(|(key, value)| grow(old, key, value)),
        _ => drop(object.insert(key.to_owned(), value.clone())),
    }
}

/// Whether the arguments of a call are whole.
fn has_json(call: &Json) -> bool {
    let arguments = call.get("function").and_then(|function| string(function, "arguments"));
    arguments.is_some_and(|text| valid(text).is_ok())
}
