//! What a rule did.

use rust_decimal::prelude::ToPrimitive;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{RuleSaving, Trace};

use crate::report::figure::{Amount, Sum, number, signed, summed};
use crate::report::idle;
use crate::report::simulation::unknown_facts;

summed! {
    /// What a rule did in one transcript or in several.
    pub struct RuleFigures {
        /// How often it was due.
        pub due: u64 = number(rule.due),
        /// How often it fired.
        pub fired: u64 = number(rule.fired),
        /// How often a person declined it.
        pub declined: u64 = number(rule.declined),
        /// How many edits it made.
        pub edits: u64 = number(rule.edits),
        /// The tokens that its edits saved, summed over the calls; negative if they added tokens.
        pub tokens_saved: i64 = signed(rule.saved),
        /// The price of the tokens that it saved.
        pub cost_saved: Amount = amount(money.saved),
        /// What it made more expensive: cache breaks, and its summaries.
        pub cost_caused: Amount = amount(money.cost_caused),
        /// What the rule saves less what it causes; `low` and `high` are the ends of its nominal 80% interval.
        pub interval: RuleInterval = RuleInterval::of(&RuleSaving::of(rule, trace), is_known),
        /// How often it broke the cache.
        pub cache_breaks: u64 = number(money.breaks),
        /// The tokens of bound reasoning that its changes made invalid.
        pub reasoning_lost: u64 = money.reasoning_lost,
        /// Its edits before the content was first sent, which cost nothing.
        pub free_edits: u64 = number(money.free_edits),
        /// Its changes after the cache had expired, which cost nearly nothing.
        pub cold_changes: u64 = number(money.cold_changes),
        /// The calls that were made again after it had reduced their result.
        pub repeated_calls: u64 = number(regret.repeated.iter().filter(|one| one.rule == at).count()),
        /// The calls whose arguments quote what stood only in content that the rule removed.
        pub quotes: u64 = number(regret.quotes.iter().filter(|one| one.rule == at).count()),
    }

    /// The figures of the rule with this index.
    fn of(trace: &Trace, at: usize) {
        let rule = &trace.rules[at];
        let (money, regret) = (&rule.money, &trace.regret);
        let is_known = trace.money.priced.is_known();
        let amount = |amount: Decimal| Amount(is_known.then_some(amount));
    }
}

summed! {
    /// Between which values the saving of a rule is expected.
    pub struct RuleInterval {
        /// In tokens.
        pub tokens: Ends<i64>,
        /// In US dollars.
        pub cost: Ends<Amount>,
    }

    /// The ends of an interval.
    pub struct Ends<T> {
        /// The lower end.
        pub low: T,
        /// The upper end.
        pub high: T,
    }
}

/// What a rule did in one transcript.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TranscriptRule {
    /// Its name.
    pub name: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: RuleFigures,
    /// The calls at which it fired, from 0.
    pub calls: Vec<u64>,
    /// The number of calls from its first firing until it had saved as much as it had caused; null if it never had.
    pub pays_after: Option<u64>,
    /// Why its actions changed nothing when it was due.
    pub idle: Vec<IdleResult>,
    /// The facts that it reads and that were unknown at every call.
    pub unknown: Vec<UnknownResult>,
}

/// What a rule did in all transcripts.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TotalRule {
    /// Its name.
    pub name: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: RuleFigures,
    /// The number of transcripts in which it fired.
    pub transcripts: u64,
}

/// A reason why an action changed nothing.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct IdleResult {
    /// The action.
    pub action: String,
    /// The reason, in a word.
    pub reason: String,
    /// How often.
    pub times: u64,
    /// The same in words.
    pub message: String,
}

/// A fact that was unknown at every call.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UnknownResult {
    /// The fact.
    pub fact: String,
    /// What is missing, in a word.
    pub missing: String,
    /// The same in words.
    pub message: String,
}

impl RuleInterval {
    /// The interval of what a rule saves.
    pub(in super::super) fn of(saving: &RuleSaving, is_known: bool) -> Self {
        let tokens = |tokens: Decimal| {
            let bound = if tokens.is_sign_negative() { i64::MIN } else { i64::MAX };
            tokens.round().to_i64().unwrap_or(bound)
        };
        let cost = |cost: Decimal| Amount(is_known.then_some(cost));
        let ([fewest, most], [least, greatest]) = (saving.tokens, saving.cost);
        Self {
            tokens: Ends { low: tokens(fewest), high: tokens(most) },
            cost: Ends { low: cost(least), high: cost(greatest) },
        }
    }
}

impl TranscriptRule {
    /// The results of the rules of a replay.
    pub(super) fn all(trace: &Trace) -> Vec<Self> {
        let rule = |at: usize| {
            let rule = &trace.rules[at];
            let idle = rule.idle.iter().map(|idle| IdleResult {
                action: idle.action.clone(),
                reason: idle.reason.word().to_owned(),
                times: number(idle.times),
                message: idle::reason(&idle.action, &idle.reason),
            });
            Self {
                name: rule.name.to_string(),
                figures: RuleFigures::of(trace, at),
                calls: rule.calls.iter().copied().map(number).collect(),
                pays_after: rule.money.pays_after.filter(|_| trace.money.priced.is_known()).map(number),
                idle: idle.collect(),
                unknown: unknown_facts(trace, at)
                    .map(|(one, missing, message)| UnknownResult {
                        fact: one.fact.clone(),
                        missing: missing.to_owned(),
                        message,
                    })
                    .collect(),
            }
        };
        (0..trace.rules.len()).map(rule).collect()
    }
}

impl TotalRule {
    /// The rule before any transcript.
    pub(super) fn zero(rule: &TranscriptRule) -> Self {
        Self { name: rule.name.clone(), figures: RuleFigures::default(), transcripts: 0 }
    }

    /// Adds what it did in a transcript.
    pub(super) fn add(&mut self, rule: &RuleFigures) {
        self.figures.add(rule);
        self.transcripts.add(&u64::from(rule.fired > 0));
    }
}
