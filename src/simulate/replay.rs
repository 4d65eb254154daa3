//! The replay of a transcript, message by message.

mod harness;

use std::sync::Arc;

use self::harness::LastEdits;
use super::basis::Basis;
use super::clock::{Clock, Elapsed};
use super::fact_series::CallOverrides;
use super::observed::{Observed, ReducedResults};
use super::options::{Options, Sent};
use super::series::Recorded;
use super::spending;
use super::summariser::Summariser;
use super::trace::{CallExplanation, Trace};
use super::unknown::UnknownReadings;
use crate::conversation::{Conversation, Counter, Message, Role, Usage};
use crate::phase::Phase;
use crate::plan::Plan;
use crate::quantity::{Decimal, Value};
use crate::run::{Answer, Firing, Outcome, State, Step, StepContext, StepStatus};
use crate::transcript::Transcript;

/// Replays a transcript with a plan. `sink` receives each context as it would have been sent.
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
    replay.trace.unknown = replay.unknown.into_facts(basis.window.map(|(window, _)| window));
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
    /// Whether a person's message would begin a run: there was no message yet, or the last reply called no tool.
    is_between_runs: bool,
    /// The call whose iteration has not ended.
    open_call: Option<usize>,
    /// The rule that has stopped the run.
    stopped: Option<usize>,
    diverged: bool,
    /// Tokens that the edits of each rule save at every following call.
    saved_per_call: Vec<i128>,
    reduced: ReducedResults,
    unknown: UnknownReadings,
    last_edits: LastEdits,
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
            observed: Observed::of(transcript, basis.usage_points > 0),
            explained: options.explain.map(|call| CallExplanation { call, phases: Vec::new() }),
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
            conversation: Conversation::with_invariant_checks(),
            recorded: Recorded::of(transcript, !basis.drops.is_empty()),
            clock: Clock::default(),
            trace,
            is_between_runs: true,
            open_call: None,
            stopped: None,
            diverged: false,
            saved_per_call: vec![0; plan.rules.len()],
            reduced: ReducedResults::default(),
            unknown: UnknownReadings::of(plan),
            last_edits: LastEdits::of(transcript, !basis.drops.is_empty()),
        }
    }

    fn message(
        &mut self,
        at: usize,
        message: &Arc<Message>,
        summariser: &mut dyn Summariser,
        sink: &mut dyn FnMut(&Sent<'_>),
    ) {
        self.apply_harness_edits(at, message, summariser);
        if message.role == Role::Assistant {
            self.call(message, summariser, sink);
        } else {
            self.input(message, summariser);
        }
        match message.role {
            Role::Assistant => self.is_between_runs = message.calls().next().is_none(),
            Role::Tool => self.is_between_runs = false,
            Role::User if message.is_person() => self.is_between_runs = false,
            // Messages of a harness, a rule or the host do not matter here.
            Role::User | Role::System => {}
        }
    }

    /// Adds a message that is not a reply: a tool result, the system prompt, or a message of a person or a harness.
    fn input(&mut self, message: &Arc<Message>, summariser: &mut dyn Summariser) {
        if message.role != Role::Tool {
            self.end_iteration(summariser);
        }
        if self.begins_run(message) && !self.trace.calls.is_empty() {
            self.state.begin_run();
            self.clock.begin_run();
            self.stopped = None;
        }
        self.clock.input(message.at.as_deref());
        self.update_time(self.clock.elapsed().idle);
        self.add(message);
        if message.role == Role::Tool && self.stopped.is_none() {
            self.state.record_result(message);
        }
    }

    fn update_time(&mut self, idle: Option<Decimal>) {
        let Elapsed { run, session, .. } = self.clock.elapsed();
        self.state.set_time(run, session, idle);
    }

    fn begins_run(&self, message: &Message) -> bool {
        message.run.unwrap_or(message.is_person() && self.is_between_runs)
    }

    fn add(&mut self, message: &Arc<Message>) {
        let counter = &self.basis.counter;
        let tokens = match self.stopped {
            // The rest of a stopped run would not have happened. A recorded compaction is applied all the same, with the
            // message that replaces what it removed.
            Some(rule) if !message.resets => {
                let tokens = counter.message(message);
                self.saved_per_call[rule] += i128::from(tokens);
                self.diverged = true;
                tokens
            }
            _ => self.conversation.push(Arc::clone(message), counter),
        };
        self.recorded.add(message, tokens, counter);
        self.trace.observed.add(message, tokens);
    }

    fn call(&mut self, reply: &Arc<Message>, summariser: &mut dyn Summariser, sink: &mut dyn FnMut(&Sent<'_>)) {
        self.end_iteration(summariser);
        self.conversation.abandon_open_calls(&self.basis.counter);
        let call = self.trace.calls.len();
        let (run, iteration) = (self.state.run.number, self.state.run.iteration);
        if call == 0 {
            self.trace.observed.overhead = self.recorded.overhead(&self.basis.overheads) + self.recorded.prompt;
        }
        self.trace.begin_call(run, iteration, self.options.explain_all);
        self.update_time(self.clock.elapsed().idle);
        let mut views = Vec::new();
        for phase in [Phase::IterationStart, Phase::Request, Phase::ContextBudget] {
            views.extend(self.phase(phase, call, summariser));
        }
        self.send(call, reply, &views, sink);
        self.reply(reply, call, summariser);
    }

    /// Determines the sizes of a call and reports its context if the call is made.
    fn send(&mut self, call: usize, reply: &Message, views: &[Message], sink: &mut dyn FnMut(&Sent<'_>)) {
        let viewed: u64 = views.iter().map(|message| self.basis.counter.message(message)).sum();
        let kept = self.conversation.tokens() + viewed;
        let usage = reply.usage.map(Usage::context).filter(|&context| context > 0);
        self.measure_clearing(usage);
        let overhead = self.recorded.overhead(&self.basis.overheads);
        let (before, after) = self.recorded.call(self.basis.tokens, overhead, usage, kept);
        (self.trace.calls[call].before, self.trace.calls[call].overhead) = (before, overhead);
        self.state.meter.set_overhead(overhead);
        if let Some(rule) = self.stopped {
            self.trace.after_stop += 1;
            self.trace.rules[rule].saved += i128::from(before);
            return;
        }
        self.state.meter.record_request(after, kept);
        self.trace.calls[call].values = self.observed(call, viewed);
        self.state.meter.record_call(after, kept);
        let now = &mut self.trace.calls[call];
        (now.after, now.made) = (after, true);
        if (self.diverged || !views.is_empty()) && self.trace.first_divergence.is_none() {
            self.trace.first_divergence = Some(call);
        }
        for (rule, saved) in self.trace.rules.iter_mut().zip(&self.saved_per_call) {
            rule.saved += saved;
        }
        let (run, iteration) = (now.run, now.iteration);
        sink(&Sent { call, run, iteration, tokens: after, conversation: &self.conversation, views });
    }

    /// The observed facts at the moment when a call is sent.
    fn observed(&mut self, call: usize, viewed: u64) -> Vec<Option<Value>> {
        if self.options.observed.is_empty() {
            return Vec::new();
        }
        let overrides = self.overrides(call);
        let context = self.setting(Phase::ContextBudget, false, &overrides);
        let mut step = Step::begin(self.plan, &mut self.state, &mut self.conversation, context);
        let facts = step.facts(viewed);
        self.options.observed.iter().map(|reading| crate::condition::read(reading, &facts)).collect()
    }

    fn overrides(&self, call: usize) -> CallOverrides<'a> {
        let (window, reserve) = (self.basis.window.map(|(window, _)| window), self.plan.agent.reserve.unwrap_or(0));
        self.options.given.at(call, window, reserve)
    }

    fn setting<'s>(&self, phase: Phase, explain: bool, overrides: &'s CallOverrides<'a>) -> StepContext<'s>
    where
        'a: 's,
    {
        StepContext {
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
        let refetches = self.reduced.refetches(reply, call);
        self.trace.observed.refetches.extend(refetches);
        let spent = spending::of_call(self.basis, reply, &self.trace.calls[call]);
        self.state.record_reply(reply, spent);
        self.update_time(self.state.idle);
        self.phase(Phase::Reply, call, summariser);
        self.open_call = Some(call);
    }

    fn end_iteration(&mut self, summariser: &mut dyn Summariser) {
        if let Some(call) = self.open_call.take()
            && self.stopped.is_none()
        {
            self.phase(Phase::IterationEnd, call, summariser);
            self.state.next_iteration();
        }
    }

    /// Runs one phase and answers its requests. Returns the messages for this call only.
    fn phase(&mut self, phase: Phase, call: usize, summariser: &mut dyn Summariser) -> Vec<Message> {
        if self.stopped.is_some() || !self.plan.rules.iter().any(|rule| rule.phase == phase) {
            return Vec::new();
        }
        let live = self.state.meter.current(self.conversation.tokens());
        self.trace.observed.peak = self.trace.observed.peak.max(live);
        let overrides = self.overrides(call);
        let context = self.setting(phase, self.options.explain_all || self.options.explain == Some(call), &overrides);
        let mut step = Step::begin(self.plan, &mut self.state, &mut self.conversation, context);
        let has_unknown = self.unknown.has_any(phase);
        if has_unknown {
            self.unknown.update(phase, &step.facts(0));
        }
        let mut answer = None;
        let outcome = loop {
            answer = match step.resume(answer) {
                StepStatus::Done(outcome) => break outcome,
                StepStatus::NeedsDecision(_) => Some(Answer::Continue),
                StepStatus::NeedsSummary(request, number) => Some(match summariser.summarise(&request, number) {
                    Ok(text) => {
                        step.add_usage(spending::of_summary(self.basis, &request, &text));
                        Answer::Summary(text)
                    }
                    Err(reason) => Answer::Failed(reason),
                }),
            };
        };
        if has_unknown {
            self.unknown.update(phase, &step.facts(0));
        }
        self.record(phase, call, *outcome)
    }

    fn record(&mut self, phase: Phase, call: usize, outcome: Outcome) -> Vec<Message> {
        self.trace.explain(call, phase, outcome.explanations);
        for due in outcome.due {
            self.trace.rules[due.rule].due += 1;
            self.trace.rules[due.rule].record_idle(due.idle);
            if let Some(firing) = due.firing {
                self.record_firing(due.rule, call, &firing);
            }
            if let Some(reason) = due.failure {
                self.trace.failures.push((call, self.trace.rules[due.rule].name.clone(), reason));
            }
        }
        self.trace.notices.extend(outcome.notices.into_iter().map(|notice| (call, notice)));
        if let Some(stop) = outcome.stop {
            self.stopped = self.plan.rules.iter().position(|rule| rule.name == stop.rule);
            self.trace.stops.push((call, stop));
        }
        outcome.request_messages
    }

    fn record_firing(&mut self, rule: usize, call: usize, firing: &Firing) {
        self.reduced.record(&self.conversation, &firing.receipts, rule, call);
        self.last_edits.record(&firing.receipts, rule);
        let trace = &mut self.trace.rules[rule];
        trace.fired += 1;
        trace.edits += firing.receipts.len();
        trace.calls.push(call);
        if firing.shortfall > 0 {
            trace.short = (trace.short.0 + 1, trace.short.1.max(firing.shortfall));
        }
        let change = firing.receipts.iter().map(|receipt| i128::from(receipt.before) - i128::from(receipt.after));
        self.saved_per_call[rule] += change.sum::<i128>();
        self.trace.calls[call].fired.push(rule);
        self.trace.summaries += firing.summaries;
        self.trace.injections += firing.injections;
        self.diverged |= !firing.receipts.is_empty();
        self.trace.invariants.checked += firing.receipts.len();
        let broken = self.conversation.take_violations().into_iter();
        self.trace.invariants.broken.extend(broken.map(|violation| (call, violation)));
    }
}
