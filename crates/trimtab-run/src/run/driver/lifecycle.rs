//! The events of a run that hooks observe.

use std::borrow::Borrow;
use std::sync::Arc;

use trimtab_base::conversation::{Message, Miss};
use trimtab_base::hook::{
    self, CompactionMiss, ContextBudget, HostEvent, IterationEnd, IterationStart, Overflow, Reflection, Status,
};
use trimtab_language::fact::ContextSplit;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;

use super::{Driver, Event, Task};
use crate::run::environment::Environment;

/// What the events of a session are made of. It is kept up also while nobody observes them, since a restored session is
/// observed only after its past has been repeated.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifecycle {
    is_observed: bool,
    /// The message with the goal of the run.
    pub(super) goal: Option<Arc<Message>>,
    /// The iteration that has begun, and its reply if that has arrived.
    open: Option<(u64, Option<Arc<Message>>)>,
    /// The iteration that ended last in this run.
    ended: Option<u64>,
}

impl Lifecycle {
    /// Begins a run.
    pub(super) fn begin_run(&mut self) {
        *self = Self { is_observed: self.is_observed, ..Self::default() };
    }

    /// Begins an iteration.
    pub(super) fn begin_iteration(&mut self, iteration: u64) {
        self.open = Some((iteration, None));
    }

    /// Records the reply of the iteration.
    pub(super) fn reply(&mut self, reply: &Arc<Message>) {
        if let Some((_, known)) = &mut self.open {
            *known = Some(Arc::clone(reply));
        }
    }

    /// Ends the iteration that has begun. Returns its event if somebody observes it.
    fn end_iteration(&mut self) -> Option<IterationEnd> {
        let (iteration, reply) = self.open.take()?;
        self.ended = Some(iteration);
        self.is_observed.then(|| iteration_end(iteration, reply.as_deref()))
    }
}

fn iteration_end(iteration: u64, reply: Option<&Message>) -> IterationEnd {
    let mut end = IterationEnd { iteration, ..IterationEnd::default() };
    if let Some(reply) = reply {
        for (_, tool, _) in reply.calls() {
            *end.tool_call_counts.entry(tool.to_string()).or_default() += 1;
        }
        end.task_completed = end.tool_call_counts.is_empty();
        end.status = if end.task_completed { Status::Success } else { Status::Running };
        end.output = reply.plain_text();
    }
    end
}

impl<P: Borrow<Plan>> Driver<P> {
    /// Makes [`Driver::advance`] return lifecycle events.
    pub fn observe(&mut self) {
        self.lifecycle.is_observed = true;
    }

    /// Reports what only the host knows, and runs the phase about it. A reflection ends the iteration before it.
    pub fn host_event(&mut self, event: HostEvent) {
        if matches!(event, HostEvent::Reflection(_)) {
            self.end_iteration();
        }
        self.tasks.push_back(Task::Host(event));
    }

    /// Begins a run.
    pub(super) fn begin_run(&mut self) {
        self.state.begin_run();
        self.state.end_protections(&mut self.conversation, true);
        // Views for the session stay, and rules may read the size before the next call.
        self.state.count_request(&self.conversation, &self.environment);
        self.clock.begin_run();
        self.lifecycle.begin_run();
        self.stopped_by = None;
    }

    /// Whether the iteration of the last call has not ended.
    pub const fn awaits_iteration_end(&self) -> bool {
        self.awaits_iteration_end
    }

    /// The event before the rules of a phase, if it has one and events are observed.
    pub(super) fn announce(&mut self, phase: Phase) -> Option<Event> {
        let end = if phase == Phase::IterationEnd { self.lifecycle.end_iteration() } else { None };
        if !self.lifecycle.is_observed {
            return None;
        }
        let event = match phase {
            Phase::IterationStart => hook::Event::IterationStart(self.iteration_start()),
            Phase::ContextBudget => hook::Event::ContextBudget(self.context_budget()),
            Phase::Overflow => hook::Event::Overflow(self.overflow(false)),
            Phase::CompactionMiss => hook::Event::CompactionMiss(self.state.miss().map(compaction_miss)?),
            Phase::IterationEnd => hook::Event::IterationEnd(end?),
            Phase::Request
            | Phase::Compaction
            | Phase::Reply
            | Phase::Reflection
            | Phase::ToolValidation
            | Phase::DryRun
            | Phase::PlanExecution => return None,
        };
        Some(Event::Lifecycle(Box::new(event)))
    }

