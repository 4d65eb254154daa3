//! What recordings hold, without a policy: for `trimtab transcript` and `trimtab suggest`.
//!
//! In: files that `transcript` has read. Out: counts, the contexts of each call, problems, the same conversations
//! redacted or in other formats, and rules that address what was observed. It opens no files, and `report` renders what it
//! finds.

mod cache_statistics;
mod conversion;
mod cost;
mod cost_sum;
mod history;
mod observation;
mod pairing;
mod problem;
mod redaction;
mod statistics;
mod suggestion;
mod unused_tools;

pub use cache_statistics::{BreakSum, CacheStatistics};
pub use conversion::{CONVERSIONS, ConversionFormat, Loss, Losses, convert};
pub use cost::{COST_GROUPINGS, CostGroup, CostGrouping, CostTable, TranscriptCosts};
pub use cost_sum::{CallCosts, CostSum};
pub use history::{CallContent, CallHistory, ContentGroup, HeldPart, History, HistoryOptions, ToolHistory};
pub use observation::{
    ChangedFiles, Compactions, ContentKind, Observations, Pauses, RedundantResults, Results, Streaks, UserTexts,
};
pub use problem::{Problem, ProblemKind, problems};
pub use redaction::{RedactedText, redact};
pub use statistics::{
    FileStatistics, FormatStatistics, HarnessCallCosts, RecordedUse, TranscriptCounts, TranscriptStatistics,
};
pub use suggestion::{
    Finding, Purpose, SUGGESTIONS, Scope, SimulatedPolicy, SimulatedRule, SuggestedRule, Suggestion, policy_text,
    scopes,
};
pub use unused_tools::{ToolDefinitions, UnusedTool};
