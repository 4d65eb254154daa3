//! The calls of a context or a run, told apart by tool and arguments.

use trimtab_base::conversation::{CallKinds, Conversation, Entry, Mark, Message};

use crate::fact::history::RunHistory;

/// Which calls are identical, so that those among the newest are counted without comparing them again.
#[derive(Debug, Default)]
pub(super) struct CallIndex {
    kinds: CallKinds,
    /// The kind of each call.
    calls: Vec<usize>,
    /// The indices of the calls of each kind, in order.
    by_kind: Vec<Vec<usize>>,
}

impl CallIndex {
    fn extend(&mut self, message: &Message) {
        for (_, tool, arguments) in message.calls() {
            let kind = self.kinds.number(tool, arguments);
            if kind == self.by_kind.len() {
                self.by_kind.push(Vec::new());
            }
            self.by_kind[kind].push(self.calls.len());
            self.calls.push(kind);
        }
    }

    fn truncate(&mut self, length: usize) {
        while self.calls.len() > length
            && let Some(kind) = self.calls.pop()
        {
            self.by_kind[kind].pop();
        }
    }

    /// How many of the newest calls are identical to the newest one, itself included.
    fn occurrences(&self, within: usize) -> usize {
        let Some(newest) = self.calls.last() else { return 0 };
        let first = self.calls.len().saturating_sub(within);
        let calls = &self.by_kind[*newest];
        calls.len() - calls.partition_point(|call| *call < first)
    }
}

/// The calls in a context, followed as it changes.
#[derive(Debug, Default)]
pub(super) struct ContextCalls {
    mark: Option<Mark>,
    /// The number of calls up to each message.
    counts: Vec<usize>,
    index: CallIndex,
}

impl ContextCalls {
    pub(super) fn occurrences(&mut self, conversation: &Conversation, within: usize) -> usize {
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        self.counts.truncate(unchanged);
        self.index.truncate(self.counts.last().copied().unwrap_or(0));
        for message in conversation.entries().iter().skip(self.counts.len()).map(Entry::recorded) {
            self.index.extend(message);
            self.counts.push(self.index.calls.len());
        }
        self.mark = Some(conversation.mark());
        self.index.occurrences(within)
    }
}

/// The calls of a run.
#[derive(Debug, Default)]
pub(super) struct RunCalls {
    run: u64,
    /// The number of replies that are in the index.
    replies: usize,
    index: CallIndex,
}

impl RunCalls {
    pub(super) fn occurrences(&mut self, run: &RunHistory, within: usize) -> usize {
        if self.run != run.number || self.replies > run.replies.len() {
            *self = Self { run: run.number, ..Self::default() };
        }
        run.replies.iter().skip(self.replies).for_each(|reply| self.index.extend(reply));
        self.replies = run.replies.len();
        self.index.occurrences(within)
    }
}
