//! Trajectories of Hermes Agent: JSON lines of conversations in the `ShareGPT` form, with calls and results as tags in texts.
//!
//! A reply contains its reasoning in `<think>` and its calls in `<tool_call>`, and the message of the tools its results in
//! `<tool_response>`. Calls have no ids: a result answers the call at its place.

use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::{SmolStr, format_smolstr};
use trimtab_base::conversation::{Arguments, Body, Message, Part, Role, ToolResult};

use super::record::{Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{List, Raw, Str, Text};
use super::{Format, Quirk, ReadError, Reader, Transcript, error, time};

/// Trajectories of Hermes Agent.
pub(super) static HERMES: Format = Format {
    name: "hermes",
    title: "Hermes trajectories",
    summary: "conversations of Hermes Agent in the ShareGPT form, in JSON lines",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[Quirk::UnmarkedErrors],
};

fn sniff(sample: &Sample<'_>) -> bool {
    let has_messages = |record: &ShallowValue<'_>| {
        let first = record.field("conversations").and_then(|list| list.elements(1).pop());
        first.is_some_and(|message| message.has("value")) && record.mentions("conversations", "\"from\"")
    };
    sample.records().iter().any(has_messages)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Trajectory<'a> {
    #[serde(borrow)]
    id: Str<'a>,
    conversations: List<'a>,
    model: Str<'a>,
    timestamp: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    from: Str<'a>,
    value: Text,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for raw in input.deep_records(&mut skipped) {
        let trajectory: Trajectory<'_> = raw.object().unwrap_or_default();
        if trajectory.conversations.0.is_some() {
            transcripts.push(read_trajectory(&trajectory, &mut skipped));
        } else {
            skipped.count("record without conversations");
        }
    }
    error::with_skipped(transcripts, skipped, "hermes", input)
}

fn read_trajectory(trajectory: &Trajectory<'_>, skipped: &mut Skipped) -> Transcript {
    let mut builder = Builder { model: trajectory.model.non_empty(), ..Builder::default() };
    let messages: Vec<&Raw<'_>> =
        trajectory.conversations.0.iter().flatten().filter(|raw| skipped.accepts(raw)).collect();
    for raw in messages {
        let wire: WireMessage<'_> = raw.object().unwrap_or_default();
        let text = wire.value.0.unwrap_or_default();
        match wire.from.as_str() {
            "system" => builder.messages.push(Message::text(Role::System, text)),
            "human" | "user" => builder.messages.push(Message::text(Role::User, text)),
            "gpt" | "assistant" | "model" => builder.add_reply(&text),
            "tool" | "function" | "observation" => builder.add_results(&text),
            other => skipped.count(&format!("message:{other}")),
        }
    }
    Transcript {
        id: trajectory.id.as_str().to_owned(),
        model: trajectory.model.non_empty(),
        started: trajectory.timestamp.get().map(time::from_naive),
        messages: builder.messages.into_iter().map(Into::into).collect(),
        ..Transcript::default()
    }
}

/// The messages so far.
#[derive(Default)]
struct Builder {
    model: Option<SmolStr>,
    messages: Vec<Message>,
    /// The number of calls.
    calls: usize,
    /// The calls of the last reply without a result: id and tool.
    open: Vec<(SmolStr, SmolStr)>,
}

impl Builder {
    fn add_reply(&mut self, text: &str) {
        self.open.clear();
        let mut parts = Vec::new();
        for (tag, content) in tagged(text, &["think", "tool_call"]) {
            let content = content.trim();
            match (tag, serde_json::from_str::<Json>(content)) {
                (Some("tool_call"), Ok(call)) => parts.push(self.call(&call)),
                (Some("think"), _) if !content.is_empty() => {
                    parts.push(Part::new(Body::Thinking { text: content.into(), signature: None }));
                }
                (_, _) if content.is_empty() => {}
                _ => parts.push(Part::text(content)),
            }
        }
        self.messages.push(Message { model: self.model.clone(), ..Message::new(Role::Assistant, parts) });
    }

