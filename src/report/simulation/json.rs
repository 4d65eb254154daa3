//! One replay, or several, for machines.

use serde_json::{Map, Value as Json, json};

use super::{ReplayResult, harness, unknown};
use crate::conversation::Message;
use crate::plan::Plan;
use crate::quantity::Decimal;
use crate::report::assertion::AssertionResult;
use crate::report::{idle, rule_history};
use crate::simulate::{RuleTrace, Sent, Series, ToolsSource, Totals, Trace};
use crate::transcript::message_json;

/// The whole JSON form.
pub fn simulation_json(plan: &Plan, policy_file: &str, replays: &[ReplayResult], errors: &[Json]) -> Json {
    let totals = Totals::of(replays.iter().map(|one| &one.trace));
    json!({
        "schema_version": 1,
        "policy": { "file": policy_file, "name": plan.policy, "hash": plan.hash },
        "transcripts": replays.iter().map(transcript_json).collect::<Vec<_>>(),
        "total": {
            "transcripts": totals.transcripts,
            "calls": totals.calls,
            "runs": totals.runs,
            "before": { "peak_tokens": totals.before.peak, "mean_tokens": totals.before.mean },
            "after": { "peak_tokens": totals.after.peak, "mean_tokens": totals.after.mean },
            "tokens_saved": replays.iter().map(|one| narrow(one.trace.saved())).sum::<i64>(),
            "rules": total_rules(replays),
        },
        "errors": errors,
    })
}

fn total_rules(replays: &[ReplayResult]) -> Vec<Json> {
    let Some(first) = replays.first() else { return Vec::new() };
    let rule = |(at, rule): (usize, &RuleTrace)| {
        let all = || replays.iter().filter_map(move |one| one.trace.rules.get(at));
        json!({
            "name": rule.name,
            "due": all().map(|rule| rule.due).sum::<usize>(),
            "fired": all().map(|rule| rule.fired).sum::<usize>(),
            "edits": all().map(|rule| rule.edits).sum::<usize>(),
            "tokens_saved": all().map(|rule| narrow(rule.saved)).sum::<i64>(),
            "transcripts": all().filter(|rule| rule.fired > 0).count(),
        })
    };
    first.trace.rules.iter().enumerate().map(rule).collect()
}

fn narrow(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// The JSON form of one transcript's replay.
pub fn transcript_json(one: &ReplayResult) -> Json {
    let mut json = transcript(one);
    let explained = rule_history::json(&one.trace);
    if let (Some(object), false) = (json.as_object_mut(), explained.is_empty()) {
        object.insert("explained".to_owned(), Json::Array(explained));
    }
    json
}

fn transcript(one: &ReplayResult) -> Json {
    let trace = &one.trace;
    let rule = |(at, rule): (usize, &RuleTrace)| {
        json!({
            "name": rule.name,
            "due": rule.due,
            "fired": rule.fired,
            "edits": rule.edits,
            "tokens_saved": narrow(rule.saved),
            "calls": rule.calls,
            "idle": rule.idle.iter().map(|one| json!({
                "action": one.action,
                "reason": one.reason.word(),
                "times": one.times,
                "message": idle::reason(&one.action, &one.reason),
            })).collect::<Vec<_>>(),
            "unknown": unknown::json(trace, at),
        })
    };
    let broken = trace.invariants.broken.iter().map(|(call, violation)| {
        json!({ "call": call, "invariant": violation.invariant.word(), "message": violation.message.0 })
    });
    let mut json = json!({
        "id": one.id,
        "file": one.file,
        "format": trace.format,
        "model": trace.model,
        "window": trace.window.map(|(window, _)| window),
        "tools_source": trace.tools_source.map(ToolsSource::word),
        "counter": {
            "name": trace.counter.name,
            "error": trace.counter.error.map(fraction),
            "overhead_source": trace.counter.overhead.word(),
        },
        "usage_points": trace.counter.usage_points,
        "calls": trace.calls.len(),
        "runs": trace.runs,
        "skipped": trace.skipped,
        "first_divergence": trace.first_divergence,
        "before": series(trace, trace.before()),
        "after": series(trace, trace.after()),
        "tokens_saved": narrow(trace.saved()),
        "summaries": trace.summaries,
        "injections": trace.injections,
        "after_stop": trace.after_stop,
        "spent": {
            "tokens": trace.spent.tokens,
            "cost": trace.spent.cost.map(dollars),
            "estimated_calls": trace.spent.estimated,
        },
        "invariants": { "checked": trace.invariants.checked, "broken": broken.collect::<Vec<_>>() },
        "rules": trace.rules.iter().enumerate().map(rule).collect::<Vec<_>>(),
        "assertions": one.assertions.iter().map(AssertionResult::json).collect::<Vec<_>>(),
    });
    for (key, value) in harness::json(trace) {
        json[key] = value;
    }
    json
}

fn series(trace: &Trace, series: Series) -> Json {
    json!({
        "peak_tokens": series.peak,
        "mean_tokens": series.mean,
        "peak_ratio": trace.ratio(series.peak).map(fraction),
        "mean_ratio": trace.ratio(series.mean).map(fraction),
    })
}

/// Dollars as a JSON number of six places.
fn dollars(cost: Decimal) -> Json {
    use rust_decimal::prelude::ToPrimitive;
    cost.round_dp(6).to_f64().map_or(Json::Null, Json::from)
}

/// A share as a JSON number of four places.
pub(super) fn fraction(share: Decimal) -> Json {
    use rust_decimal::prelude::ToPrimitive;
    share.round_dp(4).to_f64().map_or(Json::Null, Json::from)
}

/// One line of `--contexts`.
pub fn context_json(transcript: &str, sent: &Sent<'_>) -> Json {
    let kept = sent.conversation.entries().iter().map(crate::conversation::Entry::message);
    let messages: Vec<Json> = kept.chain(sent.views).map(|message: &Message| message_json(message)).collect();
    let mut line = Map::new();
    line.insert("transcript".to_owned(), json!(transcript));
    line.insert("call".to_owned(), json!(sent.call));
    line.insert("run".to_owned(), json!(sent.run));
    line.insert("iteration".to_owned(), json!(sent.iteration));
    line.insert("tokens".to_owned(), json!(sent.tokens));
    line.insert("messages".to_owned(), Json::Array(messages));
    Json::Object(line)
}
