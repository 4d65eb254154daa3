//! Traces, diagnostics and the vocabulary made readable, for people and for machines.
//!
//! In: a trace or diagnostics, and what the reader's screen can show. Out: text.
//! It does not print, and does not know where its text goes.

mod assertion;
mod checkup;
mod difference;
mod entry;
mod error;
mod explanation;
mod findings;
mod fingerprint;
mod following;
mod idle;
mod inspection;
mod look;
mod models;
mod patch;
mod reach;
mod replays;
mod schema;
mod simulation;
mod snippet;
mod spark;
mod statistics;
mod table;
mod tame;
mod testing;
mod topic;
mod totals;
mod unified;
mod uri;
mod written;

pub use assertion::{Asserted, assertions};
pub use checkup::{CheckForm, Checkup, Part, Trouble, checkup};
pub use difference::{Side, Versus, difference, difference_json, difference_markdown};
pub use entry::{Entry, WORDS, Word, codes, entries, find, kind, kinds, lints, listing, mentions, reference, rules};
pub use error::PolicyError;
pub use explanation::explanation;
pub use findings::{FORMS, Finding, Findings, Form, Unread, draw, form};
pub use following::following;
pub use inspection::{Inspection, Window, inspection, inspection_graph, inspection_json};
pub use look::{Look, fold_lines};
pub use models::{models, models_json};
pub use reach::Reach;
pub use replays::{PolicyReplays, REPLAY_FORMATS, ReplayFormat, Replays, SORTS, Sort};
pub use schema::{SCHEMAS, Schema, schema};
pub use simulation::{Replayed, context_json, simulation, simulation_json, transcript_json};
pub use statistics::{statistics, statistics_json};
#[cfg(feature = "cli")]
pub(crate) use tame::text as sanitised;
pub use testing::{Form as TestForm, Tested, Testing, percent as coverage_percent, tests};
pub use topic::{TOPICS, Topic};
pub use unified::unified_diff;
