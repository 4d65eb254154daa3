//! Suggestions as JSON.

use rust_decimal::prelude::ToPrimitive;
use serde_json::{Value as Json, json};
use trimtab_analysis::recording::{ContentKind, Observations, Purpose, SimulatedPolicy, SimulatedRule, Streaks};
use trimtab_base::quantity::Decimal;

use super::{Outcome, SuggestionReport, SuggestionResult, ranked, reason};
use crate::report::amount::dollars_number;
use crate::report::result::PricedCalls;

impl Outcome {
    /// The word in machine-readable output.
    const fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::NeverFires => "never_fires",
            Self::SavesNothing => "saves_nothing",
            Self::AddsNothing { .. } => "adds_nothing",
            Self::WithinError { .. } => "within_error",
            Self::NeverFiresWithOthers => "never_fires_with_others",
        }
    }
}

/// The whole report.
pub(super) fn report(report: &SuggestionReport<'_>) -> Json {
    json!({
        "schema_version": 1,
        "observed": observations(report.observed),
        "objective": report.results.first().map(|result| if result.alone.decides_by_cost() { "cost" } else { "tokens" }),
        "suggestions": report.results.iter().map(suggestion).collect::<Vec<_>>(),
        "simulated": report.simulated.map(|simulated| {
            let kept = report.results.iter().filter(|result| result.outcome == Outcome::Kept);
            let mut json = totals(simulated);
            let rules = kept.zip(&simulated.rules).map(|(result, one)| rule(result, one, simulated.priced.is_known()));
            json["rules"] = rules.collect();
            json
        }),
        "policy": report.policy,
        "errors": report.errors,
    })
}

fn observations(observed: &Observations) -> Json {
    let content = ranked(observed).into_iter().map(|(kind, tokens)| {
        let tool = match kind {
            ContentKind::Result(tool) => tool.as_ref(),
            _ => None,
        };
        json!({ "content": kind.words(), "tool": tool, "tokens": tokens_number(tokens) })
    });
    let streaks = |streaks: &Streaks| json!({ "count": streaks.count, "longest": streaks.longest });
    let (compactions, pauses) = (observed.compactions, observed.pauses);
    json!({
        "transcripts": observed.transcripts,
        "calls": observed.calls,
        "tokens_sent": tokens_number(observed.sent),
        "peak_tokens": observed.peak,
        "content": content.collect::<Vec<_>>(),
        "large_results": { "count": observed.results.large, "tokens": observed.results.large_tokens },
        "duplicate_results": { "count": observed.duplicates.count, "tokens": observed.duplicates.tokens },
        "superseded_file_reads": { "count": observed.superseded.count, "tokens": observed.superseded.tokens },
        "repeated_calls": streaks(&observed.repeats),
        "failures_in_a_row": streaks(&observed.failures),
        "compactions": {
            "count": compactions.count,
            "freed_tokens": compactions.freed,
            "rewritten_tokens": compactions.rewritten,
        },
        "pauses": { "count": pauses.count, "longest_seconds": pauses.longest, "tokens": pauses.tokens },
    })
}

/// A suggestion with what a policy of its rule alone would have done.
pub(super) fn suggestion(result: &SuggestionResult) -> Json {
    let only = result.alone.rules.first().cloned().unwrap_or_default();
    let mut alone = totals(&result.alone);
    alone["fired"] = only.fired.into();
    alone["missed"] = only.missed.into();
    json!({
        "rule": result.suggestion.rule,
        "summary": result.suggestion.summary,
        "purpose": match result.suggestion.purpose {
            Purpose::Saving => "saving",
            Purpose::Precaution => "precaution",
            Purpose::Message => "message",
        },
        "observed": result.observed,
        "clauses": result.clauses.lines().collect::<Vec<_>>(),
        "outcome": result.outcome.word(),
        "reason": reason(result),
        "alone": alone,
    })
}

fn totals(simulated: &SimulatedPolicy) -> Json {
    let cost = |cost: Decimal| simulated.priced.is_known().then(|| dollars_number(cost));
    let tokens = |tokens: Decimal| tokens.round().to_i64();
    let [[fewest, most], [least, greatest]] = simulated.intervals();
    json!({
        "tokens_saved": signed_number(simulated.tokens_saved),
        "recorded_tokens": tokens_number(simulated.recorded_tokens),
        "cost_saved": cost(simulated.cost_saved),
        "recorded_cost": cost(simulated.recorded_cost),
        "priced": PricedCalls::from(simulated.priced),
        "net_saving": dollars_number(simulated.net_saving()),
        "losses": dollars_number(simulated.losses()),
        "interval": {
            "tokens": { "low": tokens(fewest), "high": tokens(most) },
            "cost": { "low": cost(least), "high": cost(greatest) },
        },
    })
}

fn rule(result: &SuggestionResult, rule: &SimulatedRule, has_cost: bool) -> Json {
    let cost = |cost: Decimal| has_cost.then(|| dollars_number(cost));
    json!({
        "rule": result.suggestion.rule,
        "fired": rule.fired,
        "edits": rule.edits,
        "tokens_saved": signed_number(rule.tokens_saved),
        "cost_saved": cost(rule.cost_saved),
        "cost_caused": cost(rule.cost_caused),
        "missed": rule.missed,
    })
}

fn tokens_number(tokens: u128) -> u64 {
    u64::try_from(tokens).unwrap_or(u64::MAX)
}

fn signed_number(tokens: i128) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}
