//! Identical calls in a row, and error results in a row.

use std::ops::AddAssign;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Message, Role};
use trimtab_recordings::transcript::Transcript;

/// The length from which on a row counts as a streak.
const STREAK: usize = 3;

/// Rows of at least three calls or results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Streaks {
    /// Their number.
    pub count: usize,
    /// The length of the longest one.
    pub longest: usize,
    /// The tool at the end of the longest one.
    pub tool: Option<SmolStr>,
}

impl Streaks {
    /// Records a streak that has ended.
    fn end(&mut self, length: usize, tool: Option<&SmolStr>) {
        if length >= STREAK {
            *self += Self { count: 1, longest: length, tool: tool.cloned() };
        }
    }
}

impl AddAssign for Streaks {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        if other.longest > self.longest {
            (self.longest, self.tool) = (other.longest, other.tool);
        }
    }
}

/// The identical calls in a row.
pub(super) fn repeated_calls(transcript: &Transcript) -> Streaks {
    let mut streaks = Streaks::default();
    let mut last: Option<(&SmolStr, &Arguments)> = None;
    let mut length = 0;
    for message in &transcript.messages {
        if message.resets {
            streaks.end(length, last.map(|(tool, _)| tool));
            (last, length) = (None, 0);
        }
        for (_, tool, arguments) in message.calls().filter(|_| !message.kept) {
            if last.is_some_and(|(name, other)| name == tool && other.same(arguments)) {
                length += 1;
                continue;
            }
            streaks.end(length, last.map(|(tool, _)| tool));
            (last, length) = (Some((tool, arguments)), 1);
        }
    }
    streaks.end(length, last.map(|(tool, _)| tool));
    streaks
}

/// The error results in a row. A message of the user ends a row, too.
pub(super) fn failures(transcript: &Transcript) -> Streaks {
    let mut streaks = Streaks::default();
    let mut length = 0;
    let is_input = |message: &&Arc<Message>| message.role != Role::Assistant && !message.kept;
    for message in transcript.messages.iter().filter(is_input) {
        if message.results().any(|result| result.is_error) && !message.resets {
            length += 1;
            continue;
        }
        streaks.end(length, None);
        length = 0;
    }
    streaks.end(length, None);
    streaks
}
