//! The schema of `trimtab transcript find --format json`.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, object, open_object};

pub(super) static SCHEMA: Schema =
    Schema { name: "transcript-find", summary: "The result of `transcript find` with --format json", json: schema };

fn schema() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let tool = open_object(&json!({
        "tool": { "type": "string" },
        "format": { "type": "string", "description": "The format that they are read in" },
        "files": count,
        "is_partial": { "type": "boolean", "description": "Whether counting ended early" },
        "bytes": count,
        "newest": { "type": ["string", "null"], "description": "When the newest file was changed" },
        "place": { "type": "string", "description": "The pattern of the paths" },
    }));
    let mut json = object(&json!({ "schema_version": { "const": 1 }, "tools": { "type": "array", "items": tool } }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Recordings of coding agents on a machine, by Trimtab");
    json
}
