//! One row of figures for each transcript, and the totals of each policy.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rust_decimal::prelude::{FromPrimitive, ToPrimitive};
use serde::{Serialize, Serializer};
use smol_str::SmolStr;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::{PricedShare, Trace};

use crate::report::replay_result::ReplayResult;
use crate::report::result::{TotalResult, TranscriptResult};

/// The names of the figures of a transcript, in the order of its row.
const COLUMNS: [&str; 10] = ["id", "format", "model", "window", "runs", "calls", "peak", "tokens", "cost", "priced"];

/// The names of the figures of a transcript under a policy.
const POLICY_COLUMNS: [&str; 11] = [
    "calls",
    "peak",
    "tokens",
    "cost",
    "tokens_saved",
    "cost_saved",
    "cache_breaks",
    "rewritten_tokens",
    "regret",
    "firings",
    "calls_after_stop",
];

/// The figures of all transcripts.
#[derive(Debug, Serialize)]
pub struct Overview {
    columns: [&'static str; COLUMNS.len()],
    policy_columns: [&'static str; POLICY_COLUMNS.len()],
    /// The formats and models that rows name by their indices.
    formats: Vec<&'static str>,
    models: Vec<SmolStr>,
    sessions: Vec<Row>,
    #[serde(skip)]
    totals: Vec<TotalResult>,
}

/// What became of a transcript under each policy.
#[derive(Debug)]
pub struct SessionOutcome {
    format: &'static str,
    model: Option<SmolStr>,
    row: Row,
    results: Vec<TranscriptResult>,
    has_findings: bool,
}

/// The figures of a transcript.
#[derive(Debug, Default)]
struct Row {
    id: String,
    format: usize,
    model: Option<usize>,
    window: Option<u64>,
    runs: usize,
    calls: usize,
    peak: u64,
    tokens: u128,
    cost: Option<Decimal>,
    priced: PricedShare,
    policies: Vec<PolicyFigures>,
}

/// The figures of a transcript under a policy.
#[derive(Debug)]
struct PolicyFigures {
    calls: usize,
    peak: u64,
    tokens: u128,
    cost: Option<Decimal>,
    tokens_saved: i128,
    cost_saved: Option<Decimal>,
    cache_breaks: usize,
    rewritten_tokens: u64,
    regret: usize,
    firings: usize,
    calls_after_stop: usize,
}

impl SessionOutcome {
    /// Returns the outcome of a transcript whose replays these are, one for each policy, or `None` without replays. The
    /// recorded figures are those of the first.
    pub fn of(replays: &[ReplayResult]) -> Option<Self> {
        let ReplayResult { trace, .. } = replays.first()?;
        let before = trace.before();
        let row = Row {
            window: trace.window.map(|(window, _)| window),
            runs: trace.runs,
            calls: trace.call_count(),
            peak: before.peak,
            tokens: before.sum,
            cost: trace.money.priced.is_known().then_some(trace.money.before.cost),
            priced: trace.money.priced,
            policies: replays.iter().map(|replay| PolicyFigures::of(&replay.trace)).collect(),
            ..Row::default()
        };
        Some(Self {
            format: trace.format,
            model: trace.model.clone(),
            row,
            results: replays.iter().map(TranscriptResult::figures_of).collect(),
            has_findings: replays.iter().any(|replay| !replay.trace.invariants.broken.is_empty()),
        })
    }

    /// Whether an invariant was broken.
    pub const fn has_findings(&self) -> bool {
        self.has_findings
    }
}

impl PolicyFigures {
    fn of(trace: &Trace) -> Self {
        let (after, money) = (trace.after(), &trace.money);
        let breaks = || money.breaks.iter().filter(|one| one.tokens > 0);
        Self {
            calls: after.calls,
            peak: after.peak,
            tokens: after.sum,
            cost: money.priced.is_known().then(|| money.total()),
            tokens_saved: trace.saved(),
            cost_saved: money.priced.is_known().then(|| money.saved()),
            cache_breaks: breaks().count(),
            rewritten_tokens: breaks().map(|one| one.tokens).sum(),
            regret: trace.regret.repeated.len() + trace.regret.quotes.len(),
            firings: trace.rules.iter().map(|rule| rule.fired).sum(),
            calls_after_stop: trace.after_stop,
        }
    }
}

impl Overview {
    /// No transcripts yet, of this number of policies.
    pub fn new(policies: usize) -> Self {
        Self {
            columns: COLUMNS,
            policy_columns: POLICY_COLUMNS,
            formats: Vec::new(),
            models: Vec::new(),
            sessions: Vec::new(),
            totals: std::iter::repeat_with(TotalResult::default).take(policies).collect(),
        }
    }

    /// Adds a transcript with its name in reports.
    pub fn add(&mut self, id: String, outcome: SessionOutcome) {
        let SessionOutcome { format, model, row, results, .. } = outcome;
        let format = position(&mut self.formats, format);
        let model = model.map(|model| position(&mut self.models, model));
        self.sessions.push(Row { id, format, model, ..row });
        self.totals.iter_mut().zip(&results).for_each(|(total, one)| total.add(one));
    }

    /// The totals of each policy, as in the JSON of a simulation.
    pub(super) fn totals(&self) -> &[TotalResult] {
        &self.totals
    }

    /// The name of the transcript, if there is only one.
    pub(super) fn only(&self) -> Option<&str> {
        match self.sessions.as_slice() {
            [only] => Some(&only.id),
            _ => None,
        }
    }

    /// The indices of the transcripts that are shown in detail, in their order: in turn those with the largest and the smallest
    /// saving of cost and of tokens under a policy, then those with the largest contexts.
    pub fn notable(&self, limit: usize) -> Vec<usize> {
        let ranked = |mut ranks: Vec<(Decimal, usize)>| {
            ranks.sort_by_key(|(rank, at)| (Reverse(*rank), *at));
            ranks.into_iter().map(|(_, at)| at)
        };
        let best = |sign: i64, of: fn(&PolicyFigures) -> Option<Decimal>| {
            let rank = |(at, row): (usize, &Row)| {
                let gains = row.policies.iter().filter_map(of).map(|saved| saved * Decimal::from(sign));
                gains.max().filter(|gain| *gain > Decimal::ZERO).map(|gain| (gain, at))
            };
            ranked(self.sessions.iter().enumerate().filter_map(rank).collect())
        };
        let cost = |figures: &PolicyFigures| figures.cost_saved;
        let tokens = |figures: &PolicyFigures| Decimal::from_i128(figures.tokens_saved);
        let mut rankings = [best(1, cost), best(-1, cost), best(1, tokens), best(-1, tokens)];
        let mut chosen = BTreeSet::new();
        while chosen.len() < limit {
            let turn: Vec<usize> = rankings.iter_mut().filter_map(Iterator::next).collect();
            if turn.is_empty() {
                break;
            }
            for at in turn {
                if chosen.len() < limit {
                    chosen.insert(at);
                }
            }
        }
        let largest = self.sessions.iter().enumerate().map(|(at, row)| (Decimal::from(row.peak), at));
        for at in ranked(largest.collect()) {
            if chosen.len() < limit {
                chosen.insert(at);
            }
        }
        chosen.into_iter().collect()
    }
}

/// The position of a value in a list, to which it is added if it is new.
fn position<T: PartialEq>(all: &mut Vec<T>, value: T) -> usize {
    all.iter().position(|known| *known == value).unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    })
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, format, model, window, runs, calls, peak, tokens, cost, priced, policies } = self;
        let cost = cost.map(dollars);
        // Most transcripts have a price for every call, and a page may have thousands of them.
        let priced = (!priced.is_complete()).then_some((priced.priced_calls, priced.calls));
        (id, format, model, window, runs, calls, peak, whole(*tokens), cost, priced, policies).serialize(serializer)
    }
}

impl Serialize for PolicyFigures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved = i64::try_from(self.tokens_saved).unwrap_or(i64::MAX);
        let (cost, cost_saved) = (self.cost.map(dollars), self.cost_saved.map(dollars));
        let Self { calls, peak, cache_breaks, rewritten_tokens, regret, firings, calls_after_stop, .. } = self;
        let tokens = whole(self.tokens);
        (
            calls,
            peak,
            tokens,
            cost,
            saved,
            cost_saved,
            cache_breaks,
            rewritten_tokens,
            regret,
            firings,
            calls_after_stop,
        )
            .serialize(serializer)
    }
}

fn whole(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// Dollars with six places.
fn dollars(cost: Decimal) -> f64 {
    cost.round_dp(6).to_f64().unwrap_or_default()
}
