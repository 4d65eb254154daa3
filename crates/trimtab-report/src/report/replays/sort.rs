//! Orders in which transcripts are listed.

use std::cmp::Ordering;

use crate::report::replay_result::{ReplayError, ReplayResult};

/// An order of transcripts.
#[derive(Debug)]
pub struct Sort {
    /// Its name on the command line.
    pub name: &'static str,
    /// What comes first.
    pub summary: &'static str,
    /// Compares two transcripts; equal ones stay in their order.
    compare: fn(&Ranked<'_>, &Ranked<'_>) -> Ordering,
    /// Whether errors are sorted, too: by file.
    sorts_errors: bool,
    /// Whether it is the order of the input.
    pub is_input: bool,
}

/// What an order looks at.
pub(in super::super) struct Ranked<'a> {
    pub(in super::super) id: &'a str,
    pub(in super::super) saved: i128,
    pub(in super::super) peak: u64,
    pub(in super::super) calls: u64,
}

const ORDER: Sort = Sort {
    name: "input",
    summary: "In the order given",
    compare: |_, _| Ordering::Equal,
    sorts_errors: false,
    is_input: true,
};

/// All orders, in the order of the help.
pub static SORTS: &[&Sort] = &[
    &Sort {
        name: "saved",
        summary: "Most tokens saved first",
        compare: |a, b| b.saved.cmp(&a.saved),
        is_input: false,
        ..ORDER
    },
    &Sort {
        name: "peak",
        summary: "Largest peak context first",
        compare: |a, b| b.peak.cmp(&a.peak),
        is_input: false,
        ..ORDER
    },
    &Sort {
        name: "calls",
        summary: "Most model calls first",
        compare: |a, b| b.calls.cmp(&a.calls),
        is_input: false,
        ..ORDER
    },
    &Sort { name: "name", summary: "By name", compare: |a, b| a.id.cmp(b.id), sorts_errors: true, is_input: false },
    &ORDER,
];

impl Sort {
    /// Sorts replays.
    pub fn replays(&self, replays: &mut [ReplayResult]) {
        replays.sort_by(|a, b| (self.compare)(&Ranked::of(a), &Ranked::of(b)));
    }

    /// Sorts the recordings that could not be replayed.
    pub fn errors(&self, errors: &mut [ReplayError]) {
        if self.sorts_errors {
            errors.sort_by(|one, other| {
                (&one.file, one.line, &one.message).cmp(&(&other.file, other.line, &other.message))
            });
        }
    }

    /// Sorts what has ranks.
    pub(in super::super) fn ranked<T>(&self, all: &mut [T], rank: impl Fn(&T) -> Ranked<'_>) {
        all.sort_by(|a, b| (self.compare)(&rank(a), &rank(b)));
    }
}

impl<'a> Ranked<'a> {
    fn of(replay: &'a ReplayResult) -> Self {
        let calls = u64::try_from(replay.trace.call_count()).unwrap_or(u64::MAX);
        Self { id: &replay.id, saved: replay.trace.saved(), peak: replay.trace.after().peak, calls }
    }
}
