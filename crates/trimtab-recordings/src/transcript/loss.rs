//! The check that a reader has recognised the format of a file.
//!
//! A reader passes over what it does not know. If it loses every message, every call or every result that a file holds, or
//! knows none of the blocks of its messages, the file has another format. [`check`] makes that an error.

use memchr::memmem;
use serde_json::Value as Json;
use trimtab_base::conversation::{Body, Message, Role};

use super::record::{BROKEN_LINE, Input, Skipped};
use super::{Format, ReadError, Transcript, error};

/// What a reader has lost, all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Messages,
    /// The content of all messages of a person, or of all replies.
    Content,
    Calls,
    /// The results of all calls.
    Results,
}

impl Loss {
    /// The lost things, in the plural.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Content => "content blocks of a known type",
            Self::Calls => "tool calls",
            Self::Results => "tool results",
        }
    }
}

/// The formats that may leave out all calls of a file: those of a simulated user, or of a scorer. Trimtab JSONL keeps
/// unknown parts on purpose.
const EXEMPT: [&str; 3] = ["trimtab", "tau2", "inspect"];

/// The skipped kinds of records that a reader leaves out although it knows their format: they are not in the context, or are
/// damaged.
const LEFT_OUT: [&str; 6] =
    ["other branch", "copied message", "repeated record", "replaced message", "record without a type", BROKEN_LINE];

/// The types of blocks that are calls of a client's tool, and the keys of such a call.
const CALLS: [&str; 10] = [
    "tool_use",
    "toolUse",
    "tool-use",
    "tool_call",
    "toolCall",
    "tool-call",
    "function_call",
    "functionCall",
    "tool_request",
    "toolRequest",
];

/// The keys of lists of calls.
const CALL_LISTS: [&str; 7] =
    ["tool_calls", "toolCalls", "tool_uses", "toolUses", "tool_requests", "toolRequests", "toolInvocations"];

/// The types of blocks that are results, and the keys of such a result.
const RESULTS: [&str; 13] = [
    "tool_result",
    "toolResult",
    "tool-result",
    "tool-return",
    "tool_response",
    "toolResponse",
    "tool_call_result",
    "tool_call_output",
    "function_call_output",
    "function_response",
    "functionResponse",
    "function_result",
    "functionResult",
];

/// The keys whose value is the type of a block or of a record.
const TYPE_KEYS: [&str; 4] = ["\"type\"", "\"kind\"", "\"part_kind\"", "\"block_type\""];

/// The keys of parts of the Gemini API, whose parts have no type.
const UNTYPED: [&str; 5] = ["executableCode", "codeExecutionResult", "fileData", "inlineData", "videoMetadata"];

/// Fails if a reader has lost all of something that the file holds.
pub(super) fn check(transcripts: &[Transcript], format: &Format, input: &Input<'_>) -> Result<(), ReadError> {
    find(transcripts, format, input).map_or(Ok(()), |loss| Err(error::lost(loss.noun(), format, input)))
}

fn find(transcripts: &[Transcript], format: &Format, input: &Input<'_>) -> Option<Loss> {
    if EXEMPT.contains(&format.name) {
        return None;
    }
    let skipped = |kind: &str| transcripts.iter().filter_map(|one| one.skipped.get(kind)).sum::<u64>();
    let left_out = usize::try_from(LEFT_OUT.into_iter().map(skipped).sum::<u64>()).unwrap_or(usize::MAX);
    let messages = || transcripts.iter().flat_map(|transcript| &transcript.messages);
    // More records have it than were left out.
    let holds = |is_in: fn(&str) -> bool| {
        let records = input.records(&mut Skipped::default());
        records.into_iter().filter(|record| is_in(record.get())).nth(left_out).is_some()
    };
    if messages().next().is_none() {
        // The calls of an agent of the harness are what its file holds.
        if transcripts.iter().any(|transcript| !transcript.harness_calls.is_empty()) {
            return None;
        }
        return holds(has_messages).then_some(Loss::Messages);
    }
    let calls = messages().any(|message| message.calls().next().is_some());
    if !calls && holds(has_calls) {
        return Some(Loss::Calls);
    }
    let are_lost = || messages().all(|message| message.results().next().is_none() && !keeps_results(message));
    if calls && are_lost() && holds(has_results) {
        return Some(Loss::Results);
    }
    let lacks_content = |role| is_unknown(messages().filter(|message| message.role == role).map(AsRef::as_ref));
    (lacks_content(Role::User) || lacks_content(Role::Assistant)).then_some(Loss::Content)
}

/// Whether a reply has something like a result, which no client sends there and which therefore stays as it is.
fn keeps_results(message: &Message) -> bool {
    let is_result = |body: &Body| matches!(body, Body::Other(json) if has_results(&json.to_string()));
    message.role == Role::Assistant && message.parts.iter().any(|part| is_result(&part.body))
}

/// Whether messages have content, all of it in blocks without a type.
fn is_unknown<'a>(messages: impl Iterator<Item = &'a Message>) -> bool {
    let is_unknown = |body: &Body| matches!(body, Body::Other(json) if is_untyped(json));
    let mut bodies = messages.flat_map(|message| &message.parts).map(|part| &part.body).peekable();
    bodies.peek().is_some() && bodies.all(is_unknown)
}

fn is_untyped(json: &Json) -> bool {
    let Json::Object(fields) = json else { return false };
    !fields.is_empty() && !fields.contains_key("type") && !UNTYPED.iter().any(|key| fields.contains_key(*key))
}

