//! The check that a reader has found the content of a file.
//!
//! A reader skips what it does not know. If a file has messages, replies, tool calls or tool results and the reader
//! finds none of them, or knows no block of the messages, the file has another format. [`check`] makes that an error.

use memchr::memmem;
use serde_json::Value as Json;
use trimtab_base::conversation::{Body, Message, Role};

use super::record::{BROKEN_LINE, Input, Skipped};
use super::{Format, Quirk, ReadError, Transcript, error};

/// A kind of content that a file has and of which its reader found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Messages,
    /// The replies; messages of a person were found.
    Replies,
    /// The content of the messages of a person, or of the replies.
    Content,
    Calls,
    /// The results; calls were found.
    Results,
}

impl Missing {
    /// The missing content, as a noun in the plural.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Replies => "replies",
            Self::Content => "content blocks of a known type",
            Self::Calls => "tool calls",
            Self::Results => "tool results",
        }
    }
}

/// The kinds of records that readers skip on purpose: they are not in the context, or are damaged.
const SKIPPED_ON_PURPOSE: [&str; 6] =
    ["other branch", "copied message", "repeated record", "replaced message", "record without a type", BROKEN_LINE];

/// The types of blocks that call a client's tool, and the keys of objects that do.
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

/// The keys of lists of tool calls.
const CALL_LISTS: [&str; 7] =
    ["tool_calls", "toolCalls", "tool_uses", "toolUses", "tool_requests", "toolRequests", "toolInvocations"];

/// The types of blocks that are tool results, and the keys of objects that are.
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

/// The words in the types of blocks that call a tool of the provider. Clients send no results for these calls.
const PROVIDER_CALLS: [&str; 3] = ["server", "mcp", "search"];

/// The keys of the arguments of a tool call.
const ARGUMENTS: [&str; 5] = ["input", "arguments", "args", "parameters", "params"];

/// The words that show that an unknown kind of record is a part of a conversation.
const CONVERSATION_WORDS: [&str; 10] =
    ["message", "messages", "item", "turn", "conversation", "prompt", "content", "chat", "llm", "reply"];

/// The words that show that an unknown kind of record is a reply.
const REPLY_WORDS: [&str; 5] = ["llm", "assistant", "response", "completion", "generation"];

/// The keys whose value is the type of a block or of a record.
const TYPE_KEYS: [&str; 4] = ["\"type\"", "\"kind\"", "\"part_kind\"", "\"block_type\""];

/// The keys of known parts of the Gemini API, whose parts have no type.
const GEMINI_PARTS: [&str; 5] = ["executableCode", "codeExecutionResult", "fileData", "inlineData", "videoMetadata"];

/// Returns an error if the file has messages, replies, tool calls, tool results or known blocks and the reader found
/// none of them.
pub(super) fn check(transcripts: &[Transcript], format: &Format, input: &Input<'_>) -> Result<(), ReadError> {
    find(transcripts, format, input).map_or(Ok(()), |missing| Err(error::missing(missing.noun(), format, input)))
}

