//! The schema of `trimtab simulate --format json`, for one policy or several.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, object, open_object};
use crate::report::verdict;

pub(super) static SCHEMA: Schema =
    Schema { name: "simulate", summary: "The result of `simulate` with --format json, and of `merge`", json: schema };

fn schema() -> Json {
    let mut json = json!({ "anyOf": [
        { "$ref": "#/$defs/simulation" },
        object(&json!({
            "schema_version": { "const": 1 },
            "policies": { "type": "array", "minItems": 2, "items": { "$ref": "#/$defs/simulation" },
                          "description": "With --policies: one simulation for each policy, in the order given" },
        })),
    ] });
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Replays of transcripts by Trimtab; keys may be added");
    json["$defs"] = json!({ "simulation": simulation(), "transcript": transcript(), "rule": rule() });
    json
}

fn count() -> Json {
    json!({ "type": "integer", "minimum": 0 })
}

fn maybe_count() -> Json {
    json!({ "type": ["integer", "null"], "minimum": 0 })
}

fn text() -> Json {
    json!({ "type": "string" })
}

fn maybe_text() -> Json {
    json!({ "type": ["string", "null"] })
}

fn calls() -> Json {
    json!({ "type": "array", "items": count(), "description": "Model calls, from 0" })
}

fn simulation() -> Json {
    let contexts = open_object(&json!({
        "peak_tokens": count(), "mean_tokens": count(), "calls": count(), "tokens_sent": count(),
    }));
    let summed = object(&json!({
        "expression": text(), "held": { "type": "boolean" }, "seen": text(), "value": { "type": "number" },
    }));
    let rule = open_object(&json!({
        "name": text(), "due": count(), "fired": count(), "edits": count(), "tokens_saved": { "type": "integer" },
        "transcripts": { "type": "integer", "minimum": 0, "description": "The number of transcripts in which it fired" },
        "cost_saved": cost(), "cost_caused": cost(), "interval": interval(), "cache_breaks": count(), "reasoning_lost": count(),
        "free_edits": count(), "cold_changes": count(), "repeated_calls": count(), "quotes": count(),
    }));
    open_object(&json!({
        "schema_version": { "const": 1 },
        "version": { "type": "string", "description": "The version of trimtab" },
        "options": { "type": "object", "description": "The options that determine the results; those of results that are merged must be equal" },
        "policy": object(&json!({ "file": text(), "name": text(), "hash": text() })),
        "transcripts": { "type": "array", "items": { "$ref": "#/$defs/transcript" } },
        "total": open_object(&json!({
            "verdict": verdict::schema(),
            "transcripts": count(), "calls": count(), "runs": count(), "before": contexts, "compared": contexts, "after": contexts,
            "assertions": { "type": "array", "items": summed, "description": "Assertions on totals over all transcripts" },
            "tokens_saved": { "type": "integer" }, "rules": { "type": "array", "items": rule },
            "regret": open_object(&json!({ "repeated_calls": count(), "quotes": count() })),
            "money": open_object(&json!({
                "before": bill(), "compared": bill(), "with_usage": call_bill(), "after": bill(), "harness": call_bill(),
                "branches": call_bill(), "summaries_cost": cost(), "breaks": count(),
                "rewritten_tokens": count(),
            })),
        })),
        "errors": { "type": "array", "items": object(&json!({
            "file": text(), "message": text(), "line": { "type": ["integer", "null"], "minimum": 1 },
        })) },
    }))
}

/// Between which values the saving of a rule is expected.
fn interval() -> Json {
    let ends = |of: Json| object(&json!({ "low": of, "high": of }));
    let mut json = object(&json!({ "tokens": ends(json!({ "type": "integer" })), "cost": ends(cost()) }));
    json["description"] =
        json!("What the rule saves less what it causes, expected between `low` and `high` in 80% of cases");
    json
}

/// An amount in US dollars.
fn cost() -> Json {
    json!({ "type": ["number", "null"], "description": "US dollars of the calls whose price is known; null if there are none" })
}

fn bill() -> Json {
    open_object(&bill_keys())
}

/// A number of calls and their bill.
fn call_bill() -> Json {
    let mut keys = bill_keys();
    keys["calls"] = count();
    open_object(&keys)
}

fn bill_keys() -> Json {
    json!({
        "uncached_input": count(), "cache_write": count(), "cache_write_1h": count(), "cache_read": count(),
        "output": count(), "cost": cost(),
    })
}

/// The calls before and after the policy, and the breaks of the prompt cache.
fn money() -> Json {
    let broken = open_object(&json!({
        "call": count(), "rule": maybe_text(), "tokens": count(), "reasoning": count(), "cost": cost(),
    }));
    let mut prefix = object(&json!({ "source": { "enum": ["recorded", "assumed"] }, "tokens": maybe_count() }));
    prefix["description"] = json!(
        "What calls read from the cache behind a change of the history; assumed: the system prompt and the tools"
    );
    let unpriced = object(&json!({ "model": maybe_text(), "calls": count() }));
    open_object(&json!({
        "before": bill(), "compared": bill(), "with_usage": call_bill(), "after": bill(), "harness": call_bill(),
        "branches": call_bill(), "summaries_cost": cost(),
        "stable_prefix": { "oneOf": [{ "type": "null" }, prefix] },
        "without_cache": { "type": "boolean", "description": "Whether all input is priced as uncached" },
        "unpriced": { "type": "array", "items": unpriced, "description": "The calls whose price is unknown, by their model" },
        "breaks": { "type": "array", "items": broken, "description": "Requests whose beginning was not cached any more; without a rule, the recorded harness changed it" },
    }))
}

