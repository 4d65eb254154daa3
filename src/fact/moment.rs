//! The moment at which facts are read.

use std::collections::BTreeSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::{Fact, Facts, TailCache};
use crate::conversation::{Conversation, Counter, Message};
use crate::quantity::{Decimal, Value};

/// What a number of model calls has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// Uncached input, cache reads, cache writes and output of all replies, summaries too.
    pub tokens: u64,
    /// Dollars; none when a price is unknown.
    pub cost: Option<Decimal>,
    /// Seconds from the first message to the newest; none without timestamps.
    pub time: Option<Decimal>,
    /// Replies.
    pub calls: u64,
    /// Replies whose usage is not recorded, so that the counter's figure stands for it.
    pub estimated: u64,
}

/// What has happened in the run so far.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Which run of the session it is, from 0.
    pub number: u64,
    /// Model calls of this run before the coming or present one.
    pub iteration: u64,
    /// What its calls have used.
    pub spent: Spending,
    /// Error results.
    pub failures: u64,
    /// The tools that were called.
    pub used: BTreeSet<SmolStr>,
    /// The replies with calls, in order; a compaction does not take them away.
    pub replies: Vec<Arc<Message>>,
}

/// What rules have done.
pub trait Rules {
    /// How often a rule has fired in this run.
    fn fired(&self, rule: &str) -> u64;
    /// The iteration at which a rule last fired in this run.
    fn last(&self, rule: &str) -> Option<u64>;
}

/// Everything that facts are read from.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The conversation as earlier rules left it.
    pub conversation: &'a Conversation,
    /// The token counter.
    pub counter: &'a dyn Counter,
    /// What would be sent now, in tokens.
    pub tokens: u64,
    /// The context of the last call, as it was reported; none before the first reply.
    pub reported: Option<u64>,
    /// The context window in tokens; none when it is unknown.
    pub window: Option<u64>,
    /// Tokens kept free for the reply.
    pub reserve: u64,
    /// The run so far.
    pub run: &'a Run,
    /// What all runs have used.
    pub session: &'a Spending,
    /// Seconds between the last reply and this call; none when that is not known.
    pub idle: Option<Decimal>,
    /// The declared tools.
    pub tools: &'a BTreeSet<SmolStr>,
    /// What rules have done.
    pub rules: &'a dyn Rules,
    /// What is known of the newest messages.
    pub tail: &'a TailCache,
}

impl Facts for Moment<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        (fact.read)(self, arguments)
    }

    fn window(&self) -> Option<u64> {
        self.window.filter(|&window| window > 0)
    }
}
