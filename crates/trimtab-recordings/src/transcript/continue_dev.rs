//! Sessions of Continue: one object with a history, whose items have a message, the context that was added to it, and the
//! states of its calls.
//!
//! The results of calls are in these states, unless messages of tools follow. A summary resets the context after its item.

use serde::Deserialize;
use smol_str::SmolStr;
use trimtab_base::conversation::{Body, Compaction, HarnessEdits, Message, Part, Role, ToolResult, Usage};

use super::record::{self, Input, Skipped};
use super::sample::{Sample, ShallowValue};
use super::wire::{self, List, Raw, Str, Text, TokenCount};
use super::{Format, ReadError, Reader, Transcript, error, first_model, openai_chat, usage};

/// Sessions of Continue.
pub(super) static CONTINUE: Format = Format {
    name: "continue",
    title: "Continue sessions",
    summary: "session files under `~/.continue/sessions`",
    sniff,
    reader: Reader::File(read),
    line: None,
    quirks: &[],
};

fn sniff(sample: &Sample<'_>) -> bool {
    let is_item = |item: &ShallowValue<'_>| {
        let has_state = ["contextItems", "toolCallStates", "editorState", "promptLogs"].iter().any(|key| item.has(key));
        has_state && item.field("message").is_some_and(|message| message.has("role"))
    };
    let has_items = |record: &ShallowValue<'_>| {
        record.has("sessionId")
            && record.field("history").is_some_and(|history| history.elements(9).iter().any(is_item))
    };
    sample.records().iter().any(has_items)
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireSession<'a> {
    #[serde(borrow, rename = "sessionId")]
    id: Str<'a>,
    history: List<'a>,
    chat_model_title: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    message: Option<Raw<'a>>,
    context_items: List<'a>,
    tool_call_states: List<'a>,
    conversation_summary: Text,
}

/// The fields of a message that Continue spells in another way than the Chat Completions API.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireMessage<'a> {
    #[serde(borrow)]
    role: Str<'a>,
    tool_calls: List<'a>,
    tool_call_id: Str<'a>,
    #[serde(deserialize_with = "wire::lenient")]
    usage: WireUsage<'a>,
    signature: Str<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct WireUsage<'a> {
    #[serde(borrow)]
    model: Str<'a>,
    #[serde(alias = "prompt_tokens")]
    prompt_tokens: TokenCount,
    #[serde(alias = "completion_tokens")]
    completion_tokens: TokenCount,
    #[serde(alias = "prompt_tokens_details", deserialize_with = "wire::lenient")]
    prompt_tokens_details: PromptTokensDetails,
}

impl WireUsage<'_> {
    /// Returns the usage, or `None` if all counts are 0. Whether the prompt includes the cache depends on the provider:
    /// not with Claude.
    fn usage(&self) -> Option<Usage> {
        let PromptTokensDetails { cached_tokens: read, cache_write_tokens: write } = self.prompt_tokens_details;
        let recorded = [self.prompt_tokens, read, write, self.completion_tokens];
        let exceeds = read.or_zero().saturating_add(write.or_zero()) > self.prompt_tokens.or_zero();
        let is_beside = exceeds || self.model.as_str().contains("claude");
        let usage = if is_beside { usage::beside_cache(recorded) } else { usage::with_cache(recorded) };
        Some(usage).filter(|usage| usage.total() > 0)
    }
}

#[derive(Clone, Copy, Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct PromptTokensDetails {
    #[serde(alias = "cached_tokens")]
    cached_tokens: TokenCount,
    #[serde(alias = "cache_write_tokens")]
    cache_write_tokens: TokenCount,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ToolCallState<'a> {
    #[serde(borrow)]
    tool_call_id: Str<'a>,
    status: Str<'a>,
    output: List<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ContextItem {
    content: Text,
}

