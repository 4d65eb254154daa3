//! The tail of the context: how many of the newest messages fail or repeat, computed once for each message.
//!
//! The tail facts at one message follow from those at the previous message. Even a session that consists of errors is
//! therefore read only once, and not once for every call.

mod calls;
mod calls_of_tools;
mod files;
mod largest;
mod results;
mod streak;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, Entry, GroupId, Mark, Message, Role};
use trimtab_base::quantity::Decimal;

use self::calls::{ContextCalls, RunCalls};
use self::calls_of_tools::CallsOfTools;
pub(super) use self::files::Edits;
use self::files::Files;
use self::largest::Largest;
use self::results::Results;
use self::streak::{Streak, Streaks};
use super::argument::Tools;
use super::history::RunHistory;
use super::recent::Recent;
use super::scope::Scope;
use super::session_log::SessionLog;

/// The tail facts at one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// Error results in a row.
    pub(super) streak: Streak,
    /// Identical calls in a row.
    pub(super) repeats: usize,
    /// The index of the message with the newest call.
    call: Option<usize>,
    /// The index of the message with the newest result.
    result: Option<usize>,
    /// The group of the newest message besides replies, if that message is a result.
    group: Option<GroupId>,
}

/// The tail facts of a session so far. A cache, which changes no result.
#[derive(Debug, Default)]
pub struct TailCache(Mutex<TailState>);

impl Clone for TailCache {
    /// A copy starts empty: it belongs to another session.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The tails and the counts of a session so far.
#[derive(Debug, Default)]
struct TailState {
    /// The tails with the results of all tools.
    all: Tails,
    /// The tails with the results of some tools only, by [`Tools::key`].
    some: BTreeMap<SmolStr, Tails>,
    /// The number of a run, how many of its replies were counted, and the identical calls in a row at the last of them.
    run: (u64, usize, usize),
    context_calls: ContextCalls,
    run_calls: RunCalls,
    results: Results,
    largest: Largest,
    calls_of: CallsOfTools,
    files: Files,
}

impl TailCache {
    /// The tail at the newest message.
    pub(super) fn newest(&self, conversation: &Conversation) -> Tail {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).all.newest(conversation, |_| true)
    }

    /// The tail at the newest message if only the results of these tools count.
    pub(super) fn newest_of(&self, conversation: &Conversation, tools: Tools<'_>) -> Tail {
        if tools.key().is_empty() {
            return self.newest(conversation);
        }
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tails = state.some.entry(tools.key().into()).or_default();
        tails.newest(conversation, |entry| tools.includes(entry.tool().map(SmolStr::as_str)))
    }

    /// The message with the newest call, as it was recorded.
    pub(super) fn call<'a>(&self, conversation: &'a Conversation) -> Option<&'a Message> {
        let at = self.newest(conversation).call?;
        conversation.entries().get(at).map(Entry::recorded)
    }

    /// The newest result, as it is in the context.
    pub(super) fn result<'a>(&self, conversation: &'a Conversation) -> Option<&'a Message> {
        let at = self.newest(conversation).result?;
        conversation.entries().get(at).map(Entry::message)
    }

    /// The tokens of the largest message of the context, without the system prompt.
    pub(super) fn largest(&self, conversation: &Conversation) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).largest.of(conversation)
    }

    /// Identical calls in a row among the newest of a run.
    pub(super) fn repeats(&self, run: &RunHistory) -> usize {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, counted, mut repeats) = state.run;
        let from = if number == run.number && counted <= run.replies.len() { counted } else { 0 };
        if from == 0 {
            repeats = 0;
        }
        for (at, reply) in run.replies.iter().enumerate().skip(from) {
            let before = at.checked_sub(1).map(|before| run.replies[before].as_ref());
            repeats = in_a_row(reply, before, repeats);
        }
        state.run = (run.number, run.replies.len(), repeats);
        repeats
    }

    /// How many of the newest calls of the context are identical to the newest one.
    pub(super) fn occurrences(&self, conversation: &Conversation, within: usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).context_calls.occurrences(conversation, within)
    }

    /// How many of the newest calls of a run are identical to the newest one.
    pub(super) fn run_occurrences(&self, run: &RunHistory, within: usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).run_calls.occurrences(run, within)
    }

    /// The number of recent calls of some tools.
    pub(super) fn calls_of(
        &self,
        log: &SessionLog,
        tools: Tools<'_>,
        recent: (Option<Recent>, Scope),
        now: Option<Decimal>,
    ) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).calls_of.count(log, tools, recent, now)
    }

    /// The file that most of the newest calls change. With `after`, only calls after the newest call of these tools
    /// count.
    pub(super) fn edits(&self, log: &SessionLog, newest: (u64, Scope), after: Tools<'_>) -> Option<Edits> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let first = if after.key().is_empty() { 0 } else { state.calls_of.after_newest(log, after) };
        state.files.edits(log, newest, (after.key(), first))
    }

    /// The number of files that calls have changed.
    pub(super) fn changed_files(&self, log: &SessionLog, scope: Scope) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).files.changed(log, scope)
    }

    /// At most `most` of the files that calls have changed last.
    pub(super) fn newest_files(&self, log: &SessionLog, scope: Scope, most: usize) -> Vec<SmolStr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).files.newest(log, scope, most)
    }

    /// How many of the newest `last` results of known calls repeat another one of them, or `None` if there are fewer.
    pub(super) fn repeated_results(&self, conversation: &Conversation, last: usize) -> Option<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).results.repeated(conversation, last)
    }

    /// How many times in a row a pattern of at most `period` calls with the same results has occurred at the end.
    pub(super) fn cycles(&self, conversation: &Conversation, period: usize, within: usize) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).results.cycles(conversation, period, within)
    }
}

