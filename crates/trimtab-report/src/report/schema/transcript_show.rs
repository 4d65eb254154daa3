//! The schema of `trimtab transcript show --format json`.

use serde_json::{Value as Json, json};

use super::transcript_stat::errors;
use super::{DIALECT, Schema, object, open_object};

pub(super) static SCHEMA: Schema =
    Schema { name: "transcript-show", summary: "The result of `transcript show` with --format json", json: schema };

fn schema() -> Json {
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "transcripts": { "type": "array", "items": { "$ref": "#/$defs/transcript" } },
        "errors": errors(),
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Contexts of recordings by Trimtab");
    json["$defs"] = json!({
        "transcript": transcript(), "call": call(), "part": part(), "group": group(), "tool": tool(),
    });
    json
}

fn count(description: &str) -> Json {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn maybe_count(description: &str) -> Json {
    json!({ "type": ["integer", "null"], "minimum": 0, "description": description })
}

fn list(of: &str) -> Json {
    json!({ "type": "array", "items": { "$ref": format!("#/$defs/{of}") } })
}

fn transcript() -> Json {
    let maybe_text = json!({ "type": ["string", "null"] });
    let mut json = open_object(&json!({
        "id": { "type": "string" },
        "file": { "type": "string" },
        "format": { "type": "string" },
        "model": maybe_text,
        "window": maybe_count("The context window in tokens"),
        "counter": { "enum": ["exact", "estimate", "reported", "recorded"] },
        "overhead_source": { "type": "string" },
        "model_calls": count("Model calls"),
    }));
    json["properties"]["calls"] = list("call");
    json["properties"]["tools"] = list("tool");
    json["properties"]["largest"] = list("part");
    let content = object(&json!({
        "call": count("The call, from 0"), "roles": list("group"), "tools": list("group"), "largest": list("part"),
    }));
    json["properties"]["content"] = json!({ "oneOf": [{ "type": "null" }, content] });
    json["oneOf"] =
        ["calls", "tools", "largest", "content"].into_iter().map(|key| json!({ "required": [key] })).collect();
    json
}

fn call() -> Json {
    let counts = json!({ "type": "object", "additionalProperties": { "type": "integer", "minimum": 1 } });
    open_object(&json!({
        "call": count("The call, from 0"),
        "run": maybe_count("Its run, from 0"),
        "tokens": maybe_count("The size of its context"),
        "overhead": maybe_count("The part of it besides the messages"),
        "counted": count("The counted tokens of its messages"),
        "recorded": maybe_count("The recorded input of the call"),
        "added": counts,
        "added_tokens": count("The counted tokens of the messages that are new"),
        "errors": count("The tool results among them that are errors"),
        "inferred_errors": count("How many of these are errors by their text only"),
        "tools": counts,
        "reset": { "enum": ["compaction", "cleared", "unexplained", null], "description": "Why the context was reset before it" },
        "cleared": count("Results that the harness cleared before it"),
    }))
}

fn group() -> Json {
    object(&json!({ "name": { "type": "string" }, "messages": count("Messages"), "tokens": count("Counted tokens") }))
}

fn tool() -> Json {
    open_object(&json!({
        "name": { "type": "string" },
        "calls": count("Tool calls"),
        "errors": count("Results that are errors"),
        "inferred_errors": count("How many of these are errors by their text only"),
        "tokens": count("Counted tokens of its results"),
        "final_tokens": count("Counted tokens of its results in the context of the last call"),
    }))
}

fn part() -> Json {
    open_object(&json!({
        "message": count("The index of its message, from 0"),
        "role": { "type": "string" },
        "kind": { "type": "string" },
        "tool": { "type": ["string", "null"] },
        "tokens": count("Counted tokens"),
        "calls": maybe_count("The calls whose context contained it whole; null if not counted"),
        "preview": { "type": "string", "description": "The beginning of its text" },
    }))
}