    /// The event that a host has reported, and the rules of its phase after it.
    pub(super) fn announce_host_event(&mut self, event: HostEvent) -> Option<Event> {
        let (phase, event) = match event {
            HostEvent::Reflection(event) => {
                let iteration = self.lifecycle.ended.unwrap_or(self.state.run.iteration);
                (Phase::Reflection, HostEvent::Reflection(Reflection { iteration, ..event }))
            }
            HostEvent::Overflow(_) if self.tried_overflow_rules || !self.is_call_open => return None,
            HostEvent::Overflow(_) => {
                self.tried_overflow_rules = true;
                self.tasks.push_front(Task::Phase(Phase::Compaction));
                (Phase::Overflow, HostEvent::Overflow(self.overflow(true)))
            }
            event @ HostEvent::ToolValidation(_) => (Phase::ToolValidation, event),
            event @ HostEvent::DryRun(_) => (Phase::DryRun, event),
            event @ HostEvent::PlanExecution(_) => (Phase::PlanExecution, event),
        };
        self.tasks.push_front(Task::Rules(phase));
        self.lifecycle.is_observed.then(|| Event::Lifecycle(Box::new(event.into())))
    }

    /// Whether the request is too long and the rules about that have not been tried for this call.
    pub(super) fn begins_overflow(&mut self) -> bool {
        let Environment { window, reserve, .. } = self.environment;
        let limit = window.filter(|window| *window > 0).map(|window| window.saturating_sub(reserve));
        let is_over = limit.is_some_and(|limit| self.request_tokens() > limit);
        self.tried_overflow_rules |= is_over && self.stopped_by.is_none();
        is_over && self.stopped_by.is_none()
    }

    fn overflow(&self, rejected: bool) -> Overflow {
        Overflow { tokens: self.request_tokens(), window: self.environment.window, rejected }
    }

    /// Whether the context was compacted since the phase about it was last run. Does not forget it in a stopped run, in which no
    /// rule is tried.
    pub(super) fn begins_compaction(&mut self) -> bool {
        self.stopped_by.is_none() && std::mem::take(&mut self.state.is_compacted)
    }

    /// Counts a miss and runs its phase, unless a rule has stopped the run before.
    pub(super) fn begin_miss(&mut self, miss: &Arc<Miss>) {
        if self.stopped_by.is_none() {
            self.state.begin_miss(miss);
            self.tasks.push_front(Task::EndMiss);
            self.tasks.push_front(Task::Phase(Phase::CompactionMiss));
        }
    }

    /// The end of an iteration in which a rule has stopped the run.
    pub(super) fn announce_stop(&mut self) -> Option<Event> {
        let end = self.lifecycle.end_iteration()?;
        let end = IterationEnd { status: Status::Failure, ..end };
        Some(Event::Lifecycle(Box::new(hook::Event::IterationEnd(end))))
    }

    fn iteration_start(&self) -> IterationStart {
        IterationStart {
            goal: self.lifecycle.goal.as_ref().map_or_else(String::new, |message| message.plain_text()),
            iteration: self.state.run.iteration,
            max_iterations: self.environment.max_iterations,
        }
    }

    fn context_budget(&self) -> ContextBudget {
        let overhead = self.state.known_overhead();
        let split = ContextSplit::of(&self.conversation, &self.state.views, self.request_tokens(), overhead);
        ContextBudget::new(split.persona, split.tools, split.history, self.environment.window)
    }
}

fn compaction_miss(miss: &Miss) -> CompactionMiss {
    let size = |chars: usize| u64::try_from(chars).unwrap_or(u64::MAX);
    CompactionMiss {
        tool: miss.tool.to_string(),
        original_size: size(miss.original_chars),
        compressed_size: size(miss.reduced_chars.unwrap_or(0)),
    }
}
