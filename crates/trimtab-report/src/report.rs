//! Formats traces, diagnostics and the reference, as human-readable text and as JSON.
//!
//! In: a trace or diagnostics, and the style of the terminal. Out: text.
//! It does not print.

mod accuracy;
mod amount;
mod arms;
mod assertion;
mod cache_statistics;
mod chart;
mod ci;
mod context_charts;
mod cost;
mod difference;
mod drawing;
mod encoding;
mod entry;
mod explanation;
mod figure;
mod file_statistics;
mod findings;
mod fingerprint;
mod github;
mod history;
mod idle;
mod import;
mod inspection;
mod junit;
mod listing;
mod markdown;
mod merge;
mod mermaid;
mod models;
mod number;
mod page;
mod partial_sum;
mod patch;
mod policy_error;
mod policy_text;
mod problems;
mod read_count;
mod replay_result;
mod replays;
mod report_handler;
pub mod result;
mod rule_history;
mod schema;
mod settings_loss;
mod simulation;
mod snippet;
mod sparkline;
mod statistics;
mod stored_recordings;
mod style;
mod suggestions;
mod sweep;
mod table;
mod testing;
mod topic;
mod unified_diff;
mod unused_tools;
mod uri;
mod verdict;
mod wrap;

pub use accuracy::{AccuracyGroup, accuracy};
pub use amount::{dollars, signed_dollars};
pub use arms::arms;
pub use assertion::assertions;
pub use cache_statistics::sum as break_sum;
pub use cache_statistics::{NamedBreaks, cache_breaks};
pub use chart::context_chart;
pub use ci::{CI_FORMATS, CiCheck, CiFormat, CiProblem, CiReport, CiSimulation, ci_format};
pub use context_charts::{ContextCharts, ContextSeries};
pub use cost::costs;
pub use difference::{COMPARISON_FORMATS, ComparedPolicy, Comparison, ComparisonFormat};
pub use encoding::{Encoding, Rendered};
pub use entry::{
    Entry, KEYWORDS, KeywordPage, codes, entries, find, kind, kinds, lint_tables, listing, markdown_of_kind,
    markdown_pages, mentions, reference, rules,
};
pub use explanation::explanation;
pub use file_statistics::{file_statistics, format_statistics};
pub use findings::{FINDING_FORMATS, Finding, FindingFormat, Findings, UnreadFile, draw, finding_format};
pub use history::{HistoryPart, NamedHistory, histories};
pub use import::{fidelity_table, imported};
pub use inspection::{Inspection, Window, inspection, inspection_graph, inspection_json, policy_source};
pub use listing::{LISTING_FORMATS, Listing, ListingFormat};
pub use merge::{Merged, PartialResult, merge};
pub use models::{models, models_json};
pub use number::{list, plural, whole};
pub use page::{Overview, PageHead, SessionDetail, SessionOutcome, page};
pub use policy_error::PolicyError;
pub use problems::{TranscriptProblems, transcript_problems};
pub use read_count::ReadCount;
pub use replay_result::{AssertionResult, ReplayError, ReplayResult, SummedAssertion};
pub use replays::{PolicyReplays, REPLAY_FORMATS, ReplayFormat, ReplayHead, ReplayStream, Replays, SORTS, Sort};
pub use report_handler::PolicyReportHandler;
pub use rule_history::rule_history;
pub use schema::{SCHEMAS, Schema};
pub use settings_loss::settings_loss;
pub use simulation::{context_json, event_json, simulation};
pub use statistics::{statistics, statistics_json};
pub use stored_recordings::stored_recordings;
pub use style::TerminalStyle;
pub use suggestions::{
    AdjustmentResult, SettingsSuggestion, SuggestionOutcome, SuggestionReport, SuggestionResult, suggestions,
    total_saving,
};
pub use sweep::{SWEEP_FORMATS, SweepFormat, SweepReport, SweptParameter};
pub use testing::{TEST_FORMATS, TestFormat, TestReport, TestedFile, percent as coverage_percent};
pub use topic::{TOPICS, Topic};
pub use unified_diff::unified_diff;
pub use wrap::fold_lines;
