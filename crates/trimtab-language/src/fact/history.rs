//! What a run and its rules have done so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::conversation::{Message, Miss};
use trimtab_base::quantity::{Decimal, Value};

use super::request::Request;
use super::scope::Scope;

/// What a number of model calls has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// Uncached input, cache reads, cache writes and output of all replies, summaries included.
    pub tokens: u64,
    /// US dollars, or `None` if a price is unknown.
    pub cost: Option<Decimal>,
    /// Seconds from the first message to the newest, or `None` without timestamps.
    pub time: Option<Decimal>,
    /// Replies.
    pub calls: u64,
    /// Replies without recorded usage, for which the token counter's estimate is used.
    pub estimated: u64,
}

/// What has happened in the run so far.
#[derive(Clone, Debug, Default)]
pub struct RunHistory {
    /// Which run of the session it is, from 0.
    pub number: u64,
    /// Model calls of this run before the next or current one.
    pub iteration: u64,
    /// What it was asked to do.
    pub request: Request,
    /// What its calls have used.
    pub spent: Spending,
    /// What is counted in it.
    pub counts: Counts,
    /// The replies with calls, in order. Compaction does not remove them.
    pub replies: Vec<Arc<Message>>,
    /// The newest compaction miss.
    pub missed: Option<Arc<Miss>>,
}

/// What has happened in the session so far, in all runs.
#[derive(Clone, Debug, Default)]
pub struct SessionHistory {
    /// Model calls before the next or current one.
    pub iteration: u64,
    /// What all calls have used.
    pub spent: Spending,
    /// What is counted over all runs.
    pub counts: Counts,
}

/// What is counted in a run, and over the session.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Error results.
    pub failures: u64,
    /// The error results of each tool.
    pub failures_of: BTreeMap<SmolStr, u64>,
    /// The tools that were called.
    pub used: BTreeMap<SmolStr, ToolUse>,
    /// Compaction misses.
    pub misses: u64,
}

/// What a run, or the session, has made of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolUse {
    /// Its calls.
    pub calls: u64,
    /// The number of replies before the newest one that called it.
    pub newest: u64,
}

/// The values of facts that a rule saw when it last fired, by the fact with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen(BTreeMap<SmolStr, Option<Value>>);

impl Seen {
    /// Records the value of a fact, or `None` if it was unknown.
    pub fn record(&mut self, fact: impl Into<SmolStr>, value: Option<Value>) {
        self.0.insert(fact.into(), value);
    }

    /// Returns the value of a fact, or `None` if it was unknown.
    pub fn value(&self, fact: &str) -> Option<&Value> {
        self.0.get(fact).and_then(Option::as_ref)
    }
}

/// What rules have done in the run, or in the session.
pub trait Rules {
    /// How often a rule has fired.
    fn fired(&self, rule: &str, scope: Scope) -> u64;

    /// Returns what a rule saw when it last fired, or `None` if it has not fired.
    fn seen(&self, rule: &str, scope: Scope) -> Option<&Seen>;

    /// The iteration at which a rule last fired.
    fn last(&self, rule: &str, scope: Scope) -> Option<u64>;

    /// How many summaries of a rule in a row have failed.
    fn failed(&self, rule: &str, scope: Scope) -> u64;
}
