//! Error results in a row at the end of a context.

use foldhash::HashMap;
use smol_str::SmolStr;
use trimtab_base::conversation::{Entry, GroupId};

/// The error results in a row up to a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::fact) struct Streak {
    /// Their number.
    pub(in crate::fact) failures: usize,
    /// Replies in a row all of whose results failed.
    pub(in crate::fact) steps: usize,
    /// The different tools that they are of.
    pub(in crate::fact) tools: usize,
    /// How many of the last of them are of one tool and have one text.
    pub(in crate::fact) same: usize,
    /// The index of the first one.
    first: usize,
    /// The index of the last one.
    last: usize,
}

/// What is known of the results so far, to continue a streak without reading it again.
#[derive(Debug, Default)]
pub(super) struct Streaks {
    /// The first message of each group with a result that is no error.
    succeeded: HashMap<GroupId, usize>,
    /// The messages of each tool with errors, in order.
    failed: HashMap<SmolStr, Vec<usize>>,
    noted: Vec<(usize, Noted)>,
}

#[derive(Debug)]
enum Noted {
    Success(GroupId),
    Failure(SmolStr),
}

impl Streaks {
    /// Records a result that is no error, at an index.
    pub(super) fn note_success(&mut self, at: usize, group: GroupId) {
        let noted = &mut self.noted;
        self.succeeded.entry(group).or_insert_with(|| {
            noted.push((at, Noted::Success(group)));
            at
        });
    }

    /// The streak up to an error result at an index, from the one before it; `is_same_reply` is whether that ends in the same
    /// group.
    pub(super) fn after(&mut self, before: Streak, at: usize, entries: &[Entry], is_same_reply: bool) -> Streak {
        let entry = &entries[at];
        let is_first = before.failures == 0;
        let first = if is_first { at } else { before.first };
        Streak {
            failures: before.failures + 1,
            steps: match is_same_reply {
                _ if self.succeeded.contains_key(&entry.group()) => 0,
                true => before.steps,
                false => before.steps + 1,
            },
            tools: before.tools + usize::from(self.is_new(entry.tool(), at, first)),
            same: if !is_first && is_alike(&entries[before.last], entry) { before.same + 1 } else { 1 },
            first,
            last: at,
        }
    }

    /// Records an error result of a tool at an index. Returns whether none before it, from this first index on, is of the
    /// same tool.
    fn is_new(&mut self, tool: Option<&SmolStr>, at: usize, first: usize) -> bool {
        let Some(tool) = tool else { return false };
        let failed = self.failed.entry(tool.clone()).or_default();
        let is_new = failed.last().is_none_or(|last| *last < first);
        failed.push(at);
        self.noted.push((at, Noted::Failure(tool.clone())));
        is_new
    }

    /// Forgets the messages from an index on.
    pub(super) fn forget_from(&mut self, start: usize) {
        while let Some((_, noted)) = self.noted.pop_if(|(at, _)| *at >= start) {
            match noted {
                Noted::Success(group) => drop(self.succeeded.remove(&group)),
                Noted::Failure(tool) => drop(self.failed.get_mut(&tool).and_then(Vec::pop)),
            }
        }
    }
}

/// Whether two results are of one tool and arrived with one text.
fn is_alike(one: &Entry, other: &Entry) -> bool {
    let text = |entry: &Entry| entry.recorded().results().next().map(|result| result.text.clone());
    one.tool() == other.tool() && text(one) == text(other)
}
