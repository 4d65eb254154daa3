//! What a host or a recorded harness does to the conversation by itself.

use std::borrow::Borrow;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{ClearedResult, Message};
use trimtab_base::quantity::Value;
use trimtab_language::plan::Plan;

use super::{Driver, Event};

impl<P: Borrow<Plan>> Driver<P> {
    /// Removes everything but the system prompt. `overhead` are the tokens sent besides the messages from now on.
    pub fn reset(&mut self, overhead: u64) {
        self.conversation.reset();
        self.follow_removal(overhead);
    }

    /// Removes everything but the system prompt and the open turn.
    pub fn keep_pending_calls(&mut self, overhead: u64) {
        self.conversation.keep_pending_calls();
        self.follow_removal(overhead);
    }

    /// Replaces results with placeholders.
    pub fn clear_results(&mut self, results: &[SmolStr]) -> Vec<ClearedResult> {
        let cleared = self.conversation.clear_results(results, &*self.environment.counter);
        let first = cleared.iter().filter_map(|result| self.conversation.index(result.message)).min();
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
