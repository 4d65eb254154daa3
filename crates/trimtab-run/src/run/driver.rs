//! The driver of a session: the order of its phases, and what each message, request and reply changes.
//!
//! Replay and live session call the same driver, so that a simulated policy does what it does live.

mod access;
mod arrival;
mod arrived_results;
mod harness;
mod lifecycle;
mod start;

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::sync::Arc;

use trimtab_base::conversation::{Conversation, Message, MessageId, Miss, RequestSize, Role};
use trimtab_base::hook::{self, HostEvent};
use trimtab_base::playbook::{Playbook, ToolBatch};
use trimtab_base::quantity::Decimal;
use trimtab_language::effect::SummaryRequest;
use trimtab_language::fact::Spending;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;

use self::arrived_results::ArrivedResults;
pub use self::harness::ClearedResult;
use self::lifecycle::Lifecycle;
pub use self::start::CallStart;
use super::answer::Answer;
use super::clock::{Clock, Elapsed};
use super::environment::Environment;
use super::learning::Learner;
use super::outcome::{Confirmation, Outcome};
use super::overrides::FactOverrides;
use super::state::State;
use super::step::{Step, StepContext, StepProgress, StepStatus};

/// Options of a phase: fact overrides and explanations.
#[derive(Clone, Copy, Default)]
pub struct PhaseOptions<'a> {
    /// Facts with given values, as in a test.
    pub overrides: Option<&'a dyn FactOverrides>,
    /// Whether the outcome should explain each rule.
    pub explain: bool,
}

/// What [`Driver::advance`] has done or needs.
#[derive(Debug)]
pub enum Event {
    /// A message became part of the conversation, with this identity and number of tokens, or `None` if it was ignored
    /// because a rule had stopped the run.
    Added(Arc<Message>, Option<(MessageId, u64)>),
    /// The last iteration has ended, and the phases before the next call follow.
    IterationBegins,
    /// An event for hooks, before the rules of its phase. Only if [`Driver::observe`] has been called.
    Lifecycle(Box<hook::Event>),
    /// A phase with rules begins.
    PhaseBegins(Phase),
    /// The phase needs a summary; the number counts the summaries of the session from 1.
    NeedsSummary(Arc<SummaryRequest>, u64),
    /// A person has to confirm that a rule acts.
    NeedsConfirmation(Confirmation),
    /// A summary failed for this reason, and a person has to decide whether to try again.
    NeedsDecision(String),
    /// The host has to distil strategies from the calls of an iteration.
    NeedsStrategies(Box<ToolBatch>),
    /// A phase has ended.
    PhaseEnded(Phase, Box<Outcome>),
    /// Everything that was requested is done.
    Ready,
}

/// What is still to be done.
#[derive(Clone, Debug)]
enum Task {
    /// Ends the iteration if its reply has arrived: queues the rules of `iteration_end`, the learning and the count of the next one.
    EndIteration,
    Add(Arc<Message>),
    /// Begins the call of an iteration.
    BeginIteration,
    /// The event of a phase, and its rules.
    Phase(Phase),
    Rules(Phase),
    Host(HostEvent),
    /// A rule has stopped the run.
    Stopped,
    Reply(Arc<Message>, u64, Spending),
    BeginMiss(Arc<Miss>),
    EndMiss,
    /// Marks the iteration as finished but not ended: further tool results may arrive.
    AwaitIterationEnd,
    Learn,
    /// Counts the next iteration.
    NextIteration,
}

/// A phase in progress.
#[derive(Clone, Debug)]
struct CurrentPhase {
    phase: Phase,
    progress: StepProgress,
    /// The unanswered request for a summary.
    request: Option<Arc<SummaryRequest>>,
}

/// The driver of one session under a plan.
///
/// Each method that begins something is followed by calls of [`Driver::advance`] until it returns [`Event::Ready`]. A
/// session is a sequence of inputs, calls and replies: [`Driver::input`] for each message that is not a reply,
/// [`Driver::begin_call`] before a model call, then [`Driver::record_request`] and [`Driver::reply`].
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub struct Driver<P> {
    plan: P,
    environment: Environment,
    state: State,
    conversation: Conversation,
    clock: Clock,
    /// What is known of the call that is about to begin.
    start: CallStart,
    tasks: VecDeque<Task>,
    current: Option<CurrentPhase>,
    learner: Learner,
    /// The counted size of the request whose reply has not arrived.
    requested: RequestSize,
    /// Whether a call has begun whose reply has not arrived.
    is_call_open: bool,
    /// Whether the rules on `overflow` have been tried for the open call.
    tried_overflow_rules: bool,
    /// Whether there was a call.
    has_called: bool,
    /// Whether a person's message would begin a run: there was no message yet, or the last reply called no tool.
    is_between_runs: bool,
    /// Whether the reply of the current iteration has arrived and the iteration has not ended.
    awaits_iteration_end: bool,
    /// The index of the rule that has stopped the run.
    stopped_by: Option<usize>,
    arrived_results: ArrivedResults,
    /// The misses of the last reply.
    misses: Vec<Arc<Miss>>,
    /// The cost of the summaries since [`Driver::take_summary_cost`].
    summary_cost: Option<Decimal>,
    lifecycle: Lifecycle,
}