/// The content that the file has and the reader did not find.
fn find(transcripts: &[Transcript], format: &Format, input: &Input<'_>) -> Option<Missing> {
    if format.has(Quirk::Selective) {
        return None;
    }
    let skipped = |kind: &str| transcripts.iter().filter_map(|transcript| transcript.skipped.get(kind)).sum::<u64>();
    let skipped = usize::try_from(SKIPPED_ON_PURPOSE.into_iter().map(skipped).sum::<u64>()).unwrap_or(usize::MAX);
    let messages = || transcripts.iter().flat_map(|transcript| &transcript.messages);
    // Whether more records have the content than were skipped on purpose.
    let file_has = |has_content: fn(&str) -> bool| {
        let records = input.records(&mut Skipped::default());
        records.into_iter().filter(|record| has_content(record.get())).nth(skipped).is_some()
    };
    if messages().next().is_none() {
        // The file of an internal agent of the harness, such as a summariser, has calls of the harness and no messages.
        if transcripts.iter().any(|transcript| !transcript.harness_calls.is_empty()) {
            return None;
        }
        let are_missing =
            skips_unknown(transcripts, &CONVERSATION_WORDS) || file_has(has_messages) || file_has(has_messages_by_type);
        return are_missing.then_some(Missing::Messages);
    }
    let replies = || messages().filter(|message| message.role == Role::Assistant);
    if replies().next().is_none() && skips_unknown(transcripts, &REPLY_WORDS) {
        return Some(Missing::Replies);
    }
    let has_read_calls = messages().any(|message| message.calls().next().is_some());
    if !has_read_calls && (replies().any(|reply| has_unknown_call(reply)) || file_has(has_calls)) {
        return Some(Missing::Calls);
    }
    let has_no_results = || messages().all(|message| message.results().next().is_none() && !keeps_results(message));
    if has_read_calls && has_no_results() && file_has(has_results) {
        return Some(Missing::Results);
    }
    let of = |role| messages().filter(move |message| message.role == role).map(AsRef::as_ref);
    // One message of a person may be empty. Several, or one and an empty reply, show that their content was not found.
    let empty_replies = transcripts
        .iter()
        .flat_map(|transcript| &transcript.skipped)
        .filter(|(kind, _)| kind.starts_with("empty reply"));
    let count = of(Role::User).count() as u64 + empty_replies.map(|(_, count)| count).sum::<u64>();
    let are_empty =
        of(Role::User).all(|message| message.parts.is_empty()) && of(Role::User).next().is_some() && count > 1;
    (are_empty || is_unknown(of(Role::User)) || is_unknown(of(Role::Assistant))).then_some(Missing::Content)
}

/// Whether a reader skipped records of an unknown kind with one of these words in its name. A key with a space is a
/// note by the reader, not a kind of record.
fn skips_unknown(transcripts: &[Transcript], words: &[&str]) -> bool {
    let kinds = transcripts.iter().flat_map(|transcript| transcript.skipped.keys());
    let has_word = |kind: &str| kind.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    kinds.filter(|kind| !kind.contains(' ')).any(|kind| has_word(kind))
}

/// Whether a reply has a block of an unknown type that looks like a tool call, with a name and arguments. Calls that the
/// provider executes do not count.
fn has_unknown_call(reply: &Message) -> bool {
    let is_call = |json: &Json| {
        let kind = json["type"].as_str().unwrap_or_default();
        let is_of_provider = PROVIDER_CALLS.iter().any(|word| kind.contains(word));
        let has_arguments = ARGUMENTS.iter().any(|key| json[*key].is_object());
        json["name"].is_string() && has_arguments && !is_of_provider
    };
    reply.parts.iter().any(|part| matches!(&part.body, Body::Other(json) if is_call(json)))
}

/// Whether a message is a reply that keeps something like a tool result as it is: clients send no results in replies.
fn keeps_results(message: &Message) -> bool {
    let is_result = |body: &Body| matches!(body, Body::Other(json) if has_results(&json.to_string()));
    message.role == Role::Assistant && message.parts.iter().any(|part| is_result(&part.body))
}

/// Whether messages have content, but only in blocks without a type.
fn is_unknown<'a>(messages: impl Iterator<Item = &'a Message>) -> bool {
    let is_unknown = |body: &Body| matches!(body, Body::Other(json) if is_untyped(json));
    let mut bodies = messages.flat_map(|message| &message.parts).map(|part| &part.body).peekable();
    bodies.peek().is_some() && bodies.all(is_unknown)
}

fn is_untyped(json: &Json) -> bool {
    let Json::Object(fields) = json else { return false };
    !fields.is_empty() && !fields.contains_key("type") && !GEMINI_PARTS.iter().any(|key| fields.contains_key(*key))
}

/// The roles of people and models in all formats.
const ROLES: [&str; 6] = ["user", "human", "assistant", "model", "ai", "gemini"];

/// Whether the JSON text of a record contains a message of a person or a reply, by its role.
fn has_messages(json: &str) -> bool {
    ROLES.into_iter().any(|role| has_value(json, role, &["\"role\""]))
}

/// Whether the JSON text of a record contains a message of a person or a reply, by its type.
fn has_messages_by_type(json: &str) -> bool {
    ROLES.into_iter().any(|role| has_value(json, role, &TYPE_KEYS))
}

/// Whether the JSON text of a record contains a tool call.
fn has_calls(json: &str) -> bool {
    let has_list = |key| values_of(json, key).any(|value| first_element(value).is_some());
    CALLS.into_iter().any(|name| has_block(json, name)) || CALL_LISTS.into_iter().any(has_list)
}

