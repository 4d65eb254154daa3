//! Replays as JSON.

use serde_json::{Map, Value as Json, json};
use trimtab_base::quantity::Decimal;
use trimtab_recordings::transcript::message_json;
use trimtab_simulate::simulate::{Learned, RuleSaving, RuleTrace, Sent, Series, ToolsSource, TracedEvent};

use super::rule_interval::RuleInterval;
use super::{harness, money, per_call, regret, unknown};
use crate::report::replay_result::{AssertionResult, ReplayResult};
use crate::report::verdict::VerdictFigures;
use crate::report::{idle, rule_history};

fn extend(json: &mut Json, keys: Map<String, Json>) {
    if let Json::Object(object) = json {
        object.extend(keys);
    }
}

fn narrow(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// The JSON form of the replay of one transcript.
pub fn transcript_json(replay: &ReplayResult) -> Json {
    let mut json = transcript(replay);
    let explained = rule_history::json(&replay.trace);
    if let (Some(object), false) = (json.as_object_mut(), explained.is_empty()) {
        object.insert("explained".to_owned(), Json::Array(explained));
    }
    json
}

fn transcript(replay: &ReplayResult) -> Json {
    let trace = &replay.trace;
    let rule = |(at, rule): (usize, &RuleTrace)| {
        let mut json = json!({
            "name": rule.name,
            "due": rule.due,
            "fired": rule.fired,
            "edits": rule.edits,
            "tokens_saved": narrow(rule.saved),
            "calls": rule.calls,
            "idle": rule.idle.iter().map(|idle| json!({
                "action": idle.action,
                "reason": idle.reason.word(),
                "times": idle.times,
                "message": idle::reason(&idle.action, &idle.reason),
            })).collect::<Vec<_>>(),
            "unknown": unknown::json(trace, at),
        });
        extend(&mut json, money::rule_json(&rule.money, trace.money.priced.is_known()));
        json["interval"] = RuleInterval::of(&RuleSaving::of(rule, trace), trace.money.priced.is_known()).json();
        extend(&mut json, regret::rule_json(std::slice::from_ref(replay), at));
        json
    };
    let broken = trace.invariants.broken.iter().map(|(call, violation)| {
        json!({ "call": call, "invariant": violation.invariant.word(), "message": violation.message.0 })
    });
    let mut json = json!({
        "id": replay.id,
        "file": replay.file,
        "format": trace.format,
        "model": trace.model,
        "window": trace.window.map(|(window, _)| window),
        "verdict": VerdictFigures::of(trace).json(),
        "models": trace.models.iter().map(|one| json!({
            "model": one.model,
            "window": one.window,
            "calls": one.calls,
        })).collect::<Vec<_>>(),
        "tools_source": trace.tools_source.map(ToolsSource::word),
        "counter": {
            "name": trace.counter.name,
            "error": trace.counter.error.map(fraction),
            "content_error": trace.counter.content.median.map(fraction),
            "overhead_source": trace.counter.overhead.word(),
        },
        "usage_points": trace.counter.usage_points,
        "calls": trace.call_count(),
        "runs": trace.runs,
        "skipped": trace.skipped,
        "first_divergence": trace.first_divergence,
        "before": series(trace.before()),
        "compared": series(trace.compared()),
        "after": series(trace.after()),
        "tokens_saved": narrow(trace.saved()),
        "summaries": trace.summaries,
        "injections": trace.injections,
        "after_stop": trace.after_stop,
        "inferred_errors": trace.observed.inferred_errors,
        "money": money::json(replay),
        "reasoning": trace.reasoning.map(|handling| json!({
            "handling": handling.word(),
            "lost": trace.rules.iter().map(|rule| rule.money.reasoning_lost).sum::<u64>(),
            "refused_calls": trace.refused,
        })),
        "regret": regret::json(trace),
        "spent": {
            "tokens": trace.spent.tokens,
            "cost": trace.spent.cost.map(dollars),
            "estimated_calls": trace.spent.estimated,
        },
        "learned": trace.learned.as_ref().map(learned),
        "invariants": { "checked": trace.invariants.checked, "broken": broken.collect::<Vec<_>>() },
        "rules": trace.rules.iter().enumerate().map(rule).collect::<Vec<_>>(),
        "assertions": replay.assertions.iter().map(AssertionResult::json).collect::<Vec<_>>(),
    });
    for (key, value) in harness::json(trace) {
        json[key] = value;
    }
    if let Some(calls) = per_call::json(trace) {
        json["per_call"] = calls;
    }
    json
}

/// What was learned. The playbook has the form of a playbook file.
fn learned(learned: &Learned) -> Json {
    json!({
        "strategies_before": learned.before.len(),
        "strategies_after": learned.after.len(),
        "added": learned.added(),
        "updated": learned.changed(),
        "removed": learned.removed(),
        "at_end": learned.after,
    })
}

fn series(series: Series) -> Json {
    json!({
        "peak_tokens": series.peak,
        "mean_tokens": series.mean,
        "peak_ratio": series.peak_ratio.map(fraction),
        "mean_ratio": series.mean_ratio.map(fraction),
        "calls": series.calls,
        "tokens_sent": u64::try_from(series.sum).unwrap_or(u64::MAX),
    })
}

/// Dollars as a JSON number of six places.
fn dollars(cost: Decimal) -> Json {
    use rust_decimal::prelude::ToPrimitive;
    cost.round_dp(6).to_f64().map_or(Json::Null, Json::from)
}

/// A share as a JSON number of four places.
pub(crate) fn fraction(share: Decimal) -> Json {
    use rust_decimal::prelude::ToPrimitive;
    share.round_dp(4).to_f64().map_or(Json::Null, Json::from)
}

/// One line of `--contexts`.
pub fn context_json(transcript: &str, sent: &Sent<'_>) -> Json {
    let messages: Vec<Json> = sent.messages().iter().map(|message| message_json(message)).collect();
    let mut line = Map::new();
    line.insert("transcript".to_owned(), json!(transcript));
    line.insert("call".to_owned(), json!(sent.call));
    line.insert("run".to_owned(), json!(sent.run));
    line.insert("iteration".to_owned(), json!(sent.iteration));
    line.insert("tokens".to_owned(), json!(sent.tokens));
    if !sent.tools.is_empty() {
        line.insert("tools".to_owned(), sent.offered_tools().collect());
    }
    line.insert("messages".to_owned(), Json::Array(messages));
    Json::Object(line)
}

/// The JSON of an event, with the transcript in which it happened and when.
pub fn event_json(transcript: &str, traced: &TracedEvent) -> Json {
    let mut json = json!({
        "transcript": transcript,
        "call": traced.call,
        "run": traced.run,
        "iteration": traced.iteration,
    });
    // The iteration that an event is about replaces the one in which it happened.
    if let (Json::Object(all), Json::Object(own)) = (&mut json, json!(traced.event)) {
        all.extend(own);
    }
    json
}
