//! Traces, diagnostics and the vocabulary made readable, for people and for machines.
//!
//! In: a trace or diagnostics, and what the reader's screen can show. Out: text.
//! It does not print, and does not know where its text goes.

mod assertion;
mod ci_report;
mod difference;
mod entry;
mod explanation;
mod findings;
mod fingerprint;
mod idle;
mod inspection;
mod models;
mod patch;
mod policy_error;
mod policy_text;
mod read_count;
mod replays;
mod rule_history;
mod sanitize;
mod schema;
mod simulation;
mod snippet;
mod sparkline;
mod statistics;
mod style;
mod table;
mod testing;
mod topic;
mod totals;
mod unified_diff;
mod uri;

pub use assertion::{AssertionResult, assertions};
pub use ci_report::{CiFormat, CiPart, CiProblem, CiReport, ci_report};
pub use difference::{ComparedPolicy, Comparison, difference, difference_json, difference_markdown};
pub use entry::{
    Entry, KEYWORDS, KeywordPage, codes, entries, find, kind, kinds, lints, listing, mentions, reference, rules,
};
pub use explanation::explanation;
pub use findings::{FINDING_FORMATS, Finding, FindingFormat, Findings, UnreadFile, draw, finding_format};
pub use inspection::{Inspection, Window, inspection, inspection_graph, inspection_json};
pub use models::{models, models_json};
pub use policy_error::PolicyError;
pub use read_count::ReadCount;
pub use replays::{PolicyReplays, REPLAY_FORMATS, ReplayFormat, Replays, SORTS, Sort};
pub use rule_history::rule_history;
#[cfg(feature = "cli")]
pub(crate) use sanitize::line as sanitize_line;
pub use schema::{SCHEMAS, Schema, schema};
pub use simulation::{ReplayResult, context_json, simulation, simulation_json, transcript_json};
pub use statistics::{statistics, statistics_json};
pub use style::{TerminalStyle, fold_lines};
pub use testing::{TestFormat, TestReport, TestedFile, percent as coverage_percent, tests};
pub use topic::{TOPICS, Topic};
pub use unified_diff::unified_diff;
