//! The schema of findings with `--format json`.

use serde_json::{Value as Json, json};

use super::finding::{definitions, properties};
use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "findings", summary: "The result of `validate` or `lint` with --format json", json: schema };

fn schema() -> Json {
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "diagnostics": { "type": "array", "items": { "$ref": "#/$defs/diagnostic" } },
        "suppressed": { "type": "array", "items": { "$ref": "#/$defs/suppressed" } },
        "summary": summary(),
        "errors": unread(),
    }));
    let mut accepted = properties();
    accepted.insert("justification".to_owned(), json!({ "type": "string" }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Findings of Trimtab");
    json["$defs"] = definitions();
    json["$defs"]["diagnostic"] = object(&Json::Object(properties()));
    json["$defs"]["suppressed"] = object(&Json::Object(accepted));
    json
}

/// The number of checked files, and the number of findings of each severity.
pub(super) fn summary() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    object(&json!({ "files": count, "errors": count, "warnings": count, "infos": count }))
}

/// The files that could not be read.
pub(super) fn unread() -> Json {
    let file = object(&json!({
        "file": { "type": "string" },
        "message": { "type": "string", "description": "Why the file could not be read" },
    }));
    json!({ "type": "array", "items": file })
}
