//! One history of a session: its messages, everything that happened, and the driver that follows it.

mod feed;
pub(super) mod fork;
mod harness;
mod history;
mod recording;
mod requested;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, Message, MessageId};
use trimtab_base::hook::{self, HostEvent};
use trimtab_base::playbook::ToolBatch;
use trimtab_base::quantity::Value;
use trimtab_language::check::HostFact;
use trimtab_language::effect::SummaryRequest;
use trimtab_language::fact::HostValues;
use trimtab_language::phase::Phase;
use trimtab_language::plan::Plan;
use trimtab_model::model::Overhead;
use trimtab_recordings::transcript::{EventMoment, Requested};

use self::history::HistoryMessage;
use self::requested::LastRequest;
use super::same_message::is_same;
use super::{Next, QuestionId};
use crate::run::answer::Answer;
use crate::run::arrived_tokens::ArrivedTokens;
use crate::run::driver::{Driver, Event, PhaseOptions};
use crate::run::environment::Environment;
use crate::run::outcome::{Confirmation, Outcome, RuleSignal, Stop};

/// Something that happened, in the order in which the driver got it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Record {
    /// A message arrived. A reply is the reply to the call before it.
    Message(Arc<Message>),
    /// A model call began.
    Call,
    /// The client has compacted: of its list, this many messages at the beginning stay, and what follows replaces the others.
    Compacted(usize),
    /// The host ended the iteration.
    EndIteration,
    /// The host reported an event.
    Host(HostEvent),
    /// The host supplied the value of a fact, or `None` if the fact has become unknown.
    Fact(SmolStr, Option<Value>),
    /// A request named another model or other tools than the one before it.
    Requested(Requested),
    /// A question was answered.
    Answer(Answer),
}

/// A question that the driver waits for.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// A summary, and the number of its request within the rule.
    Summary(Arc<SummaryRequest>, u64),
    /// Whether to go on after a failure, with its reason.
    Decision(String),
    /// Whether a rule with `confirm` may act.
    Confirmation(Confirmation),
    /// The strategies that a batch of tool calls shows.
    Reflection(Box<ToolBatch>),
}

/// The state of the last call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallState {
    /// There is none, or its reply has arrived.
    Closed,
    /// It has begun.
    Open,
}

/// One history of a session.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    /// Distinguishes it from the other branches of the session.
    number: u64,
    driver: Driver<Arc<Plan>>,
    log: Vec<Record>,
    /// What the driver gets when it is ready.
    waiting: VecDeque<Record>,
    /// All messages that the client has sent, in order.
    history: Vec<HistoryMessage>,
    /// The messages that are no longer in the client's list, because it has compacted.
    compacted: Range<usize>,
    /// The number of messages that the driver was given.
    messages_fed: usize,
    /// The number of messages that the driver has added or ignored.
    messages_processed: usize,
    question: Option<Question>,
    /// The number of questions so far.
    questions: u64,
    call: CallState,
    /// The tokens sent besides the messages: as declared, and as learned from usage.
    declared_overhead: u64,
    overhead: Overhead,
    arrived: ArrivedTokens,
    /// The counted tokens of requests that are not the history as it arrived, by the index of their reply in the log.
    sent: BTreeMap<usize, u64>,
    /// When the host reported events and facts, by the index of the event in the log.
    moments: BTreeMap<usize, EventMoment>,
    /// The number of calls that the driver has begun.
    calls: u64,
    last_request: LastRequest,
    /// Whether events are collected for hooks.
    is_observed: bool,
    events: Vec<hook::Event>,
    /// The facts that the host has supplied, including what waits.
    facts: HostValues,
    /// How much of the log has been recorded.
    recorded: usize,
    /// The length of the recording, in bytes.
    recording_length: u64,
    /// How much of the log the log of decisions has.
    logged: usize,
    /// The outcomes of phases that have not been reported, and the number of those that have.
    outcomes: Vec<(Phase, Outcome)>,
    reported: usize,
    stop: Option<Stop>,
}

