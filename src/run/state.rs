//! What a plan remembers between steps, by rule name.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::meter::Meter;
use super::search::Searches;
use crate::conversation::Message;
use crate::fact::{self, Spending, TailCache};
use crate::plan::Plan;
use crate::quantity::Decimal;

/// What one rule remembers. It is cleared when a run begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleState {
    /// How often it has fired.
    pub fired: u64,
    /// The iteration of its last firing.
    pub last: Option<u64>,
    /// How often it has fired or failed.
    pub attempts: u64,
    /// The iteration of the last of these.
    pub last_attempt: Option<u64>,
    /// For `once per`: the fact's value at the last firing.
    pub peak: Option<Decimal>,
    /// For `until`: the condition has held and the end has not.
    pub latched: bool,
    /// For `once until`: it has fired and the end has not held since.
    pub spent: bool,
}

/// What a plan remembers of a session.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// What each rule remembers.
    pub rules: BTreeMap<SmolStr, RuleState>,
    /// The run so far.
    pub run: fact::Run,
    /// What all runs have used.
    pub session: Spending,
    /// Seconds between the last reply and the coming or present call.
    pub idle: Option<Decimal>,
    /// How large the context is.
    pub meter: Meter,
    /// Summaries asked for, in all.
    pub summaries: u64,
    pub(super) searches: Searches,
    pub(super) tail: TailCache,
    begun: bool,
    priced: bool,
}

impl State {
    /// The state before the first run. `overhead` is what is sent beside the messages, in tokens.
    pub fn new(plan: &Plan, overhead: u64) -> Self {
        let rules = plan.rules.iter().map(|rule| (rule.name.clone(), RuleState::default())).collect();
        Self { rules, meter: Meter::new(overhead), ..Self::default() }
    }

    /// Begins a run: counters and guards start anew, the size of the context stays.
    pub fn begin_run(&mut self) {
        let number = if self.begun { self.run.number + 1 } else { 0 };
        self.begun = true;
        self.run = fact::Run { number, spent: self.unspent(), ..fact::Run::default() };
        self.rules.values_mut().for_each(|rule| *rule = RuleState::default());
    }

    /// Notes a reply: what it used and which tools it calls.
    pub fn replied(&mut self, reply: &Arc<Message>, used: Spending) {
        self.spend(used);
        let mut calls = reply.calls().peekable();
        if calls.peek().is_some() {
            self.run.replies.push(Arc::clone(reply));
        }
        self.run.used.extend(calls.map(|(_, tool, _)| tool.clone()));
    }

    /// Notes a tool result.
    pub fn answered(&mut self, result: &Message) {
        let failed = result.results().filter(|result| result.is_error).count();
        self.run.failures += u64::try_from(failed).unwrap_or(u64::MAX);
    }

    /// Ends an iteration: the next call of this run is another one.
    pub const fn next_iteration(&mut self) {
        self.run.iteration += 1;
    }

    /// Says before the first call whether the model's prices are known; otherwise every cost is unknown.
    pub fn set_priced(&mut self, priced: bool) {
        self.priced = priced;
        self.run.spent.cost = self.unspent().cost;
        self.session.cost = self.unspent().cost;
    }

    fn unspent(&self) -> Spending {
        Spending { cost: self.priced.then_some(Decimal::ZERO), ..Spending::default() }
    }

    /// Adds to what run and session have used. A cost that is unknown once makes the sum unknown.
    pub fn spend(&mut self, used: Spending) {
        for sum in [&mut self.run.spent, &mut self.session] {
            sum.tokens = sum.tokens.saturating_add(used.tokens);
            sum.cost = sum.cost.zip(used.cost).and_then(|(sum, more)| sum.checked_add(more));
            sum.calls += used.calls;
            sum.estimated += used.estimated;
        }
    }

    /// Sets what is known of time, in seconds: since run and session began, and since the last reply.
    pub const fn set_time(&mut self, run: Option<Decimal>, session: Option<Decimal>, idle: Option<Decimal>) {
        self.run.spent.time = run;
        self.session.time = session;
        self.idle = idle;
    }
}

impl fact::Rules for State {
    fn fired(&self, rule: &str) -> u64 {
        self.rules.get(rule).map_or(0, |rule| rule.fired)
    }

    fn last(&self, rule: &str) -> Option<u64> {
        self.rules.get(rule).and_then(|rule| rule.last)
    }
}
