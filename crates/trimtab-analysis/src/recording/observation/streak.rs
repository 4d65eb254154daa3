//! Identical calls in a row with the same result, and error results in a row.

use std::ops::AddAssign;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Arguments, Message, Role, ToolResult};
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

/// A call with what its result says.
struct AnsweredCall<'a> {
    tool: &'a SmolStr,
    arguments: &'a Arguments,
    result: &'a ToolResult,
}

impl AnsweredCall<'_> {
    fn repeats(&self, other: &Self) -> bool {
        let is_same_call = self.tool == other.tool && self.arguments.same(other.arguments);
        is_same_call && self.result.text == other.result.text && self.result.is_error == other.result.is_error
    }
}

/// The identical calls in a row that had the same result. An agent that polls makes the same call, and sees something else.
pub(super) fn repeated_calls(transcript: &Transcript) -> Streaks {
    let mut streaks = Streaks::default();
    let mut last: Option<AnsweredCall<'_>> = None;
    let mut length = 0;
    let mut open: Vec<(&SmolStr, &SmolStr, &Arguments)> = Vec::new();
    for message in &transcript.messages {
        if message.resets {
            streaks.end(length, last.as_ref().map(|call| call.tool));
            (last, length) = (None, 0);
        }
        if message.kept {
            continue;
        }
        // Ids are not unique in all recordings, so that a result answers a call of the newest reply.
        if message.calls().next().is_some() {
            open = message.calls().collect();
        }
        for result in message.results() {
            let Some(at) = open.iter().position(|(id, ..)| **id == result.id) else { continue };
            let (_, tool, arguments) = open.remove(at);
            let call = AnsweredCall { tool, arguments, result };
            if last.as_ref().is_some_and(|last| call.repeats(last)) {
                length += 1;
            } else {
                streaks.end(length, last.as_ref().map(|call| call.tool));
                length = 1;
            }
            last = Some(call);
        }
    }
    streaks.end(length, last.as_ref().map(|call| call.tool));
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
