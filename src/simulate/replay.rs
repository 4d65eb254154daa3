//! The replay itself: message after message, call after call.

mod harness;

use std::sync::Arc;

use self::harness::SavedBy;
use super::basis::Basis;
use super::clock::{Clock, Elapsed};
use super::fact_series::CallOverrides;
use super::options::{Options, Sent};
use super::seen::{Reduced, Seen};
use super::series::Recorded;
use super::spending;
use super::summariser::Summariser;
use super::trace::{Explained, Trace};
use super::unknown::Unknowns;
use crate::conversation::{Conversation, Counter, Message, Role, Usage};
use crate::phase::Phase;
use crate::plan::Plan;
use crate::quantity::{Decimal, Value};
use crate::run::{Answer, Firing, Outcome, Pause, Setting, State, Step};
use crate::transcript::Transcript;

/// Replays a transcript under a plan. `sink` sees each context as it would have been sent.
pub fn replay(
    plan: &Plan,
    transcript: &Transcript,
    options: &Options,
    summariser: &mut dyn Summariser,
    sink: &mut dyn FnMut(&Sent<'_>),
) -> Trace {
    let basis = Basis::of(plan, transcript, options);
    let mut replay = Replay::new(plan, transcript, &basis, options);
    for (at, message) in transcript.messages.iter().enumerate() {
        replay.message(at, message, summariser, sink);
    }
    replay.end_iteration(summariser);
    replay.trace.runs = usize::try_from(replay.state.run.number + 1).unwrap_or(usize::MAX);
    replay.trace.spent = replay.state.session;
    replay.trace.unknown = replay.unknowns.left(basis.window.map(|(window, _)| window));
    replay.trace
}

struct Replay<'a> {
    plan: &'a Plan,
    basis: &'a Basis,
    options: &'a Options,
    state: State,
    conversation: Conversation,
    recorded: Recorded,
    clock: Clock,
    trace: Trace,
    /// Whether a person's message would begin a run: nothing has been said yet, or the last reply called no tool.
    idle: bool,
    /// The call whose iteration has not ended.
    open: Option<usize>,
    /// The rule that has stopped the run.
    stopped: Option<usize>,
    diverged: bool,
    /// Tokens that each rule's edits keep from every coming call.
    standing: Vec<i128>,
    /// Results that rules have reduced.
    reduced: Reduced,
    unknowns: Unknowns,
    /// Which rules have saved what in which message.
    saved_by: SavedBy,
}

impl<'a> Replay<'a> {
    fn new(plan: &'a Plan, transcript: &Transcript, basis: &'a Basis, options: &'a Options) -> Self {
        let trace = Trace {
            id: transcript.id.clone(),
            format: transcript.format,
            model: basis.model.clone(),
            window: basis.window,
            tools_source: basis.tools_source,
            counter: basis.counting(),
            skipped: transcript.skipped.clone(),
            seen: Seen::of(transcript, basis.usage_points > 0),
            explained: options.explain.map(|call| Explained { call, phases: Vec::new() }),
            ..Trace::of(plan)
        };
        let mut state = State::new(plan, basis.overheads.first().copied().unwrap_or(0));
        state.set_priced(basis.prices.is_some());
        state.begin_run();
        Self {
            plan,
            basis,
            options,
            state,
            conversation: Conversation::watched(),
            recorded: Recorded::of(transcript, !basis.falls.is_empty()),
            clock: Clock::default(),
            trace,
            idle: true,
            open: None,
            stopped: None,
            diverged: false,
            standing: vec![0; plan.rules.len()],
            reduced: Reduced::default(),
            unknowns: Unknowns::of(plan),
            saved_by: SavedBy::of(transcript, !basis.falls.is_empty()),
        }
    }