fn read(input: &Input<'_>) -> Result<Vec<Transcript>, ReadError> {
    let mut skipped = Skipped::default();
    let mut transcripts = Vec::new();
    for raw in input.deep_records(&mut skipped) {
        match raw.parse::<WireSession<'_>>() {
            Some(session) if raw.is_object() && session.history.0.is_some() => {
                transcripts.push(read_session(&session, &mut skipped));
            }
            Some(_) => skipped.count("record without a history"),
            None => skipped.count(record::BROKEN_LINE),
        }
    }
    error::with_skipped(transcripts, skipped, "continue", input)
}

fn read_session(session: &WireSession<'_>, skipped: &mut Skipped) -> Transcript {
    let mut builder = Builder::default();
    let items: Vec<_> = session.history.0.iter().flatten().filter(|raw| skipped.accepts(raw)).collect();
    for raw in items {
        builder.add(raw.object().unwrap_or_default(), skipped);
    }
    let messages: Vec<_> = builder.messages.into_iter().map(Into::into).collect();
    Transcript {
        id: session.id.as_str().to_owned(),
        model: first_model(&messages).or_else(|| session.chat_model_title.non_empty()),
        messages,
        ..Transcript::default()
    }
}

/// The messages so far.
#[derive(Default)]
struct Builder {
    messages: Vec<Message>,
    /// The results of the calls of the last reply, unless messages of tools follow.
    open: Vec<ToolResult>,
    /// Reasoning that was recorded before its reply.
    reasoning: Vec<Part>,
}

impl Builder {
    fn add(&mut self, item: Item<'_>, skipped: &mut Skipped) {
        let read =
            item.message.and_then(|raw| Some((raw.object::<WireMessage<'_>>()?, openai_chat::parse_message(raw)?)));
        let Some((wire, mut message)) = read else { return skipped.count("item without a message") };
        if message.role == Role::Tool {
            self.answer(&wire, message);
        } else {
            self.flush_results();
            let context = item.context_items.0.iter().flatten().filter_map(content).map(Part::text);
            if wire.role.as_str() == "thinking" {
                self.reasoning.extend(thinking(&message, &wire));
            } else {
                if message.role == Role::User {
                    message.parts.extend(context);
                }
                self.push(message, &wire, skipped);
                self.open = item.tool_call_states.0.iter().flatten().filter_map(result).collect();
            }
        }
        if let Some(summary) = item.conversation_summary.0.filter(|text| !text.is_empty()) {
            self.flush_results();
            // Continue does not record who asked for the summary.
            let compaction = Some(Compaction::default());
            let harness_edits = Some(Box::new(HarnessEdits { compaction, ..HarnessEdits::default() }));
            let summary = Message::text(Role::User, summary);
            self.messages.push(Message { harness: true, resets: true, harness_edits, ..summary });
        }
    }

    /// Adds the result in a message of a tool.
    fn answer(&mut self, wire: &WireMessage<'_>, mut message: Message) {
        let id = SmolStr::new(wire.tool_call_id.as_str());
        let state = self.open.iter().position(|result| result.id == id).map(|at| self.open.remove(at));
        for part in &mut message.parts {
            if let Body::ToolResult(result) = &mut part.body {
                result.id.clone_from(&id);
                result.is_error |= state.as_ref().is_some_and(|state| state.is_error);
            }
        }
        self.messages.push(message);
    }

    fn push(&mut self, mut message: Message, wire: &WireMessage<'_>, skipped: &mut Skipped) {
        if message.role == Role::Assistant {
            let calls = wire.tool_calls.0.iter().flatten().copied().map(openai_chat::parse_call).map(Part::new);
            message.parts.extend(calls);
            message.parts.splice(0..0, std::mem::take(&mut self.reasoning));
            message.usage = wire.usage.usage();
            message.model = wire.usage.model.non_empty();
            if message.parts.is_empty() && message.usage.is_none() {
                return skipped.count("empty reply");
            }
        }
        self.messages.push(message);
    }

    fn flush_results(&mut self) {
        let results = std::mem::take(&mut self.open).into_iter();
        self.messages
            .extend(results.map(|one| Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(one)))])));
    }
}

