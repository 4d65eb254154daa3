//! Sums over transcripts, taken from their JSON forms, so that partial results add up to what one run reports.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value as Json, json};

use super::rule_interval::RuleInterval;
use crate::report::amount::Amount;
use crate::report::number::grow;
use crate::report::verdict::VerdictFigures;

/// What the sums need of a transcript.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Summand {
    pub(in super::super) id: String,
    pub(in super::super) tokens_saved: i64,
    pub(in super::super) calls: u64,
    pub(in super::super) after: Contexts,
    verdict: VerdictFigures,
    before: Contexts,
    compared: Contexts,
    runs: u64,
    money: Money,
    regret: Regret,
    rules: Vec<Rule>,
    invariants: Invariants,
    assertions: Vec<Assertion>,
}

/// The contexts of some calls.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in super::super) struct Contexts {
    calls: u64,
    pub(in super::super) peak_tokens: u64,
    tokens_sent: u64,
}

#[derive(Debug, Deserialize)]
struct Money {
    before: Bill,
    compared: Bill,
    with_usage: CallBill,
    after: Bill,
    harness: CallBill,
    branches: CallBill,
    summaries_cost: Amount,
    breaks: Vec<Break>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct Bill {
    uncached_input: u64,
    cache_write: u64,
    cache_write_1h: u64,
    cache_read: u64,
    output: u64,
    cost: Amount,
}

/// The bill of some of the calls.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
struct CallBill {
    #[serde(flatten)]
    bill: Bill,
    calls: u64,
}

#[derive(Debug, Deserialize)]
struct Break {
    tokens: u64,
}

#[derive(Debug, Deserialize)]
struct Regret {
    repeated_calls: Vec<IgnoredAny>,
    quotes: Vec<IgnoredAny>,
}

#[derive(Clone, Debug, Deserialize)]
struct Rule {
    name: String,
    due: u64,
    fired: u64,
    edits: u64,
    tokens_saved: i64,
    /// In how many transcripts it fired.
    #[serde(skip)]
    transcripts: u64,
    cost_saved: Amount,
    cost_caused: Amount,
    interval: RuleInterval,
    cache_breaks: u64,
    reasoning_lost: u64,
    free_edits: u64,
    cold_changes: u64,
    repeated_calls: u64,
    quotes: u64,
}

#[derive(Debug, Deserialize)]
struct Invariants {
    broken: Vec<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct Assertion {
    held: bool,
}

/// The sums over some transcripts.
#[derive(Debug, Default)]
pub(in super::super) struct Total {
    transcripts: u64,
    calls: u64,
    runs: u64,
    verdict: VerdictFigures,
    before: Contexts,
    compared: Contexts,
    after: Contexts,
    tokens_saved: i64,
    bills: [Bill; 3],
    with_usage: CallBill,
    harness: CallBill,
    branches: CallBill,
    summaries_cost: Amount,
    breaks: u64,
    rewritten_tokens: u64,
    repeated_calls: u64,
    quotes: u64,
    rules: Vec<Rule>,
}

impl Summand {
    /// Reads the JSON form of a transcript.
    pub(in super::super) fn of(json: &Json) -> Result<Self, serde_json::Error> {
        Self::deserialize(json)
    }

    /// Whether an assertion does not hold or an invariant is broken.
    pub(in super::super) fn has_findings(&self) -> bool {
        !self.invariants.broken.is_empty() || self.assertions.iter().any(|assertion| !assertion.held)
    }
}

impl Total {
    /// Adds a transcript.
    pub(in super::super) fn add(&mut self, one: Summand) {
        grow(&mut self.transcripts, 1);
        grow(&mut self.calls, one.calls);
        grow(&mut self.runs, one.runs);
        self.verdict.add(&one.verdict, &one.id);
        self.before.add(one.before);
        self.compared.add(one.compared);
        self.after.add(one.after);
        self.tokens_saved = self.tokens_saved.saturating_add(one.tokens_saved);
        let bills = [one.money.before, one.money.compared, one.money.after];
        self.bills.iter_mut().zip(bills).for_each(|(sum, bill)| sum.add(bill));
        self.with_usage.add(one.money.with_usage);
        self.harness.add(one.money.harness);
        self.branches.add(one.money.branches);
        self.summaries_cost.add(one.money.summaries_cost);
        for broken in one.money.breaks.iter().filter(|broken| broken.tokens > 0) {
            grow(&mut self.breaks, 1);
            grow(&mut self.rewritten_tokens, broken.tokens);
        }
        grow(&mut self.repeated_calls, length(&one.regret.repeated_calls));
        grow(&mut self.quotes, length(&one.regret.quotes));
        if self.rules.is_empty() {
            self.rules.extend(one.rules.iter().map(Rule::zero));
        }
        self.rules.iter_mut().zip(one.rules).for_each(|(sum, rule)| sum.add(&rule));
    }

