//! The schema of `trimtab transcript stat --format json`.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, object, open_object};

pub(super) static SCHEMA: Schema =
    Schema { name: "transcript-stat", summary: "The result of `transcript stat` with --format json", json: schema };

fn schema() -> Json {
    let version = json!({ "const": 1 });
    let list = |item: &Json| json!({ "type": "array", "items": item });
    let mut json = json!({ "anyOf": [
        object(&json!({ "schema_version": version, "files": list(&file()), "errors": errors() })),
        object(&json!({ "schema_version": version, "formats": list(&format()), "errors": errors() })),
    ] });
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Statistics of recordings by Trimtab: of each file, or of each format with --by-format");
    json
}

fn count(description: &str) -> Json {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn with_counts(mut own: Json) -> Json {
    own["conversations"] = count("Transcripts");
    own["messages"] = count("Messages of all roles");
    own["calls"] = count("Tool calls");
    own["results"] = count("Tool results");
    own["errors"] = count("Tool results that the recording marks as errors");
    own["inferred_errors"] = count("Tool results that are errors by their text only");
    own["usage"] = count("Replies with recorded usage");
    own["skipped"] = json!({
        "type": "object", "additionalProperties": { "type": "integer", "minimum": 1 },
        "description": "Skipped records, by kind",
    });
    open_object(&own)
}

fn file() -> Json {
    with_counts(json!({
        "file": { "type": "string" },
        "format": { "type": "string" },
        "sniffed": { "type": "array", "items": { "type": "string" }, "description": "The formats that recognised the file" },
        "tokens": { "type": ["integer", "null"], "minimum": 0, "description": "Tokens of all replies with recorded usage" },
        "peak_tokens": { "type": ["integer", "null"], "minimum": 0, "description": "The largest recorded context" },
        "cost": { "type": ["number", "null"], "description": "US dollars of the recorded usage at list prices" },
        "model": { "type": ["string", "null"] },
        "window": { "type": ["integer", "null"], "minimum": 0, "description": "The recorded context window in tokens" },
    }))
}

fn format() -> Json {
    with_counts(json!({ "format": { "type": "string" }, "files": count("Files") }))
}

/// The recordings that could not be read.
pub(super) fn errors() -> Json {
    let error = object(&json!({
        "file": { "type": "string" },
        "message": { "type": "string" },
        "line": { "type": ["integer", "null"], "minimum": 1 },
    }));
    json!({ "type": "array", "items": error })
}
