//! The history of recordings: their calls, what the context of a call contained, the tools, or the largest parts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::{CallContent, CallHistory, ContentGroup, HeldPart, History, ToolHistory};
use trimtab_simulate::simulate::{ResetCause, Tokens};

use super::SCHEMA_VERSION;
use crate::report::figure::{ByName, number};
use crate::report::history::{HistoryPart, NamedHistory};
use crate::report::replay_result::ReplayError;

/// The result of `trimtab transcript show`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HistoriesResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The transcripts.
    pub transcripts: Vec<HistoryResult>,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// The history of a transcript.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HistoryResult {
    /// The file, with the id inside it if the file contains several transcripts.
    pub id: String,
    /// The file as given.
    pub file: String,
    /// The format of the file.
    pub format: String,
    /// The model of the session.
    pub model: Option<String>,
    /// The context window in tokens.
    pub window: Option<u64>,
    /// The counter of contexts.
    #[schemars(extend("enum" = Tokens::COUNTERS.map(Tokens::word)))]
    pub counter: String,
    /// Where the size of the system prompt and the tools comes from.
    pub overhead_source: String,
    /// The number of model calls.
    pub model_calls: u64,
    /// What is shown of it.
    #[serde(flatten)]
    pub shown: HistoryShown,
}

/// What is shown of a history.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HistoryShown {
    /// The model calls.
    Calls(Vec<CallHistoryResult>),
    /// With `--call`: what the context of the call contained; null if there is no such call.
    Content(Option<ContentResult>),
    /// With `--tools`: the tools.
    Tools(Vec<ToolHistoryResult>),
    /// With `--largest`: the largest parts.
    Largest(Vec<PartResult>),
}

/// A model call.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CallHistoryResult {
    /// The call, from 0.
    pub call: u64,
    /// Its run, from 0.
    pub run: Option<u64>,
    /// The size of its context in tokens.
    pub tokens: Option<u64>,
    /// The context window of its model in tokens.
    pub window: Option<u64>,
    /// The tokens of its context besides the messages.
    pub overhead: Option<u64>,
    /// The counted tokens of its messages.
    pub counted: u64,
    /// The recorded input of the call.
    pub recorded: Option<u64>,
    /// The messages that are new, by role.
    pub added: BTreeMap<String, u64>,
    /// Their counted tokens.
    pub added_tokens: u64,
    /// The tool results among them that are errors.
    pub errors: u64,
    /// How many of these are errors by their text only.
    pub inferred_errors: u64,
    /// The tool calls of its reply, by tool.
    pub tools: ByName<u64>,
    /// Why the context was reset before it; null if it was not.
    #[schemars(extend("enum" = ["compaction", "cleared", "unexplained", null]))]
    pub reset: Option<String>,
    /// The results that the harness cleared before it.
    pub cleared: u64,
}

/// What the context of a call contained.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContentResult {
    /// The call, from 0.
    pub call: u64,
    /// The messages of each role.
    pub roles: Vec<ContentGroupResult>,
    /// The messages with results of each tool.
    pub tools: Vec<ContentGroupResult>,
    /// The largest parts.
    pub largest: Vec<PartResult>,
}

/// The messages of a role, or with results of a tool.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContentGroupResult {
    /// The role or the tool.
    pub name: String,
    /// The number of messages.
    pub messages: u64,
    /// Their counted tokens.
    pub tokens: u64,
}

/// A tool.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ToolHistoryResult {
    /// Its name.
    pub name: String,
    /// The number of its calls.
    pub calls: u64,
    /// How many of its results are errors.
    pub errors: u64,
    /// How many of these are errors by their text only.
    pub inferred_errors: u64,
    /// The counted tokens of its results.
    pub tokens: u64,
    /// The counted tokens of its results in the context of the last call.
    pub final_tokens: u64,
}

/// A part of a message.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PartResult {
    /// The index of its message, from 0.
    pub message: u64,
    /// The role of its message.
    pub role: String,
    /// What it is, such as `text`, `tool call` or `tool result`.
    pub kind: String,
    /// The tool of a call or a result.
    pub tool: Option<String>,
    /// Its counted tokens.
    pub tokens: u64,
    /// The calls whose context contained it whole; null if they are not counted.
    pub calls: Option<u64>,
    /// The beginning of its text.
    pub preview: String,
}