impl<P: Borrow<Plan>> Driver<P> {
    /// A session before its first message. `overhead` is the number of tokens sent besides the messages.
    pub fn new(plan: P, environment: Environment, overhead: u64, conversation: Conversation) -> Self {
        let mut state = State::new(plan.borrow(), overhead);
        state.set_priced(environment.prices.is_some());
        state.begin_run();
        state.playbook = Playbook::clone(&environment.learning.playbook);
        let learner = Learner::new(plan.borrow());
        Self {
            plan,
            environment,
            state,
            conversation,
            clock: Clock::default(),
            start: CallStart::default(),
            tasks: VecDeque::new(),
            current: None,
            learner,
            requested: RequestSize::default(),
            is_call_open: false,
            tried_overflow_rules: false,
            has_called: false,
            is_between_runs: true,
            awaits_iteration_end: false,
            stopped_by: None,
            arrived_results: ArrivedResults::default(),
            misses: Vec::new(),
            summary_cost: None,
            lifecycle: Lifecycle::default(),
        }
    }

    /// Adds a message that is not a reply: a tool result, the system prompt, or a message of a person or a harness.
    pub fn input(&mut self, message: &Arc<Message>) {
        if message.role != Role::Tool {
            self.end_iteration();
        }
        self.tasks.push_back(Task::Add(Arc::clone(message)));
    }

    /// Ends the iteration of the last call, if it has not ended. [`Driver::input`] and [`Driver::begin_call`] do so too.
    pub fn end_iteration(&mut self) {
        self.tasks.push_back(Task::EndIteration);
    }

    /// Records that a request is sent, and returns the size of its context: `tokens`, or else an estimate. `overhead` are the
    /// tokens besides the messages. Nothing is sent when a rule has stopped the run.
    pub fn record_request(&mut self, overhead: u64, tokens: Option<u64>) -> u64 {
        self.state.meter.set_overhead(overhead);
        self.requested = self.request_size();
        let tokens = tokens.unwrap_or_else(|| self.request_tokens());
        if self.stopped_by.is_none() {
            self.state.meter.record_request(tokens, self.requested);
            let Environment { counter, invalid_reasoning, .. } = &self.environment;
            self.state.requests.record_request((&self.conversation, &self.state.views), &**counter, *invalid_reasoning);
        }
        tokens
    }

    /// The estimated size of the context of the next request in tokens.
    pub const fn request_tokens(&self) -> u64 {
        self.state.tokens(&self.conversation)
    }

    /// Returns the seconds since the previous reply, as recorded, or `None` without timestamps.
    pub const fn idle(&self) -> Option<Decimal> {
        self.state.idle
    }

    /// The counted size of the next request.
    pub const fn request_size(&self) -> RequestSize {
        self.state.request_size(&self.conversation)
    }

    /// Adds the reply to a call whose context had `tokens` tokens and which used `spent`, and
    /// queues the phases after it.
    pub fn reply(&mut self, reply: &Arc<Message>, tokens: u64, spent: Spending) {
        self.tasks.push_back(Task::Reply(Arc::clone(reply), tokens, spent));
    }

