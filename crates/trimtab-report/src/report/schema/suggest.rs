//! The schema of `trimtab suggest --format json`.

use serde_json::{Value as Json, json};

use super::transcript_stat::errors;
use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "suggest", summary: "The result of `suggest` with --format json", json: schema };

fn schema() -> Json {
    let mut simulated = saved();
    simulated["rules"] = json!({ "type": "array", "items": rule() });
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "observed": observed(),
        "suggestions": { "type": "array", "items": suggestion() },
        "objective": { "enum": ["cost", "tokens", null], "description": "What rules are chosen by; tokens if the price of a call is unknown" },
        "simulated": { "anyOf": [{ "type": "null" }, object(&simulated)] },
        "policy": { "type": ["string", "null"], "description": "The text of the suggested policy" },
        "errors": errors(),
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("What filled the contexts of recordings, and the policy that Trimtab suggests");
    json
}

fn count() -> Json {
    json!({ "type": "integer", "minimum": 0 })
}

fn cost() -> Json {
    json!({ "type": ["number", "null"], "description": "US dollars of the calls whose price is known; null if there are none" })
}

/// What has a known price.
fn priced() -> Json {
    object(&json!({ "calls": count(), "all_calls": count(), "tokens": count(), "all_tokens": count() }))
}

fn observed() -> Json {
    let results = object(&json!({ "count": count(), "tokens": count() }));
    let streaks = object(&json!({ "count": count(), "longest": count() }));
    let content = object(&json!({
        "content": { "type": "string" },
        "tool": { "type": ["string", "null"] },
        "tokens": { "type": "integer", "minimum": 0, "description": "Summed over the calls that sent them" },
    }));
    object(&json!({
        "transcripts": count(),
        "calls": count(),
        "tokens_sent": count(),
        "peak_tokens": count(),
        "content": { "type": "array", "items": content },
        "large_results": results,
        "duplicate_results": results,
        "superseded_file_reads": results,
        "repeated_calls": streaks,
        "failures_in_a_row": streaks,
        "compactions": object(&json!({ "count": count(), "freed_tokens": count(), "rewritten_tokens": count() })),
        "pauses": object(&json!({ "count": count(), "longest_seconds": count(), "tokens": count() })),
    }))
}

fn suggestion() -> Json {
    let text = json!({ "type": "string" });
    let mut alone = saved();
    (alone["fired"], alone["missed"]) = (count(), count());
    object(&json!({
        "rule": text,
        "summary": text,
        "purpose": { "enum": ["saving", "precaution", "message"] },
        "observed": text,
        "clauses": { "type": "array", "items": text },
        "outcome": { "enum": ["kept", "never_fires", "saves_nothing", "adds_nothing", "within_error", "never_fires_with_others"] },
        "reason": { "type": ["string", "null"], "description": "Why the rule is left out, in terms of the objective" },
        "alone": object(&alone),
    }))
}

/// What a policy saves.
fn saved() -> Json {
    json!({
        "tokens_saved": { "type": "integer" },
        "recorded_tokens": count(),
        "cost_saved": cost(),
        "recorded_cost": cost(),
        "priced": priced(),
        "net_saving": { "type": "number", "description": "What the policy saves less the losses, in the unit of the objective" },
        "interval": object(&json!({
            "tokens": object(&json!({ "low": { "type": "integer" }, "high": { "type": "integer" } })),
            "cost": object(&json!({ "low": cost(), "high": cost() })),
        })),
        "losses": { "type": "number", "minimum": 0, "description": "What the calls would cost that miss what the policy takes" },
    })
}

fn rule() -> Json {
    object(&json!({
        "rule": { "type": "string" },
        "fired": count(),
        "edits": count(),
        "tokens_saved": { "type": "integer" },
        "cost_saved": cost(),
        "cost_caused": cost(),
        "missed": { "type": "integer", "minimum": 0, "description": "Later calls that are made again or quote what the rule took" },
    }))
}