    /// The verdict.
    pub(in super::super) const fn verdict(&self) -> &VerdictFigures {
        &self.verdict
    }

    /// The JSON form.
    pub(in super::super) fn json(&self) -> Json {
        let [before, compared, after] = self.bills.map(Bill::json);
        json!({
            "verdict": self.verdict.json(),
            "transcripts": self.transcripts,
            "calls": self.calls,
            "runs": self.runs,
            "before": self.before.json(),
            "compared": self.compared.json(),
            "after": self.after.json(),
            "tokens_saved": self.tokens_saved,
            "money": {
                "before": before,
                "compared": compared,
                "with_usage": self.with_usage.json(),
                "after": after,
                "harness": self.harness.json(),
                "branches": self.branches.json(),
                "summaries_cost": self.summaries_cost.json(),
                "breaks": self.breaks,
                "rewritten_tokens": self.rewritten_tokens,
            },
            "regret": { "repeated_calls": self.repeated_calls, "quotes": self.quotes },
            "assertions": [],
            "rules": self.rules.iter().map(Rule::json).collect::<Vec<_>>(),
        })
    }
}

impl Contexts {
    fn add(&mut self, other: Self) {
        grow(&mut self.calls, other.calls);
        self.peak_tokens = self.peak_tokens.max(other.peak_tokens);
        grow(&mut self.tokens_sent, other.tokens_sent);
    }

    fn json(self) -> Json {
        json!({
            "peak_tokens": self.peak_tokens,
            "mean_tokens": self.tokens_sent / self.calls.max(1),
            "calls": self.calls,
            "tokens_sent": self.tokens_sent,
        })
    }
}

impl Bill {
    fn add(&mut self, other: Self) {
        grow(&mut self.uncached_input, other.uncached_input);
        grow(&mut self.cache_write, other.cache_write);
        grow(&mut self.cache_write_1h, other.cache_write_1h);
        grow(&mut self.cache_read, other.cache_read);
        grow(&mut self.output, other.output);
        self.cost.add(other.cost);
    }

    fn json(self) -> Json {
        json!({
            "uncached_input": self.uncached_input,
            "cache_write": self.cache_write,
            "cache_write_1h": self.cache_write_1h,
            "cache_read": self.cache_read,
            "output": self.output,
            "cost": self.cost.json(),
        })
    }
}

impl CallBill {
    fn add(&mut self, other: Self) {
        self.bill.add(other.bill);
        grow(&mut self.calls, other.calls);
    }

    fn json(self) -> Json {
        let mut json = self.bill.json();
        json["calls"] = self.calls.into();
        json
    }
}

impl Rule {
    /// The rule before any transcript.
    fn zero(&self) -> Self {
        Self {
            name: self.name.clone(),
            due: 0,
            fired: 0,
            edits: 0,
            tokens_saved: 0,
            transcripts: 0,
            cost_saved: Amount::default(),
            cost_caused: Amount::default(),
            interval: RuleInterval::default(),
            cache_breaks: 0,
            reasoning_lost: 0,
            free_edits: 0,
            cold_changes: 0,
            repeated_calls: 0,
            quotes: 0,
        }
    }

    fn add(&mut self, other: &Self) {
        grow(&mut self.due, other.due);
        grow(&mut self.fired, other.fired);
        grow(&mut self.edits, other.edits);
        self.tokens_saved = self.tokens_saved.saturating_add(other.tokens_saved);
        grow(&mut self.transcripts, u64::from(other.fired > 0));
        self.cost_saved.add(other.cost_saved);
        self.cost_caused.add(other.cost_caused);
        self.interval.add(other.interval);
        grow(&mut self.cache_breaks, other.cache_breaks);
        grow(&mut self.reasoning_lost, other.reasoning_lost);
        grow(&mut self.free_edits, other.free_edits);
        grow(&mut self.cold_changes, other.cold_changes);
        grow(&mut self.repeated_calls, other.repeated_calls);
        grow(&mut self.quotes, other.quotes);
    }

    fn json(&self) -> Json {
        json!({
            "name": self.name,
            "due": self.due,
            "fired": self.fired,
            "edits": self.edits,
            "tokens_saved": self.tokens_saved,
            "transcripts": self.transcripts,
            "cost_saved": self.cost_saved.json(),
            "cost_caused": self.cost_caused.json(),
            "interval": self.interval.json(),
            "cache_breaks": self.cache_breaks,
            "reasoning_lost": self.reasoning_lost,
            "free_edits": self.free_edits,
            "cold_changes": self.cold_changes,
            "repeated_calls": self.repeated_calls,
            "quotes": self.quotes,
        })
    }
}

fn length(list: &[IgnoredAny]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}