    fn call(&mut self, call: &Json) -> Part {
        self.calls += 1;
        let id =
            call.get("id").and_then(Json::as_str).map_or_else(|| format_smolstr!("call-{}", self.calls), SmolStr::new);
        let name = SmolStr::new(call.get("name").and_then(Json::as_str).unwrap_or_default());
        self.open.push((id.clone(), name.clone()));
        let arguments = match call.get("arguments") {
            Some(Json::String(text)) => Arguments::Text(text.as_str().into()),
            Some(json) => Arguments::from(json.clone()),
            None => Arguments::Text("".into()),
        };
        Part::call(id, name, arguments)
    }

    fn add_results(&mut self, text: &str) {
        for (_, content) in tagged(text, &["tool_response"]).into_iter().filter(|(tag, _)| tag.is_some()) {
            let content = content.trim();
            let response: Json = serde_json::from_str(content).unwrap_or_default();
            let (id, name) = if self.open.is_empty() { Default::default() } else { self.open.remove(0) };
            let text = match response.get("content") {
                Some(Json::String(text)) => text.clone(),
                Some(json) => json.to_string(),
                None => content.to_owned(),
            };
            let name = Some(name).filter(|name| !name.is_empty());
            let result = ToolResult { id, name, text: text.into(), attachments: Vec::new(), is_error: false };
            self.messages.push(Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(result)))]));
        }
    }
}

/// The text between and inside these tags, in order. A tag without an end goes to the end of the text.
fn tagged<'a, 't>(mut text: &'a str, tags: &[&'t str]) -> Vec<(Option<&'t str>, &'a str)> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let opening = |tag: &&'t str| Some((text.find(&format!("<{tag}>"))?, *tag));
        let Some((at, tag)) = tags.iter().filter_map(opening).min() else {
            pieces.push((None, text));
            break;
        };
        let (before, rest) = text.split_at(at);
        let inside = rest.get(tag.len() + 2..).unwrap_or_default();
        let end = format!("</{tag}>");
        let (content, after) = inside.split_once(end.as_str()).unwrap_or((inside, ""));
        pieces.extend([(None, before), (Some(tag), content)]);
        text = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use crate::transcript;

    #[test]
    fn tags_are_reasoning_calls_and_results() {
        let gpt = "<think>\nhm\n</think>\nI look.\n<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"p\": 1}}\n</tool_call>\n<tool_call>\n{\"name\": \"cat\", \"arguments\": {}}\n</tool_call>";
        let tool = "<tool_response>\n{\"tool_call_id\": \"x\", \"name\": \"ls\", \"content\": \"a\"}\n</tool_response>\n<tool_response>\n{\"content\": {\"b\": 2}}\n</tool_response>";
        let messages = serde_json::json!([
            {"from": "system", "value": "Fix."}, {"from": "human", "value": "go"}, {"from": "gpt", "value": gpt},
            {"from": "tool", "value": tool}, {"from": "gpt", "value": "<think>\n</think>\ndone <tool_call>oops"}]);
        let line = serde_json::json!({"conversations": messages, "timestamp": "2026-03-01T10:00:00.5", "model": "m", "completed": true});
        let file = transcript::read(format!("{line}\n{line}\n").as_bytes(), None).expect("reads");
        assert_eq!((file.format, file.transcripts.len()), ("hermes", 2));
        let read = &file.transcripts[0];
        let roles: String = read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect();
        assert_eq!((roles.as_str(), read.started.as_deref()), ("suatta", Some("2026-03-01T10:00:00.5Z")));
        let calls: Vec<_> = read.messages[2].calls().map(|(id, name, _)| (id.as_str(), name.as_str())).collect();
        assert_eq!(calls, [("call-1", "ls"), ("call-2", "cat")]);
        let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
        let found: Vec<_> = results.iter().map(|result| (result.id.as_str(), result.text.as_ref())).collect();
        assert_eq!(found, [("call-1", "a"), ("call-2", r#"{"b":2}"#)]);
        assert_eq!(read.messages[5].plain_text(), "doneoops");
    }
}
