//! The state of a plan between steps.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{
    Conversation, Message, MessageId, Miss, PartId, RequestSize, ResultIndex, Role, Views,
};
use trimtab_base::playbook::Playbook;
use trimtab_base::quantity::Decimal;
use trimtab_language::effect::{CountedParts, LatestCache, RedundancyCache, RemovalCache, SkippedCache};
use trimtab_language::fact::{self, Counts, HostValues, Moment, Request, Scope, Seen, SessionLog, Spending, TailCache};
use trimtab_language::plan::Plan;

use super::bound_reasoning::InvalidReasoning;
use super::cache_lifetime::CacheLifetime;
use super::environment::Environment;
use super::meter::Meter;
use super::requests::Requests;
use super::rule_state::{Position, RuleState, ScopedState};
use super::search::Searches;

/// The state of a plan in a session.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The state of each rule, by its name.
    pub rules: BTreeMap<SmolStr, RuleState>,
    /// The current run.
    pub run: fact::RunHistory,
    /// The session.
    pub session: fact::SessionHistory,
    /// What has happened in all runs.
    pub log: SessionLog,
    /// Seconds between the last reply and the current or next call.
    pub idle: Option<Decimal>,
    pub(super) cache: CacheLifetime,
    /// The size of the context.
    pub meter: Meter,
    /// The part of the overhead that is messages: the history that a recording lacks.
    pub unrecorded: u64,
    /// Whether messages have left the context since the rules on `compaction` were last tried.
    pub(super) is_compacted: bool,
    /// How often summaries of single results have failed, by rule.
    pub(super) failed_summaries: BTreeMap<SmolStr, BTreeMap<MessageId, u64>>,
    /// The number of requested summaries.
    pub summaries: u64,
    /// What the session has learned.
    pub playbook: Playbook,
    /// The differences between the conversation and the next request.
    pub views: Views,
    /// The facts that the host supplies.
    pub host: HostValues,
    pub(super) requests: Requests,
    pub(super) searches: Searches,
    pub(super) tail: TailCache,
    pub(super) redundancy: RedundancyCache,
    pub(super) removals: RemovalCache,
    pub(super) tails: CountedParts,
    pub(super) latest: LatestCache,
    pub(super) skipped: SkippedCache,
    pub(super) results: ResultIndex,
    /// The factor by which the host should keep more of the results of each tool, for tools that rules have boosted in this
    /// run.
    pub boosts: BTreeMap<SmolStr, u64>,
    /// The restored parts, each with the last iteration of the run in which it is protected, or `None` for the whole
    /// run.
    pub(super) protected_parts: BTreeMap<(MessageId, PartId), Option<u64>>,
    /// The miss that the current phase is about.
    miss: Option<Arc<Miss>>,
    begun: bool,
    priced: bool,
}

impl State {
    /// The state before the first run. `overhead` are the tokens sent besides the messages.
    pub fn new(plan: &Plan, overhead: u64) -> Self {
        let rules = plan.rules.iter().map(|rule| (rule.name.clone(), RuleState::default())).collect();
        Self { rules, meter: Meter::new(overhead), host: plan.agent.host_defaults(), ..Self::default() }
    }

    /// Begins a run: resets the state of the run, but neither that of the session nor the size of the context.
    pub fn begin_run(&mut self) {
        let number = if self.begun { self.run.number + 1 } else { 0 };
        self.begun = true;
        // A reply at which a rule has stopped the run ends no iteration.
        self.session.iteration = self.session.spent.calls;
        self.run = fact::RunHistory { number, spent: self.unspent(), ..fact::RunHistory::default() };
        self.log.begin_run();
        self.rules.values_mut().for_each(|rule| rule.run = ScopedState::default());
        self.views.begin_run();
        self.boosts.clear();
    }

    /// Sets the size of a reply in the next request. `counted` is the counted size of the reply.
    pub fn correct_size(&mut self, reply: &Message, counted: u64) {
        self.meter.correct(counted, reply.reply_tokens(counted));
    }

