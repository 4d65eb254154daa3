//! Replays in every output format, one file a format.
//!
//! In: one policy or several, each with its replays. Out: one text in the format asked for.
//! A format is one file and two adjacent lines here: `mod` and the entry in `REPLAY_FORMATS`.

mod csv;
mod human;
mod json;
mod jsonl;
mod markdown;

mod comparison;
mod sort;

pub use sort::{SORTS, Sort};

use serde_json::Value as Json;

use super::simulation::ReplayResult;
use super::style::TerminalStyle;
use crate::plan::Plan;

/// A format in which replays are reported.
#[derive(Debug)]
pub struct ReplayFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Who it is for.
    pub summary: &'static str,
    /// The text in this format.
    pub render: fn(&Replays<'_>) -> String,
    /// For a format that is written as the work goes on: the line of one replay.
    pub line: Option<fn(&PolicyReplays<'_>, &ReplayResult, bool) -> String>,
}

/// The formats, in the order of the help; the first is the default.
pub static REPLAY_FORMATS: &[&ReplayFormat] =
    &[&human::FORMAT, &json::FORMAT, &jsonl::FORMAT, &csv::FORMAT, &markdown::FORMAT];

/// A policy and its replays.
#[derive(Clone, Copy, Debug)]
pub struct PolicyReplays<'a> {
    /// The file as the user gave it.
    pub file: &'a str,
    /// Its plan.
    pub plan: &'a Plan,
    /// One for each transcript, in the order in which they are shown.
    pub replays: &'a [ReplayResult],
}

/// All that the formats read.
#[derive(Clone, Copy, Debug)]
pub struct Replays<'a> {
    /// The policies in the order in which they were named; each has replays of the same transcripts.
    pub policies: &'a [PolicyReplays<'a>],
    /// What could not be replayed.
    pub errors: &'a [Json],
    /// What the reader's screen can show.
    pub style: TerminalStyle,
}

impl<'a> Replays<'a> {
    /// What each policy is called: its name, and its file when several have that name.
    fn names(&self) -> Vec<String> {
        let same = |name: &str| self.policies.iter().filter(|one| one.plan.policy == name).count() > 1;
        let name = |one: &PolicyReplays<'a>| match one.plan.policy.as_str() {
            name if same(name) => one.file.to_owned(),
            name => name.to_owned(),
        };
        self.policies.iter().map(name).collect()
    }
}