/// The tail at each message.
#[derive(Debug, Default)]
struct Tails {
    /// The moment when they were computed.
    mark: Option<Mark>,
    by_message: Vec<Tail>,
    streaks: Streaks,
}

impl Tails {
    /// The tail at the newest message. Computes the tails of messages that are new or have changed.
    fn newest(&mut self, conversation: &Conversation, counts: impl Fn(&Entry) -> bool) -> Tail {
        let unchanged = self.mark.as_ref().map_or(0, |mark| conversation.unchanged_since(mark));
        self.by_message.truncate(unchanged);
        self.streaks.forget_from(self.by_message.len());
        let entries = conversation.entries();
        for (at, entry) in entries.iter().enumerate().skip(self.by_message.len()) {
            let before = self.by_message.last().copied().unwrap_or_default();
            let is_skipped = entry.role() == Role::Tool && !counts(entry);
            let tail = if is_skipped { before } else { self.after(before, at, entries) };
            self.by_message.push(tail);
        }
        self.mark = Some(conversation.mark());
        self.by_message.last().copied().unwrap_or_default()
    }

    fn after(&mut self, before: Tail, at: usize, entries: &[Entry]) -> Tail {
        let (mut tail, entry) = (before, &entries[at]);
        let recorded = entry.recorded();
        if recorded.calls().next().is_some() {
            tail.repeats = in_a_row(recorded, before.call.map(|at| entries[at].recorded()), before.repeats);
            tail.call = Some(at);
        }
        let newest = entry.message().results().next();
        if newest.is_some() {
            tail.result = Some(at);
        }
        if entry.role() == Role::Assistant {
            return tail;
        }
        let ended = Streak::default();
        let Some(result) = newest else { return Tail { streak: ended, group: None, ..tail } };
        let group = Some(entry.group());
        if !result.is_error {
            self.streaks.note_success(at, entry.group());
            return Tail { streak: ended, group, ..tail };
        }
        let streak = self.streaks.after(before.streak, at, entries, group == before.group);
        Tail { streak, group, ..tail }
    }
}

/// Identical calls in a row at the last call of a reply. `repeats` is their number at the previous reply with calls,
/// `before`.
fn in_a_row(reply: &Message, before: Option<&Message>, mut repeats: usize) -> usize {
    let mut previous = before.and_then(|message| message.calls().next_back());
    for call in reply.calls() {
        let (_, tool, arguments) = call;
        let same = previous.is_some_and(|(_, name, other)| name == tool && arguments.same(other));
        repeats = if same { repeats + 1 } else { 1 };
        previous = Some(call);
    }
    repeats
}

#[cfg(test)]
mod tests;