    /// Records a reply, its usage and the tools that it calls.
    pub fn record_reply(&mut self, reply: &Arc<Message>, used: Spending) {
        self.add_usage(used);
        self.log.record_reply(reply, self.session.spent.time);
        let mut calls = reply.calls().peekable();
        if calls.peek().is_some() {
            self.run.replies.push(Arc::clone(reply));
        }
        let before = [self.run.spent, self.session.spent].map(|spent| spent.calls.saturating_sub(used.calls));
        for (_, tool, _) in calls {
            for (counts, before) in self.counts().into_iter().zip(before) {
                let used = counts.used.entry(tool.clone()).or_default();
                (used.calls, used.newest) = (used.calls + 1, before);
            }
        }
    }

    /// Records a message of the run. The first message of a person or a caller is the request of the run. Returns
    /// whether this message is the request.
    pub fn record_input(&mut self, message: &Arc<Message>) -> bool {
        let is_request = message.role == Role::User && (message.is_person() || message.run == Some(true));
        let is_first = is_request && self.run.request.is_missing();
        if is_first {
            self.run.request = Request::of(message);
        }
        is_first
    }

    /// Records that a user message has come.
    pub(super) const fn record_user_message(&mut self) {
        self.log.record_user_message(self.session.iteration);
    }

    /// Records a tool result of a tool, if it is known.
    pub fn record_result(&mut self, result: &Message, tool: Option<&SmolStr>) {
        let failed = result.results().filter(|result| result.is_error).count();
        let failed = u64::try_from(failed).unwrap_or(u64::MAX);
        for counts in self.counts() {
            counts.failures += failed;
            if let Some(tool) = tool.filter(|_| failed > 0) {
                *counts.failures_of.entry(tool.clone()).or_default() += failed;
            }
        }
    }

    /// What is counted in the run, and what is counted over the session.
    const fn counts(&mut self) -> [&mut Counts; 2] {
        [&mut self.run.counts, &mut self.session.counts]
    }

    /// Begins the phase about a miss.
    pub(super) fn begin_miss(&mut self, miss: &Arc<Miss>) {
        self.counts().into_iter().for_each(|counts| counts.misses += 1);
        self.run.missed = Some(Arc::clone(miss));
        self.miss = Some(Arc::clone(miss));
    }

    /// Ends the phase about a miss.
    pub(super) fn end_miss(&mut self) {
        self.miss = None;
    }

    /// Records that messages have left the context.
    pub(super) const fn record_compaction(&mut self) {
        self.is_compacted = true;
        self.log.record_compaction(self.session.iteration);
    }

    /// Begins the next iteration.
    pub const fn next_iteration(&mut self) {
        self.run.iteration += 1;
        self.session.iteration += 1;
    }

    /// The model calls before the next or current one.
    pub(super) const fn position(&self) -> Position {
        Position { run: self.run.iteration, session: self.session.iteration }
    }

    /// The miss that the current phase is about.
    pub(super) fn miss(&self) -> Option<&Miss> {
        self.miss.as_deref()
    }

    /// The factor by which the results of a tool are boosted; 1 if they are not.
    pub fn boost(&self, tool: &str) -> u64 {
        self.boosts.get(tool).copied().unwrap_or(1)
    }

    /// Ends the protections whose last iteration has passed. If the run has ended, ends all of them, also that of the message
    /// that began it.
    pub(super) fn end_protections(&mut self, conversation: &mut Conversation, has_ended: bool) {
        let iteration = self.run.iteration;
        if has_ended {
            conversation.set_request(None);
        }
        self.protected_parts.retain(|(message, part), last| {
            let stays = !has_ended && last.is_none_or(|last| iteration <= last);
            if !stays {
                conversation.unprotect(*message, *part);
            }
            stays
        });
    }

    /// Sets whether the prices of the model are known; if not, all costs are unknown. Call it before the first call.
    pub fn set_priced(&mut self, priced: bool) {
        self.priced = priced;
        self.log.set_priced(priced);
        self.run.spent.cost = self.unspent().cost;
        self.session.spent.cost = self.unspent().cost;
    }