/// Whether the JSON text of a record holds a message of a person or a reply.
fn has_messages(json: &str) -> bool {
    let roles = ["user", "human", "assistant", "model", "ai"];
    roles.into_iter().any(|role| has_value(json, role, &["\"role\""]))
}

/// Whether the JSON text of a record holds a call.
fn has_calls(json: &str) -> bool {
    let has_list = |key| values_of(json, key).any(|value| first_element(value).is_some());
    CALLS.into_iter().any(|name| has_block(json, name)) || CALL_LISTS.into_iter().any(has_list)
}

/// Whether the JSON text of a record holds a result.
fn has_results(json: &str) -> bool {
    let has_role = |role| has_value(json, role, &["\"role\""]);
    RESULTS.into_iter().any(|name| has_block(json, name)) || ["tool", "toolResult"].into_iter().any(has_role)
}

/// Whether an object has this type, or a field with this name that is a call or result and not the schema of one.
fn has_block(json: &str, name: &str) -> bool {
    let is_schema =
        |fields: &str| ["\"type\"", "\"description\"", "\"title\"", "}"].iter().any(|key| fields.starts_with(key));
    let is_object = |value: &str| value.strip_prefix('{').is_some_and(|fields| !is_schema(fields.trim_start()));
    has_value(json, name, &TYPE_KEYS) || values_of(json, name).any(is_object)
}

/// The first element of a list of objects.
fn first_element(list: &str) -> Option<&str> {
    Some(list.strip_prefix('[')?.trim_start()).filter(|rest| rest.starts_with('{'))
}

/// Whether one of these keys has this text as its value.
fn has_value(json: &str, text: &str, keys: &[&str]) -> bool {
    strings(json, text).any(|(before, _)| {
        let key = before.trim_end().strip_suffix(':').unwrap_or_default().trim_end();
        keys.iter().any(|name| key.ends_with(name))
    })
}

/// The JSON from the value of each field with this name on.
fn values_of<'a>(json: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    strings(json, key).filter_map(|(_, after)| after.trim_start().strip_prefix(':').map(str::trim_start))
}

/// What is before and after each string of this text. A string that contains it has escaped quotes around it.
fn strings<'a>(json: &'a str, text: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let quoted = format!("\"{text}\"");
    let length = quoted.len();
    let found: Vec<usize> = memmem::find_iter(json.as_bytes(), quoted.as_bytes()).collect();
    found.into_iter().filter_map(move |at| Some((json.get(..at)?, json.get(at + length..)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript;

    fn error(text: &str, format: Option<&str>) -> String {
        transcript::read(text.as_bytes(), format)
            .map_or_else(|error| error.message, |file| format!("read: {}", file.format))
    }

    #[test]
    fn a_format_in_which_all_calls_are_lost_is_not_that_of_the_file() {
        let lines = [
            r#"{"type":"session","timestamp":"t","cwd":"/","id":"s"}"#,
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":[{"type":"text","text":"go"}]}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"function_call","id":"c","name":"ls","input":{}}]}}"#,
        ];
        let text = lines.join("\n");
        assert_eq!(
            error(&text, None),
            "found no tool calls as `pi` (pi sessions), although the file has some: it is in another format, or in a version \
             of this one that is not supported"
        );
        let fine = text.replace("function_call", "toolCall");
        assert_eq!(error(&fine, None), "read: pi");
    }

    #[test]
    fn a_format_in_which_all_messages_or_results_are_lost_is_not_that_of_the_file() {
        let line = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","pieces":[{"words":"go"}]}}"#;
        assert!(error(line, None).starts_with("found no messages as `claude_code`"));
        let chat = r#"[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},
            {"role":"user","content":[{"tool_call_result":{"id":"c","result":"x"}}]}]"#;
        assert!(error(chat, None).starts_with("found no tool results as `openai_chat`"));
    }

    #[test]
    fn messages_without_one_known_block_are_not_read() {
        let chat = r#"{"messages":[{"role":"user","content":[{"words":"go"}]},{"role":"assistant","content":[{"words":"ok"}]}]}"#;
        assert!(error(chat, None).starts_with("found no content blocks of a known type as `openai_chat`"));
        let mixed = r#"[{"role":"user","content":[{"type":"file","path":"a"}]},{"role":"assistant","content":"ok"}]"#;
        assert_eq!(error(mixed, None), "read: openai_chat");
    }

    #[test]
    fn schemas_texts_and_empty_lists_are_no_calls() {
        let none = [
            r#"{"tools":[{"schema":{"properties":{"tool_uses":{"type":"array"},"tool_call":{"type":"object"}}}}]}"#,
            r#"{"content":"{\"type\":\"tool_use\",\"tool_calls\":[{}]}","stop_reason":"tool_use"}"#,
            r#"{"tool_calls":[],"function_call":null,"toolUse":{}}"#,
        ];
        assert!(!none.into_iter().any(has_calls));
        let some = [
            r#"{"type" : "tool_use"}"#,
            r#"{"toolUse": {"toolUseId":"a"}}"#,
            r#"{"tool_calls": [ {"id":"a"}]}"#,
            r#"{"part_kind":"tool-call"}"#,
        ];
        assert!(some.into_iter().all(has_calls));
    }

    #[test]
    fn calls_on_another_branch_may_be_left_out() {
        let lines = [
            r#"{"type":"session","timestamp":"t","cwd":"/","id":"s"}"#,
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"go"}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls"}]}}"#,
            r#"{"type":"message","id":"d","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"ok"}]}}"#,
        ];
        assert_eq!(error(&lines.join("\n"), None), "read: pi");
    }
}
