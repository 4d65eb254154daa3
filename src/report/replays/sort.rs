//! Orders in which transcripts are listed.

use std::cmp::Reverse;

use crate::report::replay_result::ReplayResult;

/// An order of transcripts.
#[derive(Debug)]
pub struct Sort {
    /// Its name on the command line.
    pub name: &'static str,
    /// What comes first.
    pub summary: &'static str,
    /// Sorts the replays; a stable sort.
    pub sort: fn(&mut [ReplayResult]),
}

/// All orders, in the order of the help.
pub static SORTS: &[&Sort] = &[
    &Sort {
        name: "saved",
        summary: "Most tokens saved first",
        sort: |all| all.sort_by_cached_key(|replay| Reverse(replay.trace.saved())),
    },
    &Sort {
        name: "peak",
        summary: "Largest peak context first",
        sort: |all| all.sort_by_cached_key(|replay| Reverse(replay.trace.after().peak)),
    },
    &Sort {
        name: "calls",
        summary: "Most model calls first",
        sort: |all| all.sort_by_cached_key(|replay| Reverse(replay.trace.call_count())),
    },
    &Sort { name: "name", summary: "By name", sort: |all| all.sort_by(|replay, other| replay.id.cmp(&other.id)) },
    &Sort { name: "input", summary: "In the order given", sort: |_| {} },
];
