//! The schema of a line of `--format jsonl`.

use serde_json::{Map, Value as Json, json};

use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "finding", summary: "A line of `validate` or `lint` with --format jsonl", json: schema };

fn schema() -> Json {
    let mut json = object(&Json::Object(properties()));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("A finding of Trimtab");
    json["$defs"] = definitions();
    json
}

/// The properties of a finding.
pub(super) fn properties() -> Map<String, Json> {
    let json = json!({
        "code": { "type": "string", "description": "A stable id, such as E301 or the name of a lint" },
        "severity": { "enum": ["error", "warning", "info"] },
        "message": { "type": "string" },
        "file": { "type": "string", "description": "The path as it was given" },
        "span": { "$ref": "#/$defs/span" },
        "labels": { "type": "array", "items": { "$ref": "#/$defs/label" }, "minItems": 1 },
        "notes": { "type": "array", "items": { "type": "string" } },
        "help": { "type": ["string", "null"] },
        "fixes": { "type": "array", "items": { "$ref": "#/$defs/fix" } },
    });
    json.as_object().cloned().unwrap_or_default()
}

/// The definitions to which the properties refer.
pub(super) fn definitions() -> Json {
    let offset = json!({ "type": "integer", "minimum": 0, "description": "In bytes, from 0" });
    let line = json!({ "type": "integer", "minimum": 1 });
    let column = json!({ "type": "integer", "minimum": 1, "description": "In characters, from 1" });
    json!({
        "span": object(&json!({
            "line": line, "column": column, "end_line": line, "end_column": column, "start": offset, "end": offset,
        })),
        "label": object(&json!({
            "message": { "type": "string" },
            "file": { "type": "string" },
            "span": { "$ref": "#/$defs/span" },
        })),
        "fix": object(&json!({
            "title": { "type": "string" },
            "safe": { "type": "boolean", "description": "Whether it never changes what the policy does" },
            "edits": { "type": "array", "items": { "$ref": "#/$defs/edit" }, "minItems": 1 },
        })),
        "edit": object(&json!({
            "file": { "type": "string" }, "start": offset, "end": offset, "text": { "type": "string" },
        })),
    })
}
