//! The statistics of recordings: of each file, and of each format.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::recording::{CallCosts, FileStatistics, FormatStatistics, HarnessCallCosts, TranscriptCounts};
use trimtab_recordings::transcript::{HARNESS_CALL_KINDS, HarnessCallKind};

use super::{BreaksResult, CacheResult, CostsResult, DefinitionsResult, SCHEMA_VERSION};
use crate::report::figure::{Amount, ByName, number};
use crate::report::replay_result::ReplayError;

/// The result of `trimtab transcript stat`; keys may be added.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum StatisticsResult {
    /// Of each file, or of each transcript with `--per-transcript`.
    Files(FilesResult),
    /// With `--by-format`: of each format.
    Formats(FormatsResult),
    /// With `--breaks`: the cache breaks.
    Breaks(BreaksResult),
    /// With `--by`: costs.
    Costs(CostsResult),
}

/// The statistics of files.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FilesResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The files, or the transcripts in them.
    pub files: Vec<FileResult>,
    /// The calls of all files whose replies are no messages, by kind.
    #[schemars(extend("propertyNames" = harness_call_kinds()))]
    pub harness_calls: ByName<HarnessCallResult>,
    /// What all files read from the prompt cache; null if nothing was cached.
    pub cache: Option<CacheResult>,
    /// The definitions of tools in all files; null if none are recorded.
    pub tools: Option<DefinitionsResult>,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// The statistics of a file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FileResult {
    /// The file, or the transcript in it.
    pub file: String,
    /// The format of the file.
    pub format: String,
    /// The formats that recognised the file.
    pub sniffed: Vec<String>,
    /// What it holds.
    #[serde(flatten)]
    pub counts: RecordingCounts,
    /// The tokens of all replies with recorded usage.
    pub tokens: Option<u64>,
    /// The largest recorded context in tokens.
    pub peak_tokens: Option<u64>,
    /// The replies with recorded usage and a known price.
    pub priced: u64,
    /// What these cost at list prices, in US dollars; null if no price is known.
    pub cost: Amount,
    /// The calls whose replies are no messages, by kind: of the harness, and of branches that the conversation has left.
    #[schemars(extend("propertyNames" = harness_call_kinds()))]
    pub harness_calls: ByName<HarnessCallResult>,
    /// What was read from the prompt cache; null if nothing was cached.
    pub cache: Option<CacheResult>,
    /// The definitions of tools; null if none are recorded.
    pub tools: Option<DefinitionsResult>,
    /// The model.
    pub model: Option<String>,
    /// The recorded context window in tokens.
    pub window: Option<u64>,
    /// Skipped records, by kind.
    pub skipped: BTreeMap<String, u64>,
}

/// The statistics of formats.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FormatsResult {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The formats, in the order of the first file of each.
    pub formats: Vec<FormatResult>,
    /// The recordings that could not be read.
    pub errors: Vec<ReplayError>,
}

/// The statistics of all files of a format.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FormatResult {
    /// The format.
    pub format: String,
    /// The number of files.
    pub files: u64,
    /// What they hold.
    #[serde(flatten)]
    pub counts: RecordingCounts,
    /// Skipped records, by kind.
    pub skipped: BTreeMap<String, u64>,
}

/// What recordings hold.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RecordingCounts {
    /// The transcripts.
    pub conversations: u64,
    /// The messages of all roles.
    pub messages: u64,
    /// The tool calls.
    pub calls: u64,
    /// The tool results.
    pub results: u64,
    /// The tool results that the recording marks as errors.
    pub errors: u64,
    /// The tool results that are errors by their text only.
    pub inferred_errors: u64,
    /// The replies with recorded usage.
    pub usage: u64,
}

/// Calls of one kind whose replies are no messages.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HarnessCallResult {
    /// The calls with usage.
    pub calls: u64,
    /// Those of them with a known price.
    pub priced: u64,
    /// Their tokens of input and output.
    pub tokens: u64,
    /// What those with a known price cost at list prices, in US dollars; null if no price is known.
    pub cost: Amount,
}

/// The schema of the name of a kind of such calls.
fn harness_call_kinds() -> serde_json::Value {
    serde_json::json!({ "enum": HARNESS_CALL_KINDS.map(HarnessCallKind::name) })
}

impl From<&FileStatistics> for FileResult {
    fn from(file: &FileStatistics) -> Self {
        let known = file.used.is_known().then_some(file.used);
        Self {
            file: file.file.clone(),
            format: file.format.to_owned(),
            sniffed: file.sniffed.iter().copied().map(str::to_owned).collect(),
            counts: file.counts.into(),
            tokens: known.map(|used| used.tokens),
            peak_tokens: known.map(|used| used.peak),
            priced: number(file.used.costs.priced),
            cost: known.and_then(|used| used.costs.known()).into(),
            harness_calls: HarnessCallResult::all(&file.harness_calls),
            cache: CacheResult::of(&file.cache),
            tools: DefinitionsResult::of(&file.tools),
            model: file.model.as_ref().map(ToString::to_string),
            window: file.window,
            skipped: file.skipped.clone(),
        }
    }
}

impl From<&FormatStatistics> for FormatResult {
    fn from(total: &FormatStatistics) -> Self {
        Self {
            format: total.format.to_owned(),
            files: number(total.files),
            counts: total.counts.into(),
            skipped: total.skipped.clone(),
        }
    }
}

impl From<TranscriptCounts> for RecordingCounts {
    fn from(counts: TranscriptCounts) -> Self {
        let TranscriptCounts { conversations, messages, calls, results, errors, inferred_errors, usage } = counts;
        Self {
            conversations: number(conversations),
            messages: number(messages),
            calls: number(calls),
            results: number(results),
            errors: number(errors),
            inferred_errors: number(inferred_errors),
            usage: number(usage),
        }
    }
}

impl HarnessCallResult {
    /// The sums by kind.
    pub(in super::super) fn all(sums: &HarnessCallCosts) -> ByName<Self> {
        sums.iter().map(|(kind, sum)| (kind.name(), Self::from(*sum))).collect()
    }
}

impl From<CallCosts> for HarnessCallResult {
    fn from(sum: CallCosts) -> Self {
        Self {
            calls: number(sum.costs.number),
            priced: number(sum.costs.priced),
            tokens: sum.tokens,
            cost: sum.costs.known().into(),
        }
    }
}