impl HistoriesResult {
    /// What is shown of histories, and the errors of files that could not be read.
    pub(in super::super) fn of(all: &[NamedHistory], part: HistoryPart, errors: &[ReplayError]) -> Self {
        let transcripts = all.iter().map(|one| HistoryResult::of(one, part)).collect();
        Self { schema_version: SCHEMA_VERSION, transcripts, errors: errors.to_vec() }
    }
}

impl HistoryResult {
    fn of(one: &NamedHistory, part: HistoryPart) -> Self {
        let History { trace, calls, tools, largest, content } = &one.history;
        Self {
            id: one.id.clone(),
            file: one.file.clone(),
            format: trace.format.to_owned(),
            model: trace.model.as_ref().map(ToString::to_string),
            window: trace.window.map(|(window, _)| window),
            counter: trace.counter.name.to_owned(),
            overhead_source: trace.counter.overhead.word().to_owned(),
            model_calls: number(calls.len()),
            shown: match part {
                HistoryPart::Calls => {
                    HistoryShown::Calls((0..calls.len()).map(|at| CallHistoryResult::of(&one.history, at)).collect())
                }
                HistoryPart::Content(_) => HistoryShown::Content(content.as_ref().map(ContentResult::from)),
                HistoryPart::Tools => HistoryShown::Tools(tools.iter().map(ToolHistoryResult::from).collect()),
                HistoryPart::Largest => HistoryShown::Largest(largest.iter().map(PartResult::from).collect()),
            },
        }
    }
}

impl CallHistoryResult {
    fn of(history: &History, at: usize) -> Self {
        let CallHistory { recorded, counted, added, added_tokens, errors, inferred_errors, tools } = &history.calls[at];
        let trace = &history.trace;
        let size = trace.calls.get(at);
        let reset = trace.resets.iter().find(|reset| reset.call == at);
        let cleared: usize = trace.clearings.iter().filter(|one| one.call == at).map(|one| one.results).sum();
        Self {
            call: number(at),
            run: size.map(|call| call.run),
            tokens: size.map(|call| call.before),
            window: size.and_then(|call| call.window),
            overhead: size.map(|call| call.overhead),
            counted: *counted,
            recorded: *recorded,
            added: added.iter().map(|(role, messages)| ((*role).to_owned(), number(*messages))).collect(),
            added_tokens: *added_tokens,
            errors: number(*errors),
            inferred_errors: number(*inferred_errors),
            tools: tools.iter().map(|(name, times)| (name, number(*times))).collect(),
            reset: reset.map(|reset| cause(reset.cause).to_owned()),
            cleared: number(cleared),
        }
    }
}

/// The word for the cause of a reset.
const fn cause(cause: ResetCause) -> &'static str {
    match cause {
        ResetCause::Compaction(_) => "compaction",
        ResetCause::Cleared => "cleared",
        ResetCause::Unexplained => "unexplained",
    }
}

impl From<&CallContent> for ContentResult {
    fn from(content: &CallContent) -> Self {
        Self {
            call: number(content.call),
            roles: content.roles.iter().map(ContentGroupResult::from).collect(),
            tools: content.tools.iter().map(ContentGroupResult::from).collect(),
            largest: content.largest.iter().map(PartResult::from).collect(),
        }
    }
}

impl From<&ContentGroup> for ContentGroupResult {
    fn from(group: &ContentGroup) -> Self {
        Self { name: group.name.to_string(), messages: number(group.messages), tokens: group.tokens }
    }
}

impl From<&ToolHistory> for ToolHistoryResult {
    fn from(tool: &ToolHistory) -> Self {
        Self {
            name: tool.name.to_string(),
            calls: number(tool.calls),
            errors: number(tool.errors),
            inferred_errors: number(tool.inferred_errors),
            tokens: tool.tokens,
            final_tokens: tool.final_tokens,
        }
    }
}

impl From<&HeldPart> for PartResult {
    fn from(part: &HeldPart) -> Self {
        Self {
            message: number(part.message),
            role: part.role.to_owned(),
            kind: part.kind.to_owned(),
            tool: part.tool.as_ref().map(ToString::to_string),
            tokens: part.tokens,
            calls: part.calls.map(number),
            preview: part.preview.clone(),
        }
    }
}