impl Branch {
    pub(super) fn new(plan: Arc<Plan>, environment: Environment, overhead: u64, number: u64) -> Self {
        Self {
            number,
            facts: plan.agent.host_defaults(),
            calls: 0,
            last_request: LastRequest::of(&plan, &environment),
            driver: Driver::new(plan, environment, overhead, Conversation::default()),
            log: Vec::new(),
            waiting: VecDeque::new(),
            history: Vec::new(),
            compacted: 0..0,
            messages_fed: 0,
            messages_processed: 0,
            question: None,
            questions: 0,
            call: CallState::Closed,
            declared_overhead: overhead,
            overhead: Overhead::default(),
            arrived: ArrivedTokens::default(),
            sent: BTreeMap::new(),
            moments: BTreeMap::new(),
            is_observed: false,
            events: Vec::new(),
            recorded: 0,
            recording_length: 0,
            logged: 0,
            outcomes: Vec::new(),
            reported: 0,
            stop: None,
        }
    }

    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// How much of the log has been recorded.
    pub(super) const fn recorded(&self) -> usize {
        self.recorded
    }

    /// The length of the recording, in bytes.
    pub(super) const fn recording_length(&self) -> u64 {
        self.recording_length
    }

    /// How much of the log the log of decisions has.
    pub(super) const fn logged(&self) -> usize {
        self.logged
    }

    /// The records that are not in the log of decisions. Those that wait for the driver may still change their order.
    pub(super) fn unlogged(&self) -> &[Record] {
        self.log.get(self.logged..).unwrap_or_default()
    }

    /// Marks the records before the index `end` as written to the log of decisions.
    pub(super) fn mark_logged(&mut self, end: usize) {
        self.logged = self.logged.max(end);
    }

    /// The number of outcomes of phases that have been reported.
    pub(super) const fn reported(&self) -> usize {
        self.reported
    }

    pub(super) const fn driver(&self) -> &Driver<Arc<Plan>> {
        &self.driver
    }

    /// The number of messages of its history: of the list that its client sends now.
    pub(super) const fn len(&self) -> usize {
        self.history.len() - (self.compacted.end - self.compacted.start)
    }

    pub(super) fn history(&self) -> impl Iterator<Item = &Arc<Message>> {
        self.listed().map(|seen| &seen.message)
    }

    /// The identities of the messages of its history in the conversation.
    pub(super) fn history_ids(&self) -> impl Iterator<Item = Option<MessageId>> {
        self.listed().map(|seen| seen.id)
    }

    /// The messages of its history.
    pub(super) fn listed(&self) -> impl Iterator<Item = &HistoryMessage> {
        self.history[..self.compacted.start].iter().chain(&self.history[self.compacted.end..])
    }

    /// The client has compacted its list after some messages at its beginning.
    pub(super) fn compact(&mut self, kept: usize) {
        self.compacted = kept..self.history.len();
        self.waiting.push_back(Record::Compacted(kept));
    }

    pub(super) fn log(&self) -> impl Iterator<Item = &Record> {
        self.log.iter().chain(&self.waiting)
    }

    /// Collects events from now on.
    pub(super) fn observe(&mut self) {
        self.is_observed = true;
        self.driver.observe();
    }

    pub(super) fn take_events(&mut self) -> Vec<hook::Event> {
        std::mem::take(&mut self.events)
    }

    pub(super) fn take_outcomes(&mut self) -> Vec<(Phase, Outcome)> {
        self.reported += self.outcomes.len();
        std::mem::take(&mut self.outcomes)
    }

    /// Adds a message, which is a reply to the next call if it comes from the model.
    pub(super) fn push(&mut self, mut message: Arc<Message>) {
        if message.is_reply() {
            self.begin_call();
            self.last_request.mark(&mut message);
        } else if message.resets {
            self.end_iteration();
        }
        self.enqueue_message(message);
    }

    fn enqueue_message(&mut self, message: Arc<Message>) {
        self.history.push(HistoryMessage::new(Arc::clone(&message)));
        self.waiting.push_back(Record::Message(message));
    }

    /// Begins a model call, unless one is open.
    pub(super) fn begin_call(&mut self) {
        if !self.will_be_open() {
            self.waiting.push_back(Record::Call);
        }
    }

    pub(super) fn end_iteration(&mut self) {
        self.waiting.push_back(Record::EndIteration);
    }

    pub(super) fn host_event(&mut self, event: HostEvent) {
        self.waiting.push_back(Record::Host(event));
    }

    /// Records the facts of the host that have changed.
    pub(super) fn supply(&mut self, facts: &HostValues) {
        let plan = Arc::clone(self.driver.shared_plan());
        for HostFact { name, .. } in &plan.agent.facts {
            let value = facts.get(&name.node);
            if self.facts.get(&name.node) != value {
                self.enqueue_fact(name.node.clone(), value.cloned());
            }
        }
    }

