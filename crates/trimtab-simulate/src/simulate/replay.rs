//! The replay of a transcript, message by message.

mod harness;
mod host;
mod outcome;

use std::collections::VecDeque;
use std::sync::Arc;

use trimtab_base::conversation::{Conversation, Counter, Message, MessageId, RequestSize, Usage};
use trimtab_language::fact::Spending;
use trimtab_language::plan::Plan;
use trimtab_recordings::transcript::{HarnessCall, RecordedAnswer, RecordedEvent, Transcript};
use trimtab_run::run::{Answer, CallStart, Driver, Event, InvalidReasoning, PhaseOptions};

use self::harness::LastEdits;
use super::call_sizes::Sizes;
use super::confirmations::Confirmations;
use super::fact_series::CallOverrides;
use super::learned_strategies::Learned;
use super::ledger::Ledger;
use super::options::{Options, Sent};
use super::pricing::Pricing;
use super::reasoning_handling::ReasoningHandling;
use super::recording_observations::Observed;
use super::regret::RegretTracker;
use super::replay_inputs::ReplayInputs;
use super::request_prefix::CommonPrefix;
use super::series::{CallSizes, Recorded};
use super::summariser::Summariser;
use super::timeline::{RequestContext, TimelineRecorder};
use super::trace::{CallExplanation, Trace};
use super::unknown::UnknownReadings;
use super::view_savings::ViewSavings;
use super::{attribution, model_calls};

