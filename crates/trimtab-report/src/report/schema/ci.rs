//! The schema of `trimtab ci --format json`.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, object};
use crate::report::verdict;

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
    let count = json!({ "type": "integer", "minimum": 0 });
    let simulation = object(&json!({
        "name": { "type": "string" }, "transcripts": count, "met": count, "expected": count, "verdict": verdict::schema(),
    }));
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "exit_code": { "enum": [0, 1, 2] },
        "parts": { "type": "array", "items": part },
        "simulations": { "type": "array", "items": simulation },
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Everything that a project promises, checked by Trimtab");
    json
}