    fn message(
        &mut self,
        at: usize,
        message: &Arc<Message>,
        summariser: &mut dyn Summariser,
        sink: &mut dyn FnMut(&Sent<'_>),
    ) {
        self.follow_harness(at, message, summariser);
        if message.role == Role::Assistant {
            self.call(message, summariser, sink);
        } else {
            self.arrive(message, summariser);
        }
        match message.role {
            Role::Assistant => self.idle = message.calls().next().is_none(),
            Role::Tool => self.idle = false,
            Role::User if message.is_person() => self.idle = false,
            // What a harness, a rule or the host puts in between changes nothing.
            Role::User | Role::System => {}
        }
    }

    /// A message that is no reply: a result, a person's, a harness's, the system prompt.
    fn arrive(&mut self, message: &Arc<Message>, summariser: &mut dyn Summariser) {
        if message.role != Role::Tool {
            self.end_iteration(summariser);
        }
        if self.begins_run(message) && !self.trace.calls.is_empty() {
            self.state.begin_run();
            self.clock.begin_run();
            self.stopped = None;
        }
        self.clock.arrive(message.at.as_deref());
        self.tell_time(self.clock.elapsed().idle);
        self.add(message);
        if message.role == Role::Tool && self.stopped.is_none() {
            self.state.answered(message);
        }
    }

    fn tell_time(&mut self, idle: Option<Decimal>) {
        let Elapsed { run, session, .. } = self.clock.elapsed();
        self.state.set_time(run, session, idle);
    }

    fn begins_run(&self, message: &Message) -> bool {
        message.run.unwrap_or(message.is_person() && self.idle)
    }

    fn add(&mut self, message: &Arc<Message>) {
        let counter = &self.basis.counter;
        let tokens = match self.stopped {
            // The rest of a stopped run would not have happened. A compaction of the harness is taken as it was recorded,
            // and so is the message that stands for what it removed.
            Some(rule) if !message.resets => {
                let tokens = counter.message(message);
                self.standing[rule] += i128::from(tokens);
                self.diverged = true;
                tokens
            }
            _ => self.conversation.push(Arc::clone(message), counter),
        };
        self.recorded.add(message, tokens, counter);
        self.trace.seen.add(message, tokens);
    }

    fn call(&mut self, reply: &Arc<Message>, summariser: &mut dyn Summariser, sink: &mut dyn FnMut(&Sent<'_>)) {
        self.end_iteration(summariser);
        self.conversation.settle(&self.basis.counter);
        let call = self.trace.calls.len();
        let (run, iteration) = (self.state.run.number, self.state.run.iteration);
        if call == 0 {
            self.trace.seen.overhead = self.recorded.overhead(self.basis) + self.recorded.prompt;
        }
        self.trace.begin_call(run, iteration, self.options.follow);
        self.tell_time(self.clock.elapsed().idle);
        let mut views = Vec::new();
        for phase in [Phase::IterationStart, Phase::Request, Phase::ContextBudget] {
            views.extend(self.phase(phase, call, summariser));
        }
        self.send(call, reply, &views, sink);
        self.reply(reply, call, summariser);
    }

    /// Settles the sizes of a call, and shows its context when the call is made.
    fn send(&mut self, call: usize, reply: &Message, views: &[Message], sink: &mut dyn FnMut(&Sent<'_>)) {
        let viewed: u64 = views.iter().map(|message| self.basis.counter.message(message)).sum();
        let kept = self.conversation.tokens() + viewed;
        let usage = reply.usage.map(Usage::context).filter(|&context| context > 0);
        self.measure_clearing(usage);
        let overhead = self.recorded.overhead(self.basis);
        let (before, after) = self.recorded.call(self.basis, usage, kept);
        (self.trace.calls[call].before, self.trace.calls[call].overhead) = (before, overhead);
        self.state.meter.beside(overhead);
        if let Some(rule) = self.stopped {
            self.trace.after_stop += 1;
            self.trace.rules[rule].saved += i128::from(before);
            return;
        }
        self.state.meter.sending(after, kept);
        self.trace.calls[call].values = self.watched(call, viewed);
        self.state.meter.called(after, kept);
        let now = &mut self.trace.calls[call];
        (now.after, now.made) = (after, true);
        if (self.diverged || !views.is_empty()) && self.trace.first_divergence.is_none() {
            self.trace.first_divergence = Some(call);
        }
        for (rule, standing) in self.trace.rules.iter_mut().zip(&self.standing) {
            rule.saved += standing;
        }
        let (run, iteration) = (now.run, now.iteration);
        sink(&Sent { call, run, iteration, tokens: after, conversation: &self.conversation, views });
    }

    /// The facts that are watched, at the moment at which a call is sent.
    fn watched(&mut self, call: usize, viewed: u64) -> Vec<Option<Value>> {
        if self.options.watched.is_empty() {
            return Vec::new();
        }
        let given = self.overrides(call);
        let setting = self.setting(Phase::ContextBudget, false, &given);
        let mut step = Step::begin(self.plan, &mut self.state, &mut self.conversation, setting);
        let facts = step.facts(viewed);
        self.options.watched.iter().map(|reading| crate::condition::read(reading, &facts)).collect()
    }

    fn overrides(&self, call: usize) -> CallOverrides<'a> {
        let (window, reserve) = (self.basis.window.map(|(window, _)| window), self.plan.agent.reserve.unwrap_or(0));
        self.options.given.at(call, window, reserve)
    }

    fn setting<'s>(&self, phase: Phase, explain: bool, overrides: &'s CallOverrides<'a>) -> Setting<'s>
    where
        'a: 's,
    {
        Setting {
            phase,
            counter: &self.basis.counter,
            window: self.basis.window.map(|(window, _)| window),
            reserve: self.plan.agent.reserve.unwrap_or(0),
            tools: &self.basis.tools,
            overrides: Some(overrides),
            explain,
        }
    }

    fn reply(&mut self, reply: &Arc<Message>, call: usize, summariser: &mut dyn Summariser) {
        self.clock.reply(reply.at.as_deref());
        self.add(reply);
        if self.stopped.is_some() {
            return;
        }
        let again = self.reduced.again(reply, call);
        self.trace.seen.again.extend(again);
        let spent = spending::of_call(self.basis, reply, &self.trace.calls[call]);
        self.state.replied(reply, spent);
        self.tell_time(self.state.idle);
        self.phase(Phase::Reply, call, summariser);
        self.open = Some(call);
    }

    fn end_iteration(&mut self, summariser: &mut dyn Summariser) {
        if let Some(call) = self.open.take()
            && self.stopped.is_none()
        {
            self.phase(Phase::IterationEnd, call, summariser);
            self.state.next_iteration();
        }
    }

    /// Carries out one phase, answering what it asks, and gives the messages for this call only.
    fn phase(&mut self, phase: Phase, call: usize, summariser: &mut dyn Summariser) -> Vec<Message> {
        if self.stopped.is_some() || !self.plan.rules.iter().any(|rule| rule.phase == phase) {
            return Vec::new();
        }
        let live = self.state.meter.live(self.conversation.tokens());
        self.trace.seen.peak = self.trace.seen.peak.max(live);
        let given = self.overrides(call);
        let setting = self.setting(phase, self.options.follow || self.options.explain == Some(call), &given);
        let mut step = Step::begin(self.plan, &mut self.state, &mut self.conversation, setting);
        let waits = self.unknowns.waits(phase);
        if waits {
            self.unknowns.look(phase, &step.facts(0));
        }
        let mut answer = None;
        let outcome = loop {
            answer = match step.resume(answer) {
                Pause::Done(outcome) => break outcome,
                Pause::Person(_) => Some(Answer::GoOn),
                Pause::Summary(request, number) => Some(match summariser.summarise(&request, number) {
                    Ok(text) => {
                        step.spend(spending::of_summary(self.basis, &request, &text));
                        Answer::Summary(text)
                    }
                    Err(reason) => Answer::Failed(reason),
                }),
            };
        };
        if waits {
            self.unknowns.look(phase, &step.facts(0));
        }
        self.note(phase, call, *outcome)
    }

    fn note(&mut self, phase: Phase, call: usize, outcome: Outcome) -> Vec<Message> {
        self.trace.explain(call, phase, outcome.explanation);
        for tried in outcome.tried {
            self.trace.rules[tried.rule].due += 1;
            self.trace.rules[tried.rule].idle(tried.idle);
            if let Some(firing) = tried.firing {
                self.fired(tried.rule, call, &firing);
            }
            if let Some(reason) = tried.failure {
                self.trace.failures.push((call, self.trace.rules[tried.rule].name.clone(), reason));
            }
        }
        self.trace.notices.extend(outcome.notices.into_iter().map(|notice| (call, notice)));
        if let Some(stop) = outcome.stop {
            self.stopped = self.plan.rules.iter().position(|rule| rule.name == stop.rule);
            self.trace.stops.push((call, stop));
        }
        outcome.views
    }

    fn fired(&mut self, rule: usize, call: usize, firing: &Firing) {
        self.reduced.note(&self.conversation, &firing.receipts, rule, call);
        self.saved_by.note(&firing.receipts, rule);
        let trace = &mut self.trace.rules[rule];
        trace.fired += 1;
        trace.edits += firing.receipts.len();
        trace.calls.push(call);
        if firing.short > 0 {
            trace.short = (trace.short.0 + 1, trace.short.1.max(firing.short));
        }
        let change = firing.receipts.iter().map(|receipt| i128::from(receipt.before) - i128::from(receipt.after));
        self.standing[rule] += change.sum::<i128>();
        self.trace.calls[call].fired.push(rule);
        self.trace.summaries += firing.summaries;
        self.trace.injections += firing.injections;
        self.diverged |= !firing.receipts.is_empty();
        self.trace.invariants.checked += firing.receipts.len();
        let broken = self.conversation.take_broken().into_iter();
        self.trace.invariants.broken.extend(broken.map(|violation| (call, violation)));
    }
}