    /// Sets whether the prices of the model are known from the next call on. A sum that another call has made unknown stays
    /// unknown.
    pub(super) fn set_priced_from_next_call(&mut self, priced: bool) {
        self.priced = priced;
        self.log.set_priced(priced);
        let unspent = self.unspent().cost;
        for sum in [&mut self.run.spent, &mut self.session.spent] {
            if sum.tokens == 0 {
                sum.cost = unspent;
            }
        }
    }

    fn unspent(&self) -> Spending {
        Spending { cost: self.priced.then_some(Decimal::ZERO), ..Spending::default() }
    }

    /// Adds to the usage of run and session. One unknown cost makes the total unknown.
    pub fn add_usage(&mut self, used: Spending) {
        self.log.record_usage(used, self.session.spent.time);
        for sum in [&mut self.run.spent, &mut self.session.spent] {
            sum.tokens = sum.tokens.saturating_add(used.tokens);
            sum.cost = sum.cost.zip(used.cost).and_then(|(sum, more)| sum.checked_add(more));
            sum.calls += used.calls;
            sum.estimated += used.estimated;
        }
    }

    /// Sets the known times in seconds: since the run and the session began, and since the last reply.
    pub const fn set_time(&mut self, run: Option<Decimal>, session: Option<Decimal>, idle: Option<Decimal>) {
        self.run.spent.time = run;
        self.session.spent.time = session;
        self.idle = idle;
    }

    /// Counts the next request again, after a change of the views or the conversation other than a new message.
    pub(super) fn count_request(&mut self, conversation: &Conversation, environment: &Environment) {
        let counter = &*environment.counter;
        self.views.count(conversation, counter, (&environment.tools, &environment.tool_tokens));
        if environment.invalid_reasoning == Some(InvalidReasoning::Leaves) {
            self.requests.measure_invalid(conversation, &self.views, counter);
        }
    }

    /// The counted size of the next request.
    pub(super) const fn request_size(&self, conversation: &Conversation) -> RequestSize {
        RequestSize { invalid_reasoning: self.requests.invalid(), ..self.views.size(conversation) }
    }

    /// The size of the context if it were sent now.
    pub(super) const fn tokens(&self, conversation: &Conversation) -> u64 {
        self.meter.current(self.request_size(conversation))
    }

    /// The tokens sent besides messages.
    pub(super) const fn known_overhead(&self) -> u64 {
        self.meter.overhead().saturating_sub(self.unrecorded)
    }

    /// The moment at which facts are read, with a context of `tokens`.
    pub(super) fn moment<'a>(
        &'a self,
        conversation: &'a Conversation,
        environment: &'a Environment,
        tokens: u64,
    ) -> Moment<'a> {
        Moment {
            conversation,
            counter: &*environment.counter,
            tokens,
            overhead: self.known_overhead(),
            reported: self.meter.reported(),
            agent: &environment.agent,
            model: environment.model.as_ref(),
            window: environment.window,
            reserve: environment.reserve,
            run: &self.run,
            session: &self.session,
            log: &self.log,
            idle: self.idle,
            cache_lifetime: self.cache.seconds(),
            tools: &environment.tools,
            playbook: &self.playbook,
            views: &self.views,
            host: &self.host,
            rules: self,
            tail: &self.tail,
            miss: self.miss.as_deref(),
        }
    }
}

impl fact::Rules for State {
    fn fired(&self, rule: &str, scope: Scope) -> u64 {
        self.rules.get(rule).map_or(0, |rule| rule.of(scope).fired)
    }

    fn seen(&self, rule: &str, scope: Scope) -> Option<&Seen> {
        self.rules.get(rule).and_then(|rule| rule.of(scope).seen.as_ref())
    }

    fn last(&self, rule: &str, scope: Scope) -> Option<u64> {
        self.rules.get(rule).and_then(|rule| rule.of(scope).last)
    }

    fn failed(&self, rule: &str, scope: Scope) -> u64 {
        self.rules.get(rule).map_or(0, |rule| rule.of(scope).failed)
    }
}
