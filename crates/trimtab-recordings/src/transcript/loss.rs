//! The check that a reader has recognised the format of a file.
//!
//! A reader passes over what it does not know. If it loses every message, every reply, every call or every result that a file
//! holds, or knows none of the blocks of its messages, the file has another format. [`check`] makes that an error.

use memchr::memmem;
use serde_json::Value as Json;
use trimtab_base::conversation::{Body, Message, Role};

use super::record::{BROKEN_LINE, Input, Skipped};
use super::{Format, Quirk, ReadError, Transcript, error};

/// A kind of content of which a reader has kept nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Messages,
    /// The replies, though not the messages of a person.
    Replies,
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
            Self::Replies => "replies",
            Self::Content => "content blocks of a known type",
            Self::Calls => "tool calls",
            Self::Results => "tool results",
        }
    }
}

/// Kinds of records that a reader skips on purpose: they are not in the context, or are damaged.
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

/// Words in the type names of calls of tools that the provider runs. No client answers them.
const PROVIDER_CALLS: [&str; 3] = ["server", "mcp", "search"];

/// The keys of the arguments of a call.
const ARGUMENTS: [&str; 5] = ["input", "arguments", "args", "parameters", "params"];

/// The words in the name of an unknown kind of record that stands for a part of a conversation.
const CONVERSATION_WORDS: [&str; 10] =
    ["message", "messages", "item", "turn", "conversation", "prompt", "content", "chat", "llm", "reply"];

/// The words in the name of an unknown kind of record that stands for a reply.
const REPLY_WORDS: [&str; 5] = ["llm", "assistant", "response", "completion", "generation"];

/// The keys whose value is the type of a block or of a record.
const TYPE_KEYS: [&str; 4] = ["\"type\"", "\"kind\"", "\"part_kind\"", "\"block_type\""];

/// The keys of parts of the Gemini API, whose parts have no type.
const UNTYPED: [&str; 5] = ["executableCode", "codeExecutionResult", "fileData", "inlineData", "videoMetadata"];

/// Fails if a reader has lost all of something that the file holds.
pub(super) fn check(transcripts: &[Transcript], format: &Format, input: &Input<'_>) -> Result<(), ReadError> {
    find(transcripts, format, input).map_or(Ok(()), |loss| Err(error::lost(loss.noun(), format, input)))
}

fn find(transcripts: &[Transcript], format: &Format, input: &Input<'_>) -> Option<Loss> {
    if format.has(Quirk::Selective) {
        return None;
    }
    let skipped = |kind: &str| transcripts.iter().filter_map(|one| one.skipped.get(kind)).sum::<u64>();
    let left_out = usize::try_from(LEFT_OUT.into_iter().map(skipped).sum::<u64>()).unwrap_or(usize::MAX);
    let messages = || transcripts.iter().flat_map(|transcript| &transcript.messages);
    // Whether more records match `is_in` than were left out on purpose.
    let holds = |is_in: fn(&str) -> bool| {
        let records = input.records(&mut Skipped::default());
        records.into_iter().filter(|record| is_in(record.get())).nth(left_out).is_some()
    };
    if messages().next().is_none() {
        // The file of an agent of the harness, such as a summariser, has calls and no messages.
        if transcripts.iter().any(|transcript| !transcript.harness_calls.is_empty()) {
            return None;
        }
        let is_lost = skips(transcripts, &CONVERSATION_WORDS) || holds(has_messages) || holds(has_messages_by_type);
        return is_lost.then_some(Loss::Messages);
    }
    let replies = || messages().filter(|message| message.role == Role::Assistant);
    if replies().next().is_none() && skips(transcripts, &REPLY_WORDS) {
        return Some(Loss::Replies);
    }
    let calls = messages().any(|message| message.calls().next().is_some());
    if !calls && (replies().any(|reply| has_unknown_call(reply)) || holds(has_calls)) {
        return Some(Loss::Calls);
    }
    let are_lost = || messages().all(|message| message.results().next().is_none() && !keeps_results(message));
    if calls && are_lost() && holds(has_results) {
        return Some(Loss::Results);
    }
    let of = |role| messages().filter(move |message| message.role == role).map(AsRef::as_ref);
    // An interrupted reply may be empty. But of several user messages, at least one has content.
    let empty_replies =
        transcripts.iter().flat_map(|one| &one.skipped).filter(|(kind, _)| kind.starts_with("empty reply"));
    let count = of(Role::User).count() as u64 + empty_replies.map(|(_, count)| count).sum::<u64>();
    let are_empty =
        of(Role::User).all(|message| message.parts.is_empty()) && of(Role::User).next().is_some() && count > 1;
    (are_empty || is_unknown(of(Role::User)) || is_unknown(of(Role::Assistant))).then_some(Loss::Content)
}

/// Whether records were skipped that a reader does not know and whose kind has one of these words in its name. A key
/// with a space is a note by the reader, not a kind of record.
fn skips(transcripts: &[Transcript], words: &[&str]) -> bool {
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

/// Who writes messages.
const ROLES: [&str; 6] = ["user", "human", "assistant", "model", "ai", "gemini"];

/// Whether the JSON text of a record holds a message of a person or a reply.
fn has_messages(json: &str) -> bool {
    ROLES.into_iter().any(|role| has_value(json, role, &["\"role\""]))
}

/// Whether the JSON text of a record is a message of a person or a reply by its type.
fn has_messages_by_type(json: &str) -> bool {
    ROLES.into_iter().any(|role| has_value(json, role, &TYPE_KEYS))
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
