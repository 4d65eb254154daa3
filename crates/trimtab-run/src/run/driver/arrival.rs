//! What each message and reply changes.

use std::borrow::Borrow;
use std::sync::Arc;

use trimtab_base::conversation::{Entry, Message, MessageId, Role};
use trimtab_language::fact::Spending;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;

use super::{Driver, Event, Task};

impl<P: Borrow<Plan>> Driver<P> {
    pub(super) fn add_input(&mut self, message: Arc<Message>) -> Event {
        if self.begins_run(&message) && self.has_called {
            self.begin_run();
        }
        self.learner.input(&message);
        self.clock.input(message.at.as_deref());
        self.update_time(self.clock.elapsed().idle);
        let is_request = self.state.record_input(&message);
        let added = self.add(&message);
        if is_request {
            self.lifecycle.goal = Some(Arc::clone(&message));
            self.conversation.set_request(added.map(|(id, _)| id));
        }
        if message.role == Role::Tool && self.stopped_by.is_none() {
            let entry = added.and_then(|(id, _)| Some(&self.conversation.entries()[self.conversation.index(id)?]));
            self.state.record_result(&message, entry.and_then(Entry::tool));
        }
        if message.is_person() && added.is_some() {
            self.state.record_user_message();
        }
        // Messages of a harness, a rule or the host do not matter here.
        self.is_between_runs &= message.role != Role::Tool && !message.is_person();
        Event::Added(message, added)
    }

    pub(super) fn add_reply(&mut self, reply: Arc<Message>, tokens: u64, spent: Spending) -> Event {
        // After a stop, the replies of the rest of the run are not made.
        if self.stopped_by.is_none() {
            let has_usage = reply.usage.is_some_and(|usage| usage.context() > 0);
            let is_reported = has_usage || self.environment.assumes_usage;
            self.state.meter.record_call(tokens, self.requested, is_reported);
            self.clock.reply(reply.at.as_deref());
        }
        self.misses = self.state.results.misses(&reply, &self.conversation).into_iter().map(Arc::new).collect();
        let added = self.add(&reply);
        added.inspect(|(_, counted)| self.state.correct_size(&reply, *counted));
        self.is_call_open = false;
        self.state.views.end_request();
        self.state.count_request(&self.conversation, &self.environment);
        if self.stopped_by.is_none() {
            self.lifecycle.reply(&reply);
            self.update_time(self.state.idle);
            self.state.record_reply(&reply, spent);
            self.state.cache.record_reply(&reply, &self.environment);
            self.learner.reply(&reply);
        }
        self.is_between_runs = reply.calls().next().is_none();
        let misses = self.misses.iter().cloned().map(Task::BeginMiss);
        let after = [Task::Phase(Phase::Reply)].into_iter().chain(misses).chain([Task::AwaitIterationEnd]);
        after.rev().for_each(|task| self.tasks.push_front(task));
        Event::Added(reply, added)
    }

    fn begins_run(&self, message: &Message) -> bool {
        message.run.unwrap_or(message.is_person() && self.is_between_runs)
    }

    /// Adds a message and returns its identity and tokens. The rest of a stopped run would not have happened, except the
    /// results of calls that were made: a provider rejects a call without a result. A recorded compaction is applied all
    /// the same, with the message that replaces what it removed.
    pub(super) fn add(&mut self, message: &Arc<Message>) -> Option<(MessageId, u64)> {
        let is_added = self.stopped_by.is_none() || message.resets || self.conversation.expects(message);
        let added = is_added.then(|| self.conversation.push(Arc::clone(message), &*self.environment.counter));
        self.arrived_results.add(message, added.map(|(id, _)| id));
        if let Some((id, _)) = added {
            self.state.results.add(id, &self.conversation);
            if let Some(at) = self.environment.invalid_reasoning.and_then(|_| self.conversation.index(id)) {
                self.state.requests.arrive(&self.conversation.entries()[at], &*self.environment.counter);
            }
        }
        added
    }
}