    /// Runs the queued tasks until one produces an event or needs an answer. An answer is ignored if nothing was requested.
    pub fn advance(&mut self, options: PhaseOptions<'_>, answer: Option<Answer>) -> Event {
        if self.current.is_some() {
            return self.advance_phase(options, answer);
        }
        self.learner.finish(&mut self.state.playbook, answer);
        while let Some(task) = self.tasks.pop_front() {
            match task {
                Task::EndIteration => self.begin_end_of_iteration(),
                Task::Add(message) if message.kept => return self.add_kept(message),
                Task::Add(message) => return self.add_input(message),
                Task::BeginIteration => {
                    self.begin_iteration();
                    return Event::IterationBegins;
                }
                Task::Phase(Phase::Overflow) if !self.begins_overflow() => {}
                Task::Phase(Phase::Compaction) if !self.begins_compaction() => {}
                Task::Phase(phase) => {
                    self.tasks.push_front(Task::Rules(phase));
                    if let Some(event) = self.announce(phase).filter(|_| self.stopped_by.is_none()) {
                        return event;
                    }
                }
                Task::Host(event) if self.stopped_by.is_none() => {
                    if let Some(event) = self.announce_host_event(event) {
                        return event;
                    }
                }
                Task::Stopped => {
                    if let Some(event) = self.announce_stop() {
                        return event;
                    }
                }
                Task::Rules(phase) if self.has_rules(phase) => {
                    self.current = Some(CurrentPhase { phase, progress: StepProgress::default(), request: None });
                    return Event::PhaseBegins(phase);
                }
                Task::Rules(_) | Task::Host(_) => {}
                Task::Reply(reply, tokens, spent) => return self.add_reply(reply, tokens, spent),
                Task::Learn => {
                    let (playbook, calls) = (&mut self.state.playbook, self.state.session.spent.calls);
                    if let Some(batch) = self.learner.learn(playbook, self.environment.learning.reflection, calls) {
                        return Event::NeedsStrategies(batch);
                    }
                }
                Task::BeginMiss(miss) => self.begin_miss(&miss),
                Task::EndMiss => self.state.end_miss(),
                Task::NextIteration => {
                    self.state.next_iteration();
                    self.state.end_protections(&mut self.conversation, false);
                }
                Task::AwaitIterationEnd => self.awaits_iteration_end = self.stopped_by.is_none(),
            }
        }
        Event::Ready
    }

    /// The summary requests that the rule will make after the current one, unless an answer ends the rule.
    pub fn upcoming_summaries(&self) -> Vec<Arc<SummaryRequest>> {
        self.current.as_ref().map(|current| Step::upcoming_summaries(&current.progress)).unwrap_or_default()
    }

    fn has_rules(&self, phase: Phase) -> bool {
        self.stopped_by.is_none() && self.plan.borrow().rules.iter().any(|rule| rule.phase == phase)
    }

    fn advance_phase(&mut self, options: PhaseOptions<'_>, answer: Option<Answer>) -> Event {
        let Some(CurrentPhase { phase, progress, request }) = self.current.take() else { return Event::Ready };
        if let (Some(Answer::Summary(text)), Some(request)) = (&answer, &request) {
            let spent = self.environment.summary_spending(request, text);
            self.summary_cost = spent.cost.map(|cost| cost + self.summary_cost.unwrap_or_default());
            self.state.add_usage(spent);
        }
        let PhaseOptions { overrides, explain } = options;
        let context = StepContext { phase, environment: &self.environment, overrides, explain };
        let mut step = Step::restore(self.plan.borrow(), &mut self.state, &mut self.conversation, context, progress);
        let status = step.resume(answer);
        let progress = step.into_progress();
        match status {
            StepStatus::NeedsSummary(request, number) => {
                self.current = Some(CurrentPhase { phase, progress, request: Some(Arc::clone(&request)) });
                Event::NeedsSummary(request, number)
            }
            StepStatus::NeedsConfirmation(confirmation) => {
                self.current = Some(CurrentPhase { phase, progress, request: None });
                Event::NeedsConfirmation(confirmation)
            }
            StepStatus::NeedsDecision(reason) => {
                self.current = Some(CurrentPhase { phase, progress, request: None });
                Event::NeedsDecision(reason)
            }
            StepStatus::Done(outcome) => {
                if let Some(stop) = outcome.stop() {
                    self.stopped_by = self.plan.borrow().rules.iter().position(|rule| rule.name == stop.rule);
                    self.tasks.push_front(Task::Stopped);
                }
                Event::PhaseEnded(phase, outcome)
            }
        }
    }

    fn begin_end_of_iteration(&mut self) {
        if std::mem::take(&mut self.awaits_iteration_end) && self.stopped_by.is_none() {
            self.tasks.push_front(Task::NextIteration);
            self.tasks.push_front(Task::Learn);
            self.tasks.push_front(Task::Phase(Phase::IterationEnd));
        }
    }

    fn begin_iteration(&mut self) {
        self.conversation.abandon_open_calls(&*self.environment.counter);
        self.has_called = true;
        self.tried_overflow_rules = false;
        if self.stopped_by.is_none() {
            self.lifecycle.begin_iteration(self.state.run.iteration);
        }
        // Views of a request that was never answered do not carry over to the next one.
        if std::mem::replace(&mut self.is_call_open, true) {
            self.state.views.end_request();
        }
        self.state.count_request(&self.conversation, &self.environment);
        let start = std::mem::take(&mut self.start);
        if let Some(model) = &start.model {
            self.choose_model(model);
        }
        self.update_time(self.clock.idle_until(start.at.as_deref()));
    }

    fn update_time(&mut self, idle: Option<Decimal>) {
        let Elapsed { run, session, .. } = self.clock.elapsed();
        self.state.set_time(run, session, idle);
    }
}