    /// Gives the driver the value of a fact when it is ready.
    fn enqueue_fact(&mut self, name: SmolStr, value: Option<Value>) {
        self.facts.set(&name, value.clone());
        self.waiting.push_back(Record::Fact(name, value));
    }

    /// Whether the request of the open call is ready to be sent.
    pub(super) fn is_ready_to_send(&self) -> bool {
        self.call != CallState::Closed && self.waiting.is_empty() && self.question.is_none()
    }

    /// Whether a call is open once the driver has got everything that waits.
    fn will_be_open(&self) -> bool {
        let last = self.waiting.iter().rev().find_map(|record| match record {
            Record::Call => Some(true),
            Record::Message(message) if message.is_reply() => Some(false),
            _ => None,
        });
        last.unwrap_or(self.call != CallState::Closed)
    }

    /// Whether no call is open and the last message is this reply.
    pub(super) fn is_answered_by(&self, reply: &Arc<Message>) -> bool {
        !self.will_be_open() && self.history.last().is_some_and(|last| is_same(&last.message, reply))
    }

    /// The request for a summary that has no answer yet.
    pub(super) fn requested_summary(&self) -> Option<&Arc<SummaryRequest>> {
        match &self.question {
            Some(Question::Summary(request, _)) => Some(request),
            _ => None,
        }
    }

    /// Answers the question, if there is one, and continues until there is another or everything is done.
    pub(super) fn advance(&mut self, answer: Option<Answer>) -> Next {
        let mut answer = match (&self.question, answer) {
            (Some(question), None) => return self.next(question),
            (Some(_), Some(answer)) => {
                self.question = None;
                self.log.push(Record::Answer(answer.clone()));
                Some(answer)
            }
            (None, _) => None,
        };
        loop {
            match self.driver.advance(PhaseOptions::default(), answer.take()) {
                Event::Ready => match self.waiting.pop_front() {
                    Some(record) => self.feed(record),
                    None => return self.finish(),
                },
                Event::NeedsSummary(request, number) => return self.ask(Question::Summary(request, number)),
                Event::NeedsDecision(reason) => return self.ask(Question::Decision(reason)),
                Event::NeedsConfirmation(confirmation) => return self.ask(Question::Confirmation(confirmation)),
                Event::NeedsStrategies(batch) => return self.ask(Question::Reflection(batch)),
                Event::PhaseEnded(phase, outcome) => {
                    self.stop = outcome.stop().or(self.stop.take());
                    if self.is_observed {
                        self.events.extend(outcome.signals.iter().filter_map(RuleSignal::event));
                    }
                    self.outcomes.push((phase, *outcome));
                }
                Event::Added(message, added) => {
                    let (id, tokens) = added.unzip();
                    let counted = || self.driver.environment().counter.message(&message);
                    self.arrived.add(&message, tokens.unwrap_or_else(counted));
                    self.history[self.messages_processed].id = id;
                    self.messages_processed += 1;
                }
                Event::Lifecycle(event) => self.events.push(*event),
                Event::IterationBegins | Event::PhaseBegins(_) => {}
            }
        }
    }

    fn ask(&mut self, question: Question) -> Next {
        self.questions += 1;
        let next = self.next(&question);
        self.question = Some(question);
        next
    }

    fn next(&self, question: &Question) -> Next {
        let id = QuestionId { branch: self.number, number: self.questions };
        match question {
            Question::Summary(request, number) => Next::Summarise(id, Arc::clone(request), *number),
            Question::Decision(reason) => Next::Ask(id, reason.clone()),
            Question::Confirmation(confirmation) => Next::Confirm(id, confirmation.clone()),
            Question::Reflection(batch) => Next::Reflect(id, batch.clone()),
        }
    }

    /// The open question.
    pub(super) fn question(&self) -> Option<QuestionId> {
        self.question.as_ref().map(|_| QuestionId { branch: self.number, number: self.questions })
    }

    fn finish(&mut self) -> Next {
        match &self.stop {
            Some(stop) if self.driver.stopped_by().is_some() => Next::Stop(stop.clone()),
            _ if self.call != CallState::Closed => Next::Send,
            _ => Next::Ready,
        }
    }
}
