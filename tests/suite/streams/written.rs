//! Replies written as whole bodies and as streams, as providers write them.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use trimtab::request::Dialect;

/// A reply, and the habits of the server that writes it: choices that are used in turn.
#[derive(Clone, Debug)]
pub(crate) struct WrittenReply {
    pieces: Vec<Piece>,
    usage: [u32; 4],
    choices: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Thinking(String),
    /// A call with its number, and arguments as JSON text.
    Call(usize, String),
}

/// Something in a stream.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    name: Option<String>,
    data: String,
    /// What stands before the event, such as a comment.
    noise: &'static str,
    line_end: &'static str,
}

pub(crate) fn written() -> impl Strategy<Value = WrittenReply> {
    let text = || prop_oneof![".{1,12}", "[a-zé😀\\\\\"\n]{1,30}", Just("data: x\n\n".to_owned())];
    let arguments = || {
        let shapes = [r"{}", r#"{ "path" : "é\n", "n":1.0}"#, r#"{"a":[1e3,{"b":null}],"a":18446744073709551616}"#];
        prop::sample::select(shapes.to_vec()).prop_map(str::to_owned)
    };
    let piece = prop_oneof![
        text().prop_map(Piece::Text),
        text().prop_map(Piece::Thinking),
        arguments().prop_map(|json| Piece::Call(0, json)),
    ];
    let pieces = prop::collection::vec(piece, 1..6).prop_map(numbered);
    (pieces, any::<[u16; 4]>(), prop::collection::vec(any::<u8>(), 1..40)).prop_map(|(pieces, usage, choices)| {
        let usage = usage.map(u32::from);
        WrittenReply { pieces, usage, choices }
    })
}

fn numbered(mut pieces: Vec<Piece>) -> Vec<Piece> {
    for (at, piece) in pieces.iter_mut().enumerate() {
        if let Piece::Call(number, _) = piece {
            *number = at;
        }
    }
    pieces
}

/// An event made from the words of the dialects: values of any type at any key, and the largest numbers as indices.
pub(crate) fn odd_event() -> impl Strategy<Value = Json> {
    let types = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "error",
        "response.created",
        "response.output_item.done",
        "response.completed",
        "response.failed",
        "text_delta",
        "ping",
    ];
    let keys = [
        "type",
        "index",
        "output_index",
        "message",
        "content_block",
        "delta",
        "usage",
        "error",
        "response",
        "item",
        "output",
        "choices",
        "tool_calls",
        "id",
        "role",
        "content",
        "text",
        "function",
        "arguments",
        "finish_reason",
        "partial_json",
        "citation",
        "citations",
        "input_tokens",
        "candidates",
        "parts",
        "functionCall",
        "thoughtSignature",
        "finishReason",
        "usageMetadata",
    ];
    let leaf = prop_oneof![
        prop::sample::select(types.to_vec()).prop_map(Json::from),
        prop::sample::select(vec![0, 1, u64::MAX]).prop_map(Json::from),
        prop::sample::select(vec![json!(null), json!(true), json!(-1), json!(1.5), json!("assistant"), json!("")]),
    ];
    let key = prop::sample::select(keys.to_vec());
    let value = leaf.prop_recursive(3, 24, 4, move |inner| {
        let fields = prop::collection::vec((key.clone(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Json::from),
            fields.prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    });
    let fields = prop::collection::vec((prop::sample::select(keys.to_vec()), value), 0..8);
    (prop::sample::select(types.to_vec()), fields).prop_map(|(kind, fields)| {
        let mut event: serde_json::Map<String, Json> =
            fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        event.insert("type".to_owned(), kind.into());
        Json::Object(event)
    })
}

/// A server that writes: the place of the next choice.
struct Server<'c> {
    choices: &'c [u8],
    at: usize,
    entries: Vec<Entry>,
}

impl Server<'_> {
    fn choice(&mut self, of: u8) -> u8 {
        self.at += 1;
        self.choices[self.at % self.choices.len()] % of
    }

    fn send(&mut self, name: Option<&str>, data: &Json) {
        let noise = ["", "", ": ping\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n", "id: 7\nretry: 100\n"];
        let noise = noise[usize::from(self.choice(5))];
        let line_end = ["\n", "\n", "\r\n", "\r"][usize::from(self.choice(4))];
        self.entries.push(Entry { name: name.map(str::to_owned), data: data.to_string(), noise, line_end });
    }

    fn send_typed(&mut self, data: &Json) {
        self.send(data["type"].as_str(), data);
    }

    /// A text in some pieces.
    fn pieces<'t>(&mut self, text: &'t str) -> Vec<&'t str> {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|_| self.choice(4) == 0).collect();
        places.push(text.len());
        let mut start = 0;
        places.into_iter().map(|end| &text[std::mem::replace(&mut start, end)..end]).collect()
    }
}

