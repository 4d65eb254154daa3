//! The definitions of tools in recordings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::ToolDefinitions;

use crate::report::figure::{Share, number};

/// The definitions of tools, and those of tools that were never called.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DefinitionsResult {
    /// The transcripts that hold definitions.
    pub transcripts: u64,
    /// Their calls with usage.
    pub calls: u64,
    /// The tokens of the contexts of these calls.
    pub sent_tokens: u64,
    /// The tokens of definitions among them.
    pub definition_tokens: u64,
    /// The tokens among these of tools that the transcript does not call.
    pub unused_tokens: u64,
    /// Their share of what was sent; null without usage.
    pub unused_share: Share,
    /// The tools that were never called, those with the most tokens first.
    pub unused: Vec<UnusedToolResult>,
}

/// A tool that some transcripts define and do not call.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UnusedToolResult {
    /// Its name.
    pub name: String,
    /// The transcripts that define it and do not call it.
    pub transcripts: u64,
    /// The tokens of its definition, by the estimate for the model.
    pub tokens: u64,
    /// These tokens in all calls with usage.
    pub sent_tokens: u64,
}

impl DefinitionsResult {
    /// Returns the definitions, or `None` if no recording holds any.
    pub(in super::super) fn of(all: &ToolDefinitions) -> Option<Self> {
        let unused = all.by_tokens().into_iter().map(|(name, tool)| UnusedToolResult {
            name: name.to_string(),
            transcripts: number(tool.transcripts),
            tokens: tool.tokens,
            sent_tokens: tool.sent,
        });
        (all.transcripts > 0).then(|| Self {
            transcripts: number(all.transcripts),
            calls: number(all.calls),
            sent_tokens: all.sent,
            definition_tokens: all.definitions,
            unused_tokens: all.unused_tokens(),
            unused_share: all.unused_share().into(),
            unused: unused.collect(),
        })
    }
}
