//! The schema of `trimtab test --format json`.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, object, open_object};

pub(super) static SCHEMA: Schema =
    Schema { name: "test", summary: "The result of `test` with --format json", json: schema };

fn schema() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "tests": { "type": "array", "items": { "$ref": "#/$defs/test" } },
        "summary": object(&json!({ "files": count, "tests": count, "passed": count, "failed": count, "broken": count })),
        "seed": { "type": ["integer", "null"], "minimum": 0, "description": "The seed of --shuffle" },
    }));
    json["properties"]["coverage"] = json!({
        "type": "array", "items": { "$ref": "#/$defs/coverage" }, "description": "With --coverage or --min-coverage",
    });
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Tests of policies, run by Trimtab");
    json["$defs"] = json!({
        "span": span(), "test": test(), "failure": failure(), "condition": condition(), "coverage": coverage(),
    });
    json
}

fn span() -> Json {
    let (place, byte) = (json!({ "type": "integer", "minimum": 1 }), json!({ "type": "integer", "minimum": 0 }));
    object(&json!({ "file": { "type": "string" }, "line": place, "column": place, "start": byte, "end": byte }))
}

fn test() -> Json {
    object(&json!({
        "file": { "type": "string" },
        "policy": { "type": ["string", "null"] },
        "name": { "type": "string" },
        "span": { "$ref": "#/$defs/span" },
        "status": { "enum": ["passed", "failed", "broken"] },
        "failures": { "type": "array", "items": { "$ref": "#/$defs/failure" } },
        "reason": { "type": ["string", "null"], "description": "Why it could not run" },
    }))
}

fn failure() -> Json {
    let explained = open_object(&json!({
        "phase": { "type": "string" },
        "rule": { "type": "string" },
        "result": { "type": "string" },
        "condition": { "$ref": "#/$defs/condition" },
        "unless": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/condition" }] },
        "held": { "type": "array", "items": { "type": "string" } },
    }));
    object(&json!({
        "span": { "$ref": "#/$defs/span" },
        "expected": { "type": "string" },
        "seen": { "type": "string" },
        "call": { "type": ["integer", "null"], "minimum": 0 },
        "explanation": { "type": "array", "items": explained },
    }))
}

fn condition() -> Json {
    open_object(&json!({
        "text": { "type": "string" },
        "value": { "type": ["string", "null"] },
        "truth": { "type": ["boolean", "null"], "description": "Null if it is unknown" },
        "parts": { "type": "array", "items": { "$ref": "#/$defs/condition" } },
    }))
}

fn coverage() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let gap = object(&json!({
        "span": { "$ref": "#/$defs/span" },
        "rule": { "type": "string" },
        "text": { "type": "string" },
        "missing": { "type": "string" },
    }));
    object(&json!({
        "file": { "type": "string" },
        "policy": { "type": "string" },
        "covered": count,
        "all": count,
        "percent": { "type": ["number", "null"], "minimum": 0, "maximum": 100 },
        "missing": { "type": "array", "items": gap },
    }))
}