/// The reasoning in a message of its own.
fn thinking(message: &Message, wire: &WireMessage<'_>) -> Option<Part> {
    let signature = wire.signature.get().filter(|text| !text.is_empty()).map(Into::into);
    let text = message.plain_text();
    (!text.is_empty() || signature.is_some()).then(|| Part::new(Body::Thinking { text: text.into(), signature }))
}

fn content(raw: &Raw<'_>) -> Option<std::sync::Arc<str>> {
    raw.object::<ContextItem>()?.content.0.filter(|text| !text.is_empty())
}

/// Returns the result of a call, or `None` while it runs.
fn result(raw: &Raw<'_>) -> Option<ToolResult> {
    let state: ToolCallState<'_> = raw.object()?;
    let is_error = match state.status.as_str() {
        "done" => false,
        "errored" | "canceled" => true,
        _ => return None,
    };
    let texts: Vec<_> = state.output.0.iter().flatten().filter_map(content).collect();
    let id = SmolStr::new(state.tool_call_id.as_str());
    Some(ToolResult { id, name: None, text: texts.join("\n").into(), attachments: Vec::new(), is_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript;

    #[test]
    fn the_states_of_calls_are_results_and_a_summary_resets_the_context() {
        let text = r#"{"sessionId":"s","title":"t","workspaceDirectory":"/w","history":[
            {"message":{"role":"user","content":"go"},"contextItems":[{"name":"a.py","description":"","content":"x = 1"}]},
            {"message":{"role":"thinking","content":"hm","signature":"s"},"contextItems":[]},
            {"message":{"role":"assistant","content":"","usage":{"promptTokens":100,"completionTokens":5,"promptTokensDetails":{"cachedTokens":60}},
              "toolCalls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"cat","arguments":"{}"}}]},
             "contextItems":[],"toolCallStates":[{"toolCallId":"a","status":"done","output":[{"content":"x"}]},
              {"toolCallId":"b","status":"errored","output":[{"content":"no"}]},{"toolCallId":"c","status":"calling"}]},
            {"message":{"role":"tool","content":"own","toolCallId":"b"},"contextItems":[]},
            {"message":{"role":"assistant","content":"ok","usage":{"model":"claude-sonnet-4-5","prompt_tokens":230,"completion_tokens":50,
              "prompt_tokens_details":{"cached_tokens":1844,"cache_write_tokens":30}}},"contextItems":[],"conversationSummary":"So far."},
            {"message":{"role":"user","content":"more"},"contextItems":[]}]}"#;
        let file = transcript::read(text.as_bytes(), None).expect("reads");
        let read = &file.transcripts[0];
        let roles: String = read.messages.iter().filter_map(|message| message.role.word().get(..1)).collect();
        assert_eq!((file.format, roles.as_str()), ("continue", "uattauu"));
        assert_eq!(read.messages[0].plain_text(), "gox = 1");
        assert!(matches!(&read.messages[1].parts[0].body, Body::Thinking { text, .. } if text.as_ref() == "hm"));
        let usage = Usage { input: 40, cache_read: 60, output: 5, ..Usage::default() };
        assert_eq!((read.messages[1].usage, read.messages[1].calls().count()), (Some(usage), 2));
        let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
        let mut outcome: Vec<_> =
            results.iter().map(|result| (result.id.as_str(), result.text.as_ref(), result.is_error)).collect();
        outcome.sort_unstable();
        assert_eq!(outcome, [("a", "x", false), ("b", "own", true)]);
        let beside = Usage { input: 230, cache_read: 1844, cache_write: 30, output: 50, ..Usage::default() };
        assert_eq!((read.messages[4].usage, read.model.as_deref()), (Some(beside), Some("claude-sonnet-4-5")));
        assert!(read.messages[5].resets && read.messages[5].harness && !read.messages[6].resets);
    }
}