/// Whether the JSON text of a record contains a tool result.
fn has_results(json: &str) -> bool {
    let has_role = |role| has_value(json, role, &["\"role\""]);
    RESULTS.into_iter().any(|name| has_block(json, name)) || ["tool", "toolResult"].into_iter().any(has_role)
}

/// Whether an object has this type, or a field with this name whose value is an object and no schema.
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

/// Whether one of these keys has this text as its value, anywhere in the JSON text.
fn has_value(json: &str, text: &str, keys: &[&str]) -> bool {
    strings(json, text).any(|(before, _)| {
        let key = before.trim_end().strip_suffix(':').unwrap_or_default().trim_end();
        keys.iter().any(|name| key.ends_with(name))
    })
}

/// For each field with this name, the JSON text from its value on.
fn values_of<'a>(json: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    strings(json, key).filter_map(|(_, after)| after.trim_start().strip_prefix(':').map(str::trim_start))
}

/// The texts before and after each JSON string that equals `text`. Inside another JSON string its quotes are escaped, so it
/// does not match there.
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
    fn a_file_whose_calls_are_not_found_has_another_format() {
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
    fn a_file_whose_messages_or_results_are_not_found_has_another_format() {
        let line = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","pieces":[{"words":"go"}]}}"#;
        assert!(error(line, None).starts_with("found no messages as `claude_code`"));
        let chat = r#"[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},
            {"role":"user","content":[{"tool_call_result":{"id":"c","result":"x"}}]}]"#;
        assert!(error(chat, None).starts_with("found no tool results as `openai_chat`"));
    }

    #[test]
    fn a_file_without_a_known_block_has_another_format() {
        let chat = r#"{"messages":[{"role":"user","content":[{"words":"go"}]},{"role":"assistant","content":[{"words":"ok"}]}]}"#;
        assert!(error(chat, None).starts_with("found no content blocks of a known type as `openai_chat`"));
        let mixed = r#"[{"role":"user","content":[{"type":"file","path":"a"}]},{"role":"assistant","content":"ok"}]"#;
        assert_eq!(error(mixed, None), "read: openai_chat");
    }

    #[test]
    fn records_of_unknown_kinds_are_not_taken_for_an_empty_session() {
        let codex = [
            r#"{"timestamp":"2026-10-02T09:00:00Z","type":"session_meta","payload":{"id":"x"}}"#,
            r#"{"timestamp":"2026-10-02T09:00:00Z","type":"conversation_item","payload":{"text":"go"}}"#,
        ];
        assert!(error(&codex.join("\n"), None).starts_with("found no messages as `codex`"));
        assert_eq!(error(codex[0], None), "read: codex");
        let gemini = r#"{"sessionId":"s","projectHash":"x","startTime":"t","lastUpdated":"t","messages":[
            {"id":"0","timestamp":"t","type":"user","body":"go"},{"id":"1","timestamp":"t","type":"gemini","body":"ok"}]}"#;
        assert!(error(gemini, None).starts_with("found no messages as `gemini_chat`"));
        let parts = [
            r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#,
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","parts":[{"text":"go"}]}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","parts":[{"text":"ok"}]}}"#,
        ];
        assert!(error(&parts.join("\n"), None).starts_with("found no content blocks of a known type as `pi`"));
    }

    #[test]
    fn blocks_of_an_unknown_type_with_a_name_and_arguments_are_calls() {
        let chat = |kind: &str| {
            let call = format!(r#"{{"type":"{kind}","id":"1","name":"ls","input":{{}}}}"#);
            format!(r#"{{"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{call}]}}]}}"#)
        };
        assert!(error(&chat("invoke"), None).starts_with("found no tool calls as"));
        assert!(error(&chat("server_tool_use"), None).starts_with("read: "));
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
    fn calls_on_another_branch_may_be_skipped() {
        let lines = [
            r#"{"type":"session","timestamp":"t","cwd":"/","id":"s"}"#,
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"go"}}"#,
            r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"ls"}]}}"#,
            r#"{"type":"message","id":"d","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"ok"}]}}"#,
        ];
        assert_eq!(error(&lines.join("\n"), None), "read: pi");
    }
}