/// Replays a transcript with a plan. `sink` receives each context as it would have been sent.
pub fn replay(
    plan: &Plan,
    transcript: &Transcript,
    options: &Options,
    summariser: &mut dyn Summariser,
    sink: &mut dyn FnMut(&Sent<'_>),
) -> Trace {
    let inputs = ReplayInputs::of(plan, transcript, options);
    let trace = replay_with(&inputs, plan, transcript, options, summariser, sink);
    Trace { predictions: inputs.predictions, ..trace }
}

/// Replays a transcript with a plan and prepared inputs, which several plans may share. The trace has no predictions.
pub fn replay_with(
    inputs: &ReplayInputs,
    plan: &Plan,
    transcript: &Transcript,
    options: &Options,
    summariser: &mut dyn Summariser,
    sink: &mut dyn FnMut(&Sent<'_>),
) -> Trace {
    let mut replay = Replay::new(plan, transcript, inputs, options);
    replay.supply_constants();
    for (at, message) in transcript.messages.iter().enumerate() {
        replay.message(at, message, summariser, sink);
    }
    replay.bill_harness_calls(transcript.messages.len());
    replay.report_host_events(transcript.messages.len(), true, summariser);
    replay.driver.end_iteration();
    replay.advance(summariser);
    replay.trace.runs = usize::try_from(replay.driver.run().number + 1).unwrap_or(usize::MAX);
    replay.trace.spent = replay.driver.spent();
    replay.close_ledger();
    replay.trace.learned = plan.uses_playbook().then(|| Learned {
        before: Arc::clone(&replay.driver.environment().learning.playbook),
        after: replay.driver.playbook().clone(),
    });
    replay.trace.missing_tools = replay.missing_tools(plan);
    replay.trace.unknown = replay.unknown.into_facts(inputs.agent.window.map(|(window, _)| window));
    replay.trace
}

struct Replay<'a> {
    inputs: &'a ReplayInputs,
    options: &'a Options,
    driver: Driver<&'a Plan>,
    recorded: Recorded,
    trace: Trace,
    /// Whether edits have changed the conversation under the policy.
    diverged: bool,
    /// Tokens that the edits of each rule save at every following call.
    saved_per_call: Vec<i128>,
    /// Tokens of the recorded context that would not exist, because a rule stopped the run before them. No rule has saved them.
    prevented: i128,
    /// What the views of each rule save at the next call, or at the calls of this run.
    view_savings: ViewSavings,
    ledger: Ledger,
    regret: RegretTracker<'a>,
    timeline: Option<TimelineRecorder<'a>>,
    unknown: UnknownReadings,
    last_edits: LastEdits,
    /// The answers of the recorded live session that have not been used.
    answers: std::slice::Iter<'a, RecordedAnswer>,
    /// The answers to the questions of rules that no live session has recorded.
    confirmations: Confirmations,
    /// The events and facts of the host that have not been reported.
    host_events: VecDeque<RecordedEvent>,
    /// The calls of the harness that have not been billed.
    harness_calls: std::slice::Iter<'a, HarnessCall>,
}

impl<'a> Replay<'a> {
    fn new(plan: &'a Plan, transcript: &'a Transcript, inputs: &'a ReplayInputs, options: &'a Options) -> Self {
        let trace = Trace {
            id: transcript.id.clone(),
            format: transcript.format,
            model: inputs.agent.model.clone(),
            is_live: inputs.is_live,
            window: inputs.agent.window,
            reserve: inputs.agent.reserve,
            tools_source: inputs.agent.tools_source,
            counter: inputs.counting(),
            skipped: transcript.skipped.clone(),
            pricing: Pricing::of(transcript, inputs, options),
            observed: Observed::of(transcript, inputs),
            explained: options.explain.map(|call| CallExplanation { call, phases: Vec::new() }),
            ..Trace::of(plan)
        };
        let overhead = inputs.overheads.first().copied().unwrap_or(0);
        let conversation = Conversation::with_invariant_checks().keeping_edits();
        let mut driver = Driver::new(plan, inputs.environment(), overhead, conversation);
        driver.set_unrecorded(inputs.unrecorded(0));
        if options.events {
            driver.observe();
        }
        Self {
            inputs,
            options,
            driver,
            recorded: Recorded::of(transcript, !inputs.drops.is_empty()),
            trace,
            diverged: false,
            saved_per_call: vec![0; plan.rules.len()],
            prevented: 0,
            view_savings: ViewSavings::default(),
            ledger: Ledger::new(plan.rules.len(), inputs, transcript, options),
            regret: RegretTracker::new(&transcript.messages, options.quotes),
            timeline: options.timeline.map(|limit| TimelineRecorder::new(&transcript.messages, limit)),
            unknown: UnknownReadings::of(plan),
            last_edits: LastEdits::of(transcript, !inputs.drops.is_empty()),
            answers: inputs.answers.iter(),
            confirmations: options.confirm,
            host_events: transcript.events.iter().cloned().collect(),
            harness_calls: transcript.harness_calls.iter(),
        }
    }

    fn message(
        &mut self,
        at: usize,
        message: &Arc<Message>,
        summariser: &mut dyn Summariser,
        sink: &mut dyn FnMut(&Sent<'_>),
    ) {
        let is_reply = message.is_reply();
        self.bill_harness_calls(at);
        self.report_host_events(at, !is_reply, summariser);
        self.apply_harness_edits(at, message, summariser);
        if !is_reply {
            self.driver.input(message);
            self.advance(summariser);
            return;
        }
        // A live session knew only from the reply which model was called, and when.
        let start = CallStart { at: message.at.clone(), model: message.model.clone() };
        self.driver.begin_call(if self.inputs.is_live { CallStart::default() } else { start });
        self.advance(summariser);
        self.report_host_events(at, true, summariser);
        let (tokens, spent) = self.send(message, sink);
        self.driver.reply(message, tokens, spent);
        self.advance(summariser);
    }

    /// Lets the driver continue until it is ready, answers its questions and records what happens.
    fn advance(&mut self, summariser: &mut dyn Summariser) {
        let mut answer = None;
        loop {
            let overrides = self.overrides();
            let phase_options = self.phase_options(&overrides);
            match self.driver.advance(phase_options, answer.take()) {
                Event::Added(message, added) => self.record_message(&message, added),
                Event::IterationBegins => self.begin_call(),
                Event::Lifecycle(event) => self.record_event(*event),
                Event::PhaseBegins(phase) => {
                    self.trace.observed.peak = self.trace.observed.peak.max(self.driver.request_tokens());
                    if self.unknown.has_any(phase) {
                        self.unknown.update(phase, &self.driver.facts(phase_options));
                    }
                }
                Event::NeedsSummary(request, number) => {
                    let summarise =
                        || summariser.summarise(&request, number).map_or_else(Answer::Failed, Answer::Summary);
                    answer = Some(self.answers.next().cloned().map_or_else(summarise, Answer::from));
                }
                Event::NeedsDecision(_) => {
                    answer = Some(self.answers.next().cloned().map_or(Answer::Continue, Answer::from));
                }
                Event::NeedsConfirmation(_) => {
                    let recorded = self.answers.next().cloned().map(Answer::from);
                    answer = Some(recorded.unwrap_or_else(|| self.confirmations.answer()));
                }
                Event::NeedsStrategies(_) => answer = self.answers.next().cloned().map(Answer::from),
                Event::PhaseEnded(phase, outcome) => {
                    if self.unknown.has_any(phase) {
                        self.unknown.update(phase, &self.driver.facts(phase_options));
                    }
                    self.record(phase, *outcome);
                }
                Event::Ready => return,
            }
        }
    }

    /// The index of the call whose phases are run.
    fn call(&self) -> usize {
        self.trace.calls.len().saturating_sub(1)
    }

    fn overrides(&self) -> CallOverrides<'a> {
        let environment = self.driver.environment();
        self.options.given.at(self.call(), environment.window, environment.reserve)
    }

    fn phase_options<'s>(&self, overrides: &'s CallOverrides<'a>) -> PhaseOptions<'s> {
        PhaseOptions {
            overrides: Some(overrides),
            explain: self.options.explain_all || self.options.explain == Some(self.call()),
        }
    }

    fn record_message(&mut self, message: &Message, added: Option<(MessageId, u64)>) {
        // By the counter of the conversation: what is recorded does not depend on a stop.
        let counted = || self.driver.environment().counter.message(message);
        let tokens = added.map_or_else(counted, |(_, tokens)| tokens);
        if let Some((id, _)) = added {
            self.regret.added(id, message, self.driver.conversation());
        }
        if added.is_none() && self.driver.stopped_by().is_some() {
            self.prevented += i128::from(tokens);
        }
        self.recorded.add(message, tokens, &self.inputs.counter);
        self.trace.observed.add(message, tokens);
        if message.is_reply() && self.driver.stopped_by().is_none() {
            self.regret.repeated(message, self.driver.misses(), self.call());
        }
    }

    fn begin_call(&mut self) {
        if self.trace.calls.is_empty() {
            let overhead = self.recorded.overhead(&self.inputs.overheads).saturating_sub(self.inputs.unrecorded(0));
            self.trace.observed.overhead = overhead + self.recorded.prompt;
        }
        let run = self.driver.run();
        self.trace.begin_call(run.number, run.iteration, self.options.explain_all);
        self.view_savings.begin_call(run.number);
    }

    /// Determines the sizes of a call and reports its context if the call is made. Returns the tokens of its context, and
    /// what the call uses.
    fn send(&mut self, reply: &Message, sink: &mut dyn FnMut(&Sent<'_>)) -> (u64, Spending) {
        if let Some(model) = reply.model.as_ref().filter(|_| self.inputs.is_live) {
            self.driver.choose_model(model);
        }
        self.ledger.begin_call(reply, self.driver.environment());
        let call = self.call();
        let usage = reply.usage.map(Usage::context).filter(|&context| context > 0);
        self.measure_clearing(usage);
        let sent_overhead = self.recorded.overhead(&self.inputs.overheads);
        let added = self.inputs.added_overhead;
        let overhead = sent_overhead.saturating_sub(added);
        let kept = (self.driver.request_size(), added);
        let prefix = self.recorded.prefix(overhead);
        let sent = (usage, self.inputs.kept_out(reply, self.recorded.counted()));
        let prevented = u64::try_from(self.prevented).unwrap_or(0);
        let sizes = self.recorded.call(self.inputs.tokens, overhead, sent, kept, prevented);
        let CallSizes { before, prevented, after, unremoved } = sizes;
        let current = &mut self.trace.calls[call];
        (current.before, current.overhead, current.prevented) = (before, overhead, prevented);
        current.unrecorded = self.inputs.unrecorded(call).min(overhead);
        self.driver.set_unrecorded(current.unrecorded);
        current.window = self.driver.environment().window.filter(|window| *window > 0);
        model_calls::count(&mut self.trace.models, self.driver.environment());
        self.trace.cache_lifetime = self.trace.cache_lifetime.max(self.ledger.cache_lifetime());
        // A live session knew the usage of what it sent, not the size of the recorded conversation.
        let after = if self.inputs.is_live { usage.filter(|usage| *usage >= overhead) } else { Some(after) };
        let after = self.driver.record_request(sent_overhead, after);
        let lost = self.record_request(sent_overhead);
        let idle = self.driver.idle().and_then(|idle| u64::try_from(idle).ok());
        // A live session knew only from the reply when the call was made.
        let recorded_idle = self.recorded.idle_until(reply.at.as_deref().filter(|_| !self.inputs.is_live));
        let transient = self.driver.views().transient_tokens();
        let is_stopped = self.driver.stopped_by().is_some();
        let is_edited = self.diverged || !self.driver.views().are_empty() || added > 0;
        let sizes = Sizes { call, before, after, prevented, is_edited, is_stopped, recorded_idle, idle, transient };
        if is_stopped {
            self.trace.after_stop += 1;
            return (after, self.bill(&sizes, reply, &prefix, &[]));
        }
        self.trace.calls[call].values = self.observed();
        let drops_reasoning = self.drops_invalid_reasoning();
        let current = &mut self.trace.calls[call];
        (current.after, current.made) = (after, true);
        let (conversation, views) = (self.driver.conversation(), self.driver.views());
        let differs = self.diverged || self.prevented > 0 || !views.are_empty();
        if differs && self.trace.first_divergence.is_none() {
            self.trace.first_divergence = Some(call);
        }
        let mut saved = self.saved_per_call.clone();
        let whole = RequestSize { messages: conversation.tokens(), ..RequestSize::default() };
        let by_views = views.size(conversation).saved_from(whole);
        for (rule, tokens) in self.view_savings.end_call(by_views) {
            saved[rule] += tokens;
        }
        saved.iter_mut().zip(&lost).for_each(|(saved, lost)| *saved += i128::from(*lost));
        self.inputs.recorded_tokens.apply(&mut saved);
        if !self.inputs.is_live {
            attribution::limit(&mut saved, &self.trace.rules, &self.driver.plan().rules, unremoved);
        }
        // The first rule that needs the tool that the plan adds pays for it at every call, whatever the rule saves.
        if let Some(rule) = self.driver.plan().offloading_rule() {
            saved[rule] -= i128::from(added);
        }
        for (rule, saved) in self.trace.rules.iter_mut().zip(&saved) {
            rule.saved += saved;
        }
        let strips = drops_reasoning && self.options.reasoning == ReasoningHandling::Strip;
        let stripped = strips.then(|| self.driver.requests().reasoning());
        let (run, iteration, tools) = (current.run, current.iteration, &self.driver.environment().tools);
        sink(&Sent { call, run, iteration, tokens: after, conversation, views, tools, stripped });
        if let Some(timeline) = &mut self.timeline {
            let counter = &*self.driver.environment().counter as &dyn Counter;
            let (tokens, overhead, lost_reasoning) = (after, sent_overhead, lost.iter().sum());
            let unrecorded = self.trace.calls[call].unrecorded;
            timeline.send(&RequestContext {
                call,
                tokens,
                overhead,
                unrecorded,
                known_overhead: self.inputs.known_overhead(),
                lost_reasoning,
                conversation,
                views,
                counter,
            });
        }
        self.regret.send(reply, call, (self.driver.conversation(), self.driver.views()));
        (after, self.bill(&sizes, reply, &prefix, &saved))
    }

    /// Bills a call and returns what it uses. A live session, whose recording is repeated, knew the usage of its replies and
    /// nothing about the cache.
    fn bill(&mut self, sizes: &Sizes, reply: &Message, recorded: &CommonPrefix, saved: &[i128]) -> Spending {
        let environment = self.driver.environment();
        let cost = self.ledger.bill(sizes, reply, recorded, environment, saved);
        let spent = environment.call_spending(reply, sizes.after);
        let cost = if self.inputs.is_live { spent.cost } else { spent.cost.and(cost) };
        Spending { cost, ..spent }
    }

    /// Records the request that is sent, and returns the tokens of its reasoning that each rule has invalidated and that
    /// leave the context.
    fn record_request(&mut self, overhead: u64) -> Vec<u64> {
        if self.driver.stopped_by().is_some() {
            return Vec::new();
        }
        let (requests, request) = (self.driver.requests(), (self.driver.conversation(), self.driver.views()));
        self.ledger.record_request(overhead, requests, request);
        if self.options.reasoning == ReasoningHandling::Keep && !requests.reasoning().is_valid() {
            self.trace.refused.push(self.call());
        }
        if self.drops_invalid_reasoning() { requests.reasoning().invalid_by_rule() } else { Vec::new() }
    }

    /// Whether invalid reasoning is dropped from the context.
    fn drops_invalid_reasoning(&self) -> bool {
        self.inputs.invalid_reasoning == Some(InvalidReasoning::Leaves)
    }

    fn close_ledger(&mut self) {
        let ledger = std::mem::take(&mut self.ledger);
        self.trace.reasoning = self.inputs.invalid_reasoning.map(|_| self.options.reasoning);
        self.trace.regret = std::mem::take(&mut self.regret).finish();
        self.trace.timeline = self.timeline.take().map(TimelineRecorder::finish);
        let (money, rules) = ledger.finish();
        self.trace.money = money;
        for (rule, money) in self.trace.rules.iter_mut().zip(rules) {
            rule.money = money;
        }
    }
}
