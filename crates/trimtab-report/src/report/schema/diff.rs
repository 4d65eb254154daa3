//! The schema of `trimtab diff --format json`.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, host_fact_pattern, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "diff", summary: "The result of `diff` with --format json", json: schema };

fn schema() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let text = json!({ "type": "string" });
    let side = object(&json!({
        "file": { "type": "string", "description": "As given; `REV:path` for a file in a revision" },
        "policy": text,
        "hash": { "type": "string", "description": "Plans with the same hash behave in the same way" },
    }));
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "same": { "type": "boolean", "description": "Whether neither meaning nor replays differ" },
        "before": side,
        "after": side,
        "rules": { "type": "array", "items": { "$ref": "#/$defs/rule" } },
        "host": { "type": "array", "items": object(&json!({
            "what": { "anyOf": [
                { "enum": ["model", "window", "reserve", "overhead", "tools"] },
                { "type": "string", "pattern": host_fact_pattern(), "description": "A declared fact" },
            ] }, "before": text, "after": text,
        })) },
        "replays": { "anyOf": [{ "type": "null" }, object(&json!({
            "transcripts": count,
            "changed": { "type": "array", "items": { "$ref": "#/$defs/replay" },
                         "description": "The largest difference in tokens first" },
        }))] },
        "errors": { "type": "array", "items": object(&json!({ "file": text, "message": text })) },
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("A comparison of two policies by Trimtab");
    json["$defs"] = json!({ "rule": rule(), "replay": replay() });
    json
}

fn rule() -> Json {
    let maybe = |description: &str| json!({ "type": ["string", "null"], "description": description });
    object(&json!({
        "name": { "type": "string" },
        "phase": { "type": "string" },
        "change": { "enum": ["none", "changed", "added", "removed"] },
        "phase_before": maybe("Its phase in the first policy, when it moved"),
        "fires": { "enum": ["same", "fires more", "fires less", "fires earlier", "fires later", "incomparable", "undecided", null] },
        "now": maybe("A state in which it fires now and did not"),
        "no_longer": maybe("A state in which it fired and does not now"),
        "reason": maybe("Why it was not decided when it fires"),
        "tried_before": maybe("A rule that came before it and comes after it now"),
        "effects_differ": { "type": "boolean" },
        "effects_before": maybe("What it did"),
        "effects_after": maybe("What it does"),
    }))
}

fn replay() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let call = json!({ "type": ["integer", "null"], "minimum": 0, "description": "The first call that is not made" });
    let calls = json!({ "type": "array", "items": count });
    let pair = object(&json!({ "before": count, "after": count }));
    let cost = json!({
        "type": ["number", "null"], "description": "US dollars of the calls whose price is known; null if there are none",
    });
    object(&json!({
        "id": { "type": "string" },
        "calls": count,
        "firings": { "type": "array", "items": object(&json!({
            "rule": { "type": "string" }, "no_longer": calls, "now": calls,
        })) },
        "contexts": { "type": "array", "items": count, "description": "Calls whose contexts differ in size" },
        "tokens": pair,
        "peak": pair,
        "cost": object(&json!({ "before": cost, "after": cost })),
        "stop": object(&json!({ "before": call, "after": call })),
    }))
}
