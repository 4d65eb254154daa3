//! The schema of playbook files.

use serde_json::{Value as Json, json};
use trimtab_base::playbook::MAX_STRATEGIES;

use super::{DIALECT, Schema, open_object};

pub(super) static SCHEMA: Schema = Schema { name: "playbook", summary: "A playbook file", json: schema };

fn schema() -> Json {
    let text = json!({ "type": "string", "pattern": "\\S" });
    let count = |description: &str| json!({ "type": "integer", "minimum": 0, "description": description });
    let time = |description: &str| {
        let forms = [json!({ "type": "string" }), json!({ "type": "integer", "minimum": 0 })];
        json!({ "oneOf": forms, "description": format!("{description}: RFC 3339, or the number of model calls before it") })
    };
    let id = r"^[\p{L}\p{N}]([\p{L}\p{N}_-]*[\p{L}\p{N}])?$";
    let mut strategy = open_object(&json!({
        "id": { "type": "string", "pattern": id, "maxLength": 64 },
        "category": text,
        "content": text,
        "helpful": count("How often it helped"),
        "harmful": count("How often it did harm"),
        "neutral": count("How often it was used without helping or doing harm"),
        "observed": count("How often it was distilled"),
        "created": time("When it was added"),
        "last_used": time("When it was last tagged"),
    }));
    strategy["required"] = json!(["id", "category", "content"]);
    let mut json = open_object(&json!({
        "schema_version": { "const": 1 },
        "next": count("The number in the next id"),
        "strategies": { "type": "array", "items": strategy, "maxItems": MAX_STRATEGIES },
    }));
    json["required"] = json!(["schema_version", "strategies"]);
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("A playbook of Trimtab");
    json
}