fn transcript() -> Json {
    let share =
        json!({ "type": ["number", "null"], "description": "A share of the window; null if the window is unknown" });
    let series = open_object(&json!({
        "peak_tokens": count(), "mean_tokens": count(), "peak_ratio": share, "mean_ratio": share,
        "calls": count(), "tokens_sent": count(),
    }));
    let broken = object(&json!({ "call": count(), "invariant": text(), "message": text() }));
    let models = object(&json!({ "model": maybe_text(), "window": maybe_count(), "calls": count() }));
    let asserted = object(&json!({
        "expression": text(), "held": { "type": "boolean" }, "seen": text(), "call": maybe_count(),
    }));
    let mut json = open_object(&json!({
        "id": text(),
        "file": text(),
        "format": text(),
        "model": maybe_text(),
        "window": maybe_count(),
        "window_source": maybe_text(),
        "verdict": verdict::schema(),
        "models": { "type": "array", "items": models, "description": "The calls of each model, in the order of its first call" },
        "tools_source": maybe_text(),
        "counter": open_object(&json!({
            "name": { "enum": ["exact", "estimate", "reported", "recorded"] },
            "error": { "type": ["number", "null"], "description": "The mean error of predicting the input of a call from the calls before it" },
            "content_error": { "type": ["number", "null"], "description": "The median error of predicting the growth of the context by at least 1,000 tokens; that of what a policy removes, too" },
        })),
        "usage_points": count(),
        "calls": count(),
        "runs": count(),
        "skipped": { "type": "object", "additionalProperties": count(), "description": "Skipped records, by kind" },
        "first_divergence": maybe_count(),
        "before": series,
        "compared": series,
        "after": series,
        "tokens_saved": { "type": "integer", "description": "At the calls that are made in both; negative if the policy adds more than it saves" },
        "summaries": count(),
        "injections": count(),
        "after_stop": count(),
        "inferred_errors": { "type": "integer", "minimum": 0, "description": "Tool results that are errors by their text only" },
        "money": money(),
        "reasoning": { "oneOf": [{ "type": "null" }, reasoning()], "description": "Null unless the model binds reasoning to what precedes it" },
        "regret": regret(),
        "learned": { "oneOf": [{ "type": "null" }, learned()], "description": "Null unless the policy uses a playbook" },
        "resets": calls(),
        "invariants": object(&json!({ "checked": count(), "broken": { "type": "array", "items": broken } })),
        "rules": { "type": "array", "items": { "$ref": "#/$defs/rule" } },
        "assertions": { "type": "array", "items": asserted },
    }));
    json["properties"]["per_call"] = per_call();
    json
}

/// The figures of each call.
fn per_call() -> Json {
    let call = open_object(&json!({
        "call": count(), "run": count(), "before": count(), "after": maybe_count(), "recorded": maybe_count(),
        "overhead": count(), "usage_before": bill(), "usage_after": { "oneOf": [{ "type": "null" }, bill()] },
    }));
    json!({ "type": "array", "items": call, "description": "With --per-call: the model calls; what is after the policy is null if the call is not made" })
}

fn learned() -> Json {
    object(&json!({
        "strategies_before": count(), "strategies_after": count(), "added": count(), "updated": count(),
        "removed": count(),
        "at_end": { "type": "object", "description": "The playbook at the end, in the form of a playbook file" },
    }))
}

fn rule() -> Json {
    open_object(&json!({
        "name": text(),
        "due": count(),
        "fired": count(),
        "edits": count(),
        "tokens_saved": { "type": "integer" },
        "calls": calls(),
        "cost_saved": cost(),
        "cost_caused": cost(),
        "interval": interval(),
        "cache_breaks": count(),
        "pays_after": maybe_count(),
        "reasoning_lost": count(),
        "free_edits": count(),
        "cold_changes": count(),
        "repeated_calls": count(),
        "quotes": count(),
    }))
}

/// What became of reasoning behind changes.
fn reasoning() -> Json {
    open_object(&json!({
        "handling": { "enum": ["drop", "strip", "keep"] },
        "lost": { "type": "integer", "minimum": 0, "description": "The tokens of reasoning behind changes by rules" },
        "refused_calls": calls(),
    }))
}

/// What the agent used again after rules had taken it from the context.
fn regret() -> Json {
    let repeated = open_object(&json!({ "call": count(), "reduced": count(), "rule": text(), "tool": text() }));
    let mut quote = open_object(&json!({
        "call": count(), "reduced": count(), "rule": text(), "tool": text(), "strings": count(),
        "chars": count(),
    }));
    quote["properties"]["text"] =
        json!({ "type": "string", "description": "The longest quoted string, with --quotes" });
    open_object(&json!({
        "repeated_calls": { "type": "array", "items": repeated, "description": "Calls made again after their result was reduced or removed" },
        "quotes": { "type": "array", "items": quote, "description": "Calls that quote strings that stood only in content that a rule took" },
    }))
}
