//! Replays of one policy or several in every output format, one file a format.
//!
//! A format is one file and two lines here: `mod` and the entry in [`REPLAY_FORMATS`].

mod csv;
mod human;
mod json;
mod jsonl;
mod markdown;

mod comparison;
mod sort;
mod stream;

use std::collections::HashMap;

use trimtab_language::plan::Plan;

use super::encoding::{Encoding, Rendered};
use super::replay_result::{ReplayError, ReplayResult, SummedAssertion, changed_tokens, most_changed};
use super::style::TerminalStyle;
pub(super) use sort::Ranked;
pub use sort::{SORTS, Sort};
pub use stream::{ReplayHead, ReplayStream};

/// An output format of replays.
#[derive(Debug)]
pub struct ReplayFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its help text.
    pub summary: &'static str,
    /// How it writes characters that act on what displays them, also when it is streamed.
    pub encoding: Encoding,
    /// The replays in this format, or `None` if it is always written while recordings are replayed.
    render: Option<fn(&Replays<'_>) -> String>,
    /// Writes replays as they come, or `None` if the format needs all of them.
    pub stream: Option<fn(ReplayHead) -> Box<dyn ReplayStream>>,
}

impl ReplayFormat {
    /// Whether it is always written while recordings are replayed.
    pub const fn is_streamed(&self) -> bool {
        self.render.is_none()
    }

    /// The replays in this format; nothing if it is streamed.
    pub fn render(&self, all: &Replays<'_>) -> Rendered {
        self.encoding.finish(self.text(all))
    }

    /// The same as a part of a text that is not finished.
    pub fn text(&self, all: &Replays<'_>) -> String {
        self.render.map_or_else(String::new, |render| render(all))
    }
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
    /// The assertions on the totals of the replays.
    pub summed: &'a [SummedAssertion],
}

/// Everything that the formats read.
#[derive(Clone, Copy, Debug)]
pub struct Replays<'a> {
    /// The policies in the order in which they were named; each has replays of the same transcripts.
    pub policies: &'a [PolicyReplays<'a>],
    /// What formats for programs say of all policies.
    pub head: &'a ReplayHead,
    /// The recordings that could not be replayed.
    pub errors: &'a [ReplayError],
    /// How many transcripts are listed, if that is limited: those that the policies change most.
    pub top: Option<usize>,
    /// Whether people read all notes.
    pub is_verbose: bool,
    /// What the reader's terminal can show.
    pub style: TerminalStyle,
}

impl<'a> Replays<'a> {
    /// The replays of a policy that are listed.
    fn listed(&self, policy: &PolicyReplays<'a>) -> Vec<&'a ReplayResult> {
        if self.top.is_none() || self.policies.len() < 2 {
            return most_changed(policy.replays, self.top, changed_tokens);
        }
        let mut changes: HashMap<&str, u128> = HashMap::new();
        for replay in self.policies.iter().flat_map(|policy| policy.replays) {
            let most = changes.entry(&replay.id).or_default();
            *most = changed_tokens(replay).max(*most);
        }
        most_changed(policy.replays, self.top, |replay| changes.get(replay.id.as_str()).copied().unwrap_or_default())
    }

    /// The name of each policy, or its file when several have the same name.
    fn names(&self) -> Vec<String> {
        let same = |name: &str| self.policies.iter().filter(|policy| policy.plan.policy == name).count() > 1;
        let name = |policy: &PolicyReplays<'a>| match policy.plan.policy.as_str() {
            name if same(name) => policy.file.to_owned(),
            name => name.to_owned(),
        };
        self.policies.iter().map(name).collect()
    }
}
