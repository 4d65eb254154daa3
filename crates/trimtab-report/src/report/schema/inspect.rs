//! The schema of `trimtab inspect --format json`.

use serde_json::{Map, Value as Json, json};
use trimtab_language::fact::host_type_words;

use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "inspect", summary: "The result of `inspect` with --format json", json: schema };

fn schema() -> Json {
    let (text, at) = (json!({ "type": "string" }), json!({ "$ref": "#/$defs/place" }));
    let maybe_text = json!({ "type": ["string", "null"] });
    let count = json!({ "type": "integer", "minimum": 0 });
    let names = json!({ "type": "array", "items": { "type": "string" } });
    let list = |item: Json| json!({ "type": "array", "items": item });
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "policy": object(&json!({
            "name": text, "title": maybe_text, "hash": text, "at": at,
            "extends": list(object(&json!({ "name": text, "at": at }))),
        })),
        "agent": agent(),
        "rules": list(json!({ "$ref": "#/$defs/rule" })),
        "disabled": list(object(&json!({
            "rule": text, "from": text, "policy": text, "why": maybe_text, "rule_at": at, "at": at,
        }))),
        "facts": list(object(&json!({
            "name": text, "type": text, "optional": { "type": "boolean" }, "rules": names,
        }))),
        "prompts": list(object(&json!({ "name": text, "text": text, "rules": names, "at": at }))),
        "phases": list(object(&json!({ "phase": text, "rules": names }))),
        "window": { "anyOf": [{ "type": "null" }, object(&json!({ "tokens": count, "by": text }))] },
        "thresholds": list(object(&json!({
            "share": { "type": "string", "description": "A decimal: 0.8 is 80%" },
            "tokens": { "type": ["integer", "null"], "minimum": 0 },
            "rules": names,
        }))),
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("A policy with all that it inherits, resolved by Trimtab");
    json["$defs"] = json!({ "place": place(), "rule": rule() });
    json
}

/// A location in a file; null for values from the settings.
fn place() -> Json {
    let number = json!({ "type": "integer", "minimum": 1 });
    let place = object(&json!({ "file": { "type": "string" }, "line": number, "column": number }));
    json!({ "anyOf": [{ "type": "null" }, place] })
}

/// The known values of the host, each with its location.
fn agent() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let values = [
        ("model", json!({ "type": "string" })),
        ("window", count.clone()),
        ("reserve", count.clone()),
        ("overhead", count),
        ("tools", json!({ "type": "array", "items": { "type": "string" } })),
    ];
    let located = |value: Json| object(&json!({ "value": value, "at": { "$ref": "#/$defs/place" } }));
    let text = json!({ "type": "string" });
    let fact = object(&json!({
        "name": text, "type": { "enum": host_type_words().collect::<Vec<_>>() },
        "default": { "type": ["string", "null"], "description": "As a policy writes it, a text without quotes" },
        "at": { "$ref": "#/$defs/place" },
    }));
    let mut properties: Map<String, Json> =
        values.into_iter().map(|(name, value)| (name.to_owned(), located(value))).collect();
    properties.insert("facts".to_owned(), json!({ "type": "array", "items": fact }));
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn rule() -> Json {
    let (text, at) = (json!({ "type": "string" }), json!({ "$ref": "#/$defs/place" }));
    let list = |item: Json| json!({ "type": "array", "items": item });
    object(&json!({
        "name": text,
        "sealed": { "type": "boolean" },
        "phase": text,
        "policy": text,
        "at": at,
        "overrides": list(object(&json!({ "policy": text, "at": at }))),
        "placed_at": at,
        "clauses": list(object(&json!({ "clause": text, "text": text, "at": at }))),
        "remembers": list(object(&json!({ "guard": text, "what": text }))),
        "asks_summariser": { "type": "boolean" },
    }))
}
