//! What a host or a recorded harness does to the conversation by itself.

use std::borrow::Borrow;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, MessageId};
use trimtab_base::quantity::Value;
use trimtab_language::plan::Plan;

use super::{Driver, Event};

/// What became of a result in the conversation when the recorded harness cleared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClearedResult {
    /// It was replaced with a placeholder, which saves these tokens: 0 if a rule had masked it before.
    Replaced(MessageId, i128),
    /// A rule had removed it.
    Removed(MessageId),
    /// It never was in the conversation, or was there before the last reset.
    Missing,
}

impl<P: Borrow<Plan>> Driver<P> {
    /// Removes everything but the system prompt. `overhead` are the tokens sent besides the messages from now on.
    pub fn reset(&mut self, overhead: u64) {
        self.conversation.reset();
        self.arrived_results.reset();
        self.follow_removal(overhead);
    }

    /// Removes everything but the system prompt and the open turn.
    pub fn keep_pending_calls(&mut self, overhead: u64) {
        self.conversation.keep_pending_calls();
        self.follow_removal(overhead);
    }

    /// Replaces the results of these calls with placeholders, and returns what became of each. Of several results of one call, the
    /// newest one that the harness has not cleared yet is meant.
    pub fn clear_results(&mut self, calls: &[SmolStr]) -> Vec<ClearedResult> {
        let counter = &*self.environment.counter;
        let clear = |call: &SmolStr| {
            let Some(message) = self.arrived_results.take_newest(call) else { return ClearedResult::Missing };
            let freed = self.conversation.clear_result(message, counter);
            freed.map_or(ClearedResult::Removed(message), |freed| ClearedResult::Replaced(message, freed))
        };
        let cleared: Vec<ClearedResult> = calls.iter().map(clear).collect();
        let replaced = cleared.iter().filter_map(|result| match result {
            ClearedResult::Replaced(message, _) => self.conversation.index(*message),
            ClearedResult::Removed(_) | ClearedResult::Missing => None,
        });
        let first = replaced.min();
        if let Some(at) = first {
            self.state.requests.record_change(at, None);
        }
        self.state.count_request(&self.conversation, &self.environment);
        cleared
    }

    /// Sets how many of the tokens sent besides the known messages are messages that the recording lacks, until the context is
    /// reset.
    pub const fn set_unrecorded(&mut self, tokens: u64) {
        self.state.unrecorded = tokens;
    }

    /// Counts the context anew from the messages and the overhead.
    pub const fn restart_meter(&mut self, overhead: u64) {
        self.state.meter.restart(overhead);
    }

    /// Counts the context and its views again, after messages were removed.
    fn follow_removal(&mut self, overhead: u64) {
        self.state.record_compaction();
        self.state.unrecorded = 0;
        self.state.results.forget_missing(&self.conversation);
        self.state.requests.reset(&self.conversation);
        self.state.meter.restart(overhead);
        self.state.count_request(&self.conversation, &self.environment);
    }

    /// Adds the copy of a message that a recorded harness kept when it compacted. Nothing counts as having happened again; the
    /// copy of the message that began the run takes its place.
    pub(super) fn add_kept(&mut self, message: Arc<Message>) -> Event {
        let added = self.add(&message);
        let is_request = |goal: &Arc<Message>| goal.role == message.role && goal.parts == message.parts;
        if let Some((id, _)) = added.filter(|_| self.lifecycle.goal.as_ref().is_some_and(is_request)) {
            self.conversation.set_request(Some(id));
        }
        Event::Added(message, added)
    }

    /// Changes a fact that the host supplies, from the next rule on; without a value it is unknown.
    pub fn supply(&mut self, fact: &SmolStr, value: Option<Value>) {
        self.state.host.set(fact, value);
    }
}
