//! Logs of `AgentDojo`: one run of a task in a file, with messages like those of OpenAI chat.
//!
//! A call names its tool and its arguments as `function` and `args`, and a part of content has its text as `content`. The
//! pipeline is recorded, but not the model.

use serde::Deserialize;
use trimtab_base::conversation::{Body, Message, Part, Role, ToolResult};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{Content, List, Raw, Str, Text};
use super::{Format, ReadError, Reader, Transcript, block, error, openai_chat};

/// Logs of `AgentDojo`.
pub(super) static AGENTDOJO: Format = Format {
    name: "agentdojo",
    title: "AgentDojo logs",
    summary: "logs of single runs, with `suite_name`, `user_task_id` and `messages`",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    let is_log =
        |record: &ShallowValue<'_>| ["suite_name", "user_task_id", "messages"].iter().all(|key| record.has(key));
    sample.records().iter().any(is_log)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Log<'a> {
    #[serde(borrow)]
    suite_name: Str<'a>,
    pipeline_name: Str<'a>,
    user_task_id: Str<'a>,
    injection_task_id: Str<'a>,
    messages: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    content: Content<'a>,
    tool_calls: List<'a>,
    tool_call_id: Str<'a>,
    /// The call that a result answers.
    tool_call: Option<Raw<'a>>,
    error: Text,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct WirePart<'a> {
    #[serde(borrow, rename = "type")]
    kind: Str<'a>,
    content: Text,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for record in input.deep_records(&mut skipped) {
        match record.parse::<Log<'_>>() {
            Some(log) if log.messages.0.is_some() => transcripts.push(read_run(&log, &mut skipped)),
            Some(_) => skipped.count("record without messages"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "agentdojo", input)
}

fn read_run(log: &Log<'_>, skipped: &mut Skipped) -> Transcript {
    let mut messages = Vec::new();
    for raw in log.messages.0.iter().flatten().filter(|raw| skipped.accepts(raw)).collect::<Vec<_>>() {
        match raw.object::<WireMessage<'_>>().and_then(message) {
            Some(message) => messages.push(message.into()),
            None => skipped.count("message without a known role"),
        }
    }
    let names = [&log.suite_name, &log.pipeline_name, &log.user_task_id, &log.injection_task_id];
    let names: Vec<&str> = names.into_iter().filter_map(Str::get).filter(|name| !name.is_empty()).collect();
    Transcript { id: names.join("/"), messages, ..Transcript::default() }
}

fn message(mut wire: WireMessage<'_>) -> Option<Message> {
    let bodies = block::parse_parts(std::mem::take(&mut wire.content), parse_part);
    let role = match wire.role.as_str() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => return Some(Message::new(Role::Tool, vec![result(&wire, bodies)])),
        _ => return None,
    };
    let calls = wire.tool_calls.0.iter().flatten().map(|raw| openai_chat::parse_call(*raw));
    let texts = bodies.into_iter().filter(|body| !matches!(body, Body::Text(text) if text.is_empty()));
    Some(Message::new(role, texts.chain(calls).map(Part::new).collect()))
}

/// A result. One with an error has no other content.
fn result(wire: &WireMessage<'_>, bodies: Vec<Body>) -> Part {
    let answered = wire.tool_call.map(openai_chat::parse_call);
    let (called, name) = match answered {
        Some(Body::ToolCall { id, name, .. }) => (Some(id), Some(name)),
        _ => (None, None),
    };
    let error = wire.error.0.clone().filter(|error| !error.is_empty());
    let (text, attachments) = block::join_texts(bodies);
    Part::new(Body::ToolResult(Box::new(ToolResult {
        id: wire.tool_call_id.non_empty().or(called).unwrap_or_default(),
        name: name.filter(|name| !name.is_empty()),
        is_error: error.is_some(),
        text: error.filter(|_| text.is_empty()).unwrap_or(text),
        attachments,
    })))
}

fn parse_part(raw: Raw<'_>) -> Body {
    let own = raw.object::<WirePart<'_>>().filter(|part| part.kind.as_str() == "text");
    own.and_then(|part| part.content.0).map_or_else(|| openai_chat::parse_part(raw), Body::Text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use trimtab_base::conversation::Role;

    use crate::transcript;

    #[test]
    fn calls_results_and_errors_are_paired() {
        let call =
            |id: &str| json!({"function": "send_money", "args": {"amount": 5}, "id": id, "placeholder_args": null});
        let log = json!({"suite_name": "banking", "pipeline_name": "p", "user_task_id": "user_task_1",
            "injection_task_id": null, "utility": true, "security": false, "messages": [
            {"role": "system", "content": [{"type": "text", "content": "Be careful."}]},
            {"role": "user", "content": [{"type": "text", "content": "Pay 5."}]},
            {"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]},
            {"role": "tool", "content": [{"type": "text", "content": ""}], "tool_call_id": "a", "tool_call": call("a"), "error": "ValueError: no"},
            {"role": "tool", "content": "sent", "tool_call": call("b"), "error": null},
            {"role": "assistant", "content": [{"type": "text", "content": "Done."}], "tool_calls": []},
            {"role": "narrator", "content": "x"}]});
        let file = transcript::read(log.to_string().as_bytes(), None).expect("reads");
        assert_eq!((file.format, file.transcripts[0].id.as_str()), ("agentdojo", "banking/p/user_task_1"));
        let messages = &file.transcripts[0].messages;
        let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]);
        let calls: Vec<_> =
            messages[2].calls().map(|(id, name, arguments)| format!("{id} {name} {}", arguments.text())).collect();
        assert_eq!(calls, [r#"a send_money {"amount":5}"#, r#"b send_money {"amount":5}"#]);
        let results: Vec<_> = messages.iter().flat_map(|message| message.results()).collect();
        let shown: Vec<_> = results.iter().map(|one| (one.id.as_str(), one.text.as_ref(), one.is_error)).collect();
        assert_eq!(shown, [("a", "ValueError: no", true), ("b", "sent", false)]);
        assert_eq!(file.transcripts[0].skipped.get("message without a known role"), Some(&1));
    }
}
