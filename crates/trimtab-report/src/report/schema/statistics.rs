//! The schema of `trimtab lint --statistics --format json`.

use serde_json::{Value as Json, json};

use super::findings::{summary, unread};
use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "statistics", summary: "The result of `lint --statistics` with --format json", json: schema };

fn schema() -> Json {
    let entry = object(&json!({
        "code": { "type": "string" },
        "title": { "type": "string" },
        "count": { "type": "integer", "minimum": 1 },
        "fixable": { "type": "boolean", "description": "Whether at least one of them has a fix" },
    }));
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "statistics": { "type": "array", "items": entry },
        "summary": summary(),
        "errors": unread(),
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Findings of Trimtab, counted by code");
    json
}
