//! The schema of `trimtab ci --format json`.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "ci", summary: "The result of `ci` with --format json", json: schema };

fn schema() -> Json {
    let place = json!({ "type": ["integer", "null"], "minimum": 1 });
    let trouble = object(&json!({
        "file": { "type": ["string", "null"] },
        "line": place,
        "column": place,
        "severity": { "enum": ["error", "warning", "info"] },
        "message": { "type": "string" },
    }));
    let part = object(&json!({
        "name": { "enum": ["format", "lint", "test", "simulate", "recordings"] },
        "result": { "enum": ["fine", "findings", "failed"] },
        "summary": { "type": "string" },
        "troubles": { "type": "array", "items": trouble },
    }));
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "exit_code": { "enum": [0, 1, 2] },
        "parts": { "type": "array", "items": part },
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Everything that a project promises, checked by Trimtab");
    json
}