impl WrittenReply {
    fn server(&self) -> Server<'_> {
        Server { choices: &self.choices, at: 0, entries: Vec::new() }
    }

    /// The body of a response that is not streamed.
    pub(crate) fn body(&self, dialect: Dialect) -> String {
        match dialect {
            Dialect::Anthropic => self.anthropic_body(),
            Dialect::OpenAiChat => self.chat_body().to_string(),
            Dialect::Gemini => self.gemini_body().to_string(),
            Dialect::OpenAiResponses => self.responses_body().to_string(),
            other => panic!("{other:?} has no writer"),
        }
    }

    pub(crate) fn events(&self, dialect: Dialect) -> Vec<Entry> {
        match dialect {
            Dialect::Anthropic => self.anthropic_events(),
            Dialect::OpenAiChat => self.chat_events(),
            Dialect::Gemini => self.gemini_events(),
            Dialect::OpenAiResponses => self.responses_events(),
            other => panic!("{other:?} has no writer"),
        }
    }

    pub(crate) fn stream(&self, dialect: Dialect) -> String {
        Self::text_of(self.events(dialect).iter())
    }

    pub(crate) fn text_of<'e>(entries: impl Iterator<Item = &'e Entry>) -> String {
        entries.map(Entry::text).collect()
    }

    fn anthropic_usage(&self) -> Json {
        let [input, output, read, write] = self.usage;
        json!({ "input_tokens": input, "output_tokens": output, "cache_read_input_tokens": read, "cache_creation_input_tokens": write })
    }

    /// The arguments keep their text, as in the stream.
    fn anthropic_body(&self) -> String {
        let block = |piece: &Piece| match piece {
            Piece::Text(text) => json!({ "type": "text", "text": text }).to_string(),
            Piece::Thinking(text) => json!({ "type": "thinking", "thinking": text, "signature": "c2ln" }).to_string(),
            Piece::Call(at, json) => {
                format!(r#"{{"type":"tool_use","id":"call_{at}","name":"tool_{at}","input":{json}}}"#)
            }
        };
        let blocks: Vec<String> = self.pieces.iter().map(block).collect();
        format!(
            r#"{{"id":"m","type":"message","role":"assistant","model":"m-1","content":[{}],"stop_reason":"end_turn","usage":{}}}"#,
            blocks.join(","),
            self.anthropic_usage()
        )
    }

    fn anthropic_events(&self) -> Vec<Entry> {
        let mut server = self.server();
        let [input, output, ..] = self.usage;
        let first = json!({ "input_tokens": input, "output_tokens": 1, "cache_read_input_tokens": null });
        let message = json!({ "id": "m", "type": "message", "role": "assistant", "model": "m-1", "content": [], "stop_reason": null, "usage": first });
        server.send_typed(&json!({ "type": "message_start", "message": message }));
        for (at, piece) in self.pieces.iter().enumerate() {
            let delta = |key: &str, text: &str| {
                let kind = if key == "partial_json" { "input_json" } else { key };
                json!({ "type": "content_block_delta", "index": at, "delta": { "type": format!("{kind}_delta"), key: text } })
            };
            let (start, key, text) = match piece {
                Piece::Text(text) => (json!({ "type": "text", "text": "" }), "text", text),
                Piece::Thinking(text) => {
                    (json!({ "type": "thinking", "thinking": "", "signature": "" }), "thinking", text)
                }
                Piece::Call(at, json) => (
                    json!({ "type": "tool_use", "id": format!("call_{at}"), "name": format!("tool_{at}"), "input": {} }),
                    "partial_json",
                    json,
                ),
            };
            server.send_typed(&json!({ "type": "content_block_start", "index": at, "content_block": start }));
            for part in server.pieces(text) {
                server.send_typed(&delta(key, part));
            }
            if key == "thinking" {
                server.send_typed(&delta("signature", "c2ln"));
            }
            server.send_typed(&json!({ "type": "content_block_stop", "index": at }));
        }
        let mut usage = self.anthropic_usage();
        if server.choice(2) == 0 {
            usage["input_tokens"] = Json::Null;
        }
        usage["output_tokens"] = output.into();
        server.send_typed(&json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": usage }));
        server.send_typed(&json!({ "type": "message_stop" }));
        server.entries
    }

    fn chat_usage(&self) -> Json {
        let [input, output, read, _] = self.usage;
        json!({ "prompt_tokens": input + read, "completion_tokens": output, "prompt_tokens_details": { "cached_tokens": read } })
    }

    fn chat_body(&self) -> Json {
        let joined = |of: fn(&Piece) -> Option<&str>| self.pieces.iter().filter_map(of).collect::<String>();
        let mut message = json!({ "role": "assistant", "content": null });
        let (text, thinking) = (joined(text_of), joined(thinking_of));
        if !text.is_empty() {
            message["content"] = text.into();
        }
        if !thinking.is_empty() {
            message["reasoning_content"] = thinking.into();
        }
        let call = |piece: &Piece| match piece {
            Piece::Call(at, json) => Some(json!({
                "id": format!("call_{at}"), "type": "function", "function": { "name": format!("tool_{at}"), "arguments": json },
            })),
            _ => None,
        };
        let calls: Vec<Json> = self.pieces.iter().filter_map(call).collect();
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        json!({ "id": "c", "model": "m-1", "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }], "usage": self.chat_usage() })
    }

    fn chat_events(&self) -> Vec<Entry> {
        let mut server = self.server();
        let chunk = |delta: Json, finish: Option<&str>| {
            json!({ "id": "c", "object": "chat.completion.chunk", "model": "m-1",
                "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }], "usage": null })
        };
        server.send(None, &chunk(json!({ "role": "assistant", "content": null }), None));
        let mut calls = 0;
        for piece in &self.pieces {
            let (key, text) = match piece {
                Piece::Text(text) => ("content", text),
                Piece::Thinking(text) => ("reasoning_content", text),
                Piece::Call(at, json) => {
                    let begin = json!({ "tool_calls": [{ "index": calls, "id": format!("call_{at}"), "type": "function",
                        "function": { "name": format!("tool_{at}"), "arguments": "" } }] });
                    server.send(None, &chunk(begin, None));
                    for part in server.pieces(json) {
                        let more = json!({ "tool_calls": [{ "index": calls, "function": { "arguments": part } }] });
                        server.send(None, &chunk(more, None));
                    }
                    calls += 1;
                    continue;
                }
            };
            for part in server.pieces(text) {
                server.send(None, &chunk(json!({ key: part }), None));
            }
        }
        server.send(None, &chunk(json!({}), Some("stop")));
        server.send(None, &json!({ "id": "c", "model": "m-1", "choices": [], "usage": self.chat_usage() }));
        server.entries.push(Entry { name: None, data: "[DONE]".to_owned(), noise: "", line_end: "\n" });
        server.entries
    }

    fn responses_usage(&self) -> Json {
        let [input, output, read, _] = self.usage;
        json!({ "input_tokens": input + read, "output_tokens": output, "input_tokens_details": { "cached_tokens": read } })
    }

    fn items(&self) -> Vec<Json> {
        let item = |(at, piece): (usize, &Piece)| match piece {
            Piece::Text(text) => {
                json!({ "type": "message", "id": format!("i_{at}"), "role": "assistant", "status": "completed",
                "content": [{ "type": "output_text", "text": text, "annotations": [] }] })
            }
            Piece::Thinking(text) => json!({ "type": "reasoning", "id": format!("i_{at}"),
                "summary": [{ "type": "summary_text", "text": text }], "encrypted_content": "c2ln" }),
            Piece::Call(number, json) => {
                json!({ "type": "function_call", "id": format!("i_{at}"), "status": "completed",
                "call_id": format!("call_{number}"), "name": format!("tool_{number}"), "arguments": json })
            }
        };
        self.pieces.iter().enumerate().map(item).collect()
    }

    fn responses_body(&self) -> Json {
        json!({ "id": "r", "object": "response", "status": "completed", "model": "m-1", "output": self.items(), "usage": self.responses_usage() })
    }

    fn responses_events(&self) -> Vec<Entry> {
        let mut server = self.server();
        let started = json!({ "id": "r", "object": "response", "status": "in_progress", "model": "m-1", "output": [], "usage": null });
        server.send_typed(&json!({ "type": "response.created", "response": started }));
        for (at, (item, piece)) in self.items().into_iter().zip(&self.pieces).enumerate() {
            let (Piece::Text(text) | Piece::Thinking(text) | Piece::Call(_, text)) = piece;
            server.send_typed(
                &json!({ "type": "response.output_item.added", "output_index": at, "item": { "type": item["type"] } }),
            );
            for part in server.pieces(text) {
                server.send_typed(&json!({ "type": "response.output_text.delta", "output_index": at, "delta": part }));
            }
            server.send_typed(&json!({ "type": "response.output_item.done", "output_index": at, "item": item }));
        }
        let mut body = self.responses_body();
        if server.choice(3) == 0 {
            body["output"] = json!([]);
        }
        server.send_typed(&json!({ "type": "response.completed", "response": body }));
        server.entries
    }
}

/// Replies of Gemini. Its streams do not tell where one text ends and the next one of the same kind begins.
impl WrittenReply {
    /// The parts, of which those of the same kind that follow each other are one, up to a signature.
    fn gemini_parts(&self) -> Vec<Json> {
        let mut parts: Vec<Json> = Vec::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            let (text, is_thought) = match piece {
                Piece::Text(text) => (text, false),
                Piece::Thinking(text) => (text, true),
                Piece::Call(number, _) => {
                    let mut call = json!({ "name": format!("tool_{number}"), "args": { "path": "é\n", "n": number } });
                    if at % 2 == 0 {
                        call["id"] = format!("id_{number}").into();
                    }
                    let mut part = json!({ "functionCall": call });
                    if at % 3 == 0 {
                        part["thoughtSignature"] = "c2ln".into();
                    }
                    parts.push(part);
                    continue;
                }
            };
            let is_same = |part: &Json| part.get("functionCall").is_none() && (part["thought"] == true) == is_thought;
            match parts.last_mut().filter(|last| is_same(last) && last.get("thoughtSignature").is_none()) {
                Some(last) => last["text"] = format!("{}{text}", last["text"].as_str().unwrap_or_default()).into(),
                None if is_thought => parts.push(json!({ "text": text, "thought": true })),
                None => parts.push(json!({ "text": text })),
            }
            if at % 4 == 1 {
                parts.last_mut().expect("a part")["thoughtSignature"] = "c2ln".into();
            }
        }
        parts
    }

    fn gemini_usage(&self) -> Json {
        let [input, output, read, thoughts] = self.usage;
        json!({ "promptTokenCount": input + read, "candidatesTokenCount": output, "cachedContentTokenCount": read,
            "thoughtsTokenCount": thoughts, "totalTokenCount": input + read + output + thoughts })
    }

    fn gemini_body(&self) -> Json {
        let content = json!({ "role": "model", "parts": self.gemini_parts() });
        json!({ "candidates": [{ "content": content, "finishReason": "STOP", "index": 0 }],
            "usageMetadata": self.gemini_usage(), "modelVersion": "m-1", "responseId": "r" })
    }

    fn gemini_events(&self) -> Vec<Entry> {
        let mut server = self.server();
        let event = |parts: Json| {
            let content = json!({ "role": "model", "parts": parts });
            json!({ "candidates": [{ "content": content, "index": 0 }], "modelVersion": "m-1", "responseId": "r" })
        };
        for part in self.gemini_parts() {
            let Some(text) = part["text"].as_str() else {
                server.send(None, &event(json!([part])));
                continue;
            };
            let pieces = server.pieces(text);
            for (at, piece) in pieces.iter().enumerate() {
                let mut new = part.clone();
                new["text"] = (*piece).into();
                if at + 1 < pieces.len() {
                    new.as_object_mut().expect("a part").remove("thoughtSignature");
                }
                server.send(None, &event(json!([new])));
            }
        }
        let mut last = event(json!([{ "text": "" }]));
        last["candidates"][0]["finishReason"] = "STOP".into();
        last["usageMetadata"] = self.gemini_usage();
        server.send(None, &last);
        server.entries
    }

    /// The stream as a JSON list, which Gemini sends to clients that do not ask for events.
    pub(crate) fn gemini_list(&self) -> String {
        let events: Vec<String> = self.gemini_events().into_iter().map(|entry| entry.data).collect();
        format!("[{}\n]", events.join(",\r\n"))
    }
}

fn text_of(piece: &Piece) -> Option<&str> {
    if let Piece::Text(text) = piece { Some(text) } else { None }
}

fn thinking_of(piece: &Piece) -> Option<&str> {
    if let Piece::Thinking(text) = piece { Some(text) } else { None }
}

impl Entry {
    /// An error of the provider in a stream.
    pub(crate) fn error(dialect: Dialect, message: &str) -> Self {
        let error = json!({ "code": "server_error", "type": "overloaded_error", "message": message });
        let data = match dialect {
            Dialect::Anthropic => json!({ "type": "error", "error": error }),
            Dialect::OpenAiChat | Dialect::Gemini => json!({ "error": error }),
            Dialect::OpenAiResponses => {
                json!({ "type": "response.failed", "response": { "status": "failed", "error": error } })
            }
            other => panic!("{other:?} has no writer"),
        };
        Self { name: None, data: data.to_string(), noise: "", line_end: "\n" }
    }

    fn text(&self) -> String {
        let Self { name, data, noise, line_end } = self;
        let name = name.as_ref().map_or(String::new(), |name| format!("event: {name}{line_end}"));
        format!("{noise}{name}data: {data}{line_end}{line_end}")
    }
}
