//! The schema of `trimtab compile`.

use serde_json::{Map, Value as Json, json};
use trimtab_language::effect::EFFECTS;
use trimtab_language::fact::{FACTS, Scope, host_type_words};
use trimtab_language::phase::PHASES;

use super::{DIALECT, Schema, host_fact_pattern, object};

pub(super) static SCHEMA: Schema = Schema { name: "plan", summary: "The result of `compile`", json: schema };

fn schema() -> Json {
    let text = json!({ "type": "string" });
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "policy": text,
        "title": { "type": ["string", "null"], "description": "What the policy is for; not part of the hash" },
        "agent": agent(),
        "rules": { "type": "array", "items": { "$ref": "#/$defs/rule" } },
        "hash": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
            "description": "SHA-256 of the plan without `hash` and `title`, with sorted keys and without white space",
        },
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("A policy compiled by Trimtab");
    json["$defs"] = json!({
        "rule": rule(),
        "action": action(),
        "condition": condition(),
        "guard": guard(),
        "reading": reading_with(&reading()),
        "template": template(),
        "value": value(),
        "decimal": decimal(),
    });
    json
}

/// A number as a string, so that it stays exact.
fn decimal() -> Json {
    json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$" })
}

/// The value of a fact: numbers are in the unit of the fact.
fn value() -> Json {
    json!({ "type": ["string", "boolean"] })
}

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn list(name: &str) -> Json {
    json!({ "type": "array", "items": reference(name) })
}

/// The known values of the host.
fn agent() -> Json {
    let count = json!({ "type": ["integer", "null"], "minimum": 0 });
    let fact = object(&json!({
        "name": { "type": "string" },
        "type": { "enum": host_type_words().collect::<Vec<_>>() },
        "default": { "anyOf": [{ "type": "null" }, reference("value")] },
    }));
    let facts = json!({ "type": "array", "items": fact, "minItems": 1, "description": "By name" });
    let required = json!({
        "model": { "type": ["string", "null"] },
        "window": count,
        "reserve": count,
        "overhead": count,
        "tools": { "type": ["array", "null"], "items": { "type": "string" } },
    });
    with_optional(&required, &Map::from_iter([("facts".to_owned(), facts)]))
}

fn rule() -> Json {
    let phases: Vec<&str> = PHASES.iter().map(|(_, name, _)| *name).collect();
    let required = json!({
        "name": { "type": "string" },
        "phase": { "enum": phases },
        "condition": reference("condition"),
        "guards": list("guard"),
        "do": { "type": "array", "items": reference("action"), "minItems": 1 },
        "on_failure": {
            "anyOf": [{ "enum": ["keep", "stop", "ask"] }, object(&json!({ "then": reference("action") }))],
        },
        "retries": { "type": "integer", "minimum": 0 },
    });
    let mut unless = reference("condition");
    unless["description"] = json!("Blocks the rule while it holds or is unknown");
    let mut confirm = reference("template");
    confirm["description"] = json!("What a person is asked before its effects are applied");
    with_optional(&required, &Map::from_iter([("unless".to_owned(), unless), ("confirm".to_owned(), confirm)]))
}

/// An object with these required properties and these optional ones.
fn with_optional(required: &Json, optional: &Map<String, Json>) -> Json {
    let mut json = object(required);
    if let Some(properties) = json["properties"].as_object_mut() {
        properties.extend(optional.clone());
    }
    json
}

/// A use of an effect. Labels without effect are left out, and defaults are filled in.
fn action() -> Json {
    let effects: Vec<&str> = EFFECTS.iter().map(|effect| effect.name).collect();
    let mut field = reading();
    field["name"] = json!({ "type": "string" });
    let required = json!({
        "effect": { "enum": effects },
        "labels": {
            "type": "object",
            "additionalProperties": { "anyOf": [
                quantity(),
                { "type": "string", "description": "A word" },
                { "type": "array", "items": { "type": "string" }, "description": "Names" },
                { "type": "array", "items": reading_with(&field), "description": "Fields of an event" },
                reference("template"),
            ] },
        },
    });
    let optional = [("target".to_owned(), json!({ "type": "string" })), ("text".to_owned(), reference("template"))];
    with_optional(&required, &Map::from_iter(optional))
}

fn unit() -> Json {
    json!({ "anyOf": [
        { "enum": ["share", "tokens", "chars", "duration", "money"] },
        object(&json!({ "counted": { "type": "string" } })),
    ] })
}

fn condition() -> Json {
    let parts = list("condition");
    let mut forms = vec![
        json!({ "type": "boolean" }),
        object(&json!({ "all": parts })),
        object(&json!({ "any": parts })),
        object(&json!({ "not": reference("condition") })),
    ];
    forms.extend(tests());
    json!({ "anyOf": forms })
}

/// A number with its unit.
fn quantity() -> Json {
    object(&json!({ "amount": reference("decimal"), "unit": unit() }))
}

/// The tests of a fact: its reading with one relation.
fn tests() -> Vec<Json> {
    let share = object(&json!({ "share_of_window": reference("decimal") }));
    let constant = json!({ "anyOf": [reference("value"), share] });
    let relations = [
        ("holds", json!({ "const": true })),
        ("known", json!({ "const": true })),
        ("in", json!({ "type": "array", "items": reference("value"), "minItems": 1 })),
        ("contains", json!({ "type": "string" })),
    ];
    let comparisons = ["<", "<=", ">", ">=", "==", "!="].map(|symbol| (symbol, constant.clone()));
    let test = |(name, relation): (&str, Json)| {
        let mut required = reading();
        required[name] = relation;
        reading_with(&required)
    };
    relations.into_iter().chain(comparisons).map(test).collect()
}

/// The required property of a reading of a fact.
fn reading() -> Json {
    let facts: Vec<&str> = FACTS.iter().filter(|fact| !fact.is_host()).map(|fact| fact.name).collect();
    json!({ "fact": { "anyOf": [{ "enum": facts }, { "type": "string", "pattern": host_fact_pattern() }] } })
}

/// A reading with these required properties; arguments and default are optional.
fn reading_with(required: &Json) -> Json {
    let tools = json!({ "type": "array", "items": { "type": "string" } });
    let compared = json!({ "type": "array", "items": reference("reading") });
    let argument = json!({ "anyOf": [reference("value"), tools, compared, quantity()] });
    let arguments = json!({ "type": "object", "additionalProperties": argument });
    let text = object(&json!({ "text": { "type": "string" } }));
    let fallback = json!({ "anyOf": [reference("value"), text] });
    with_optional(required, &Map::from_iter([("arguments".to_owned(), arguments), ("else".to_owned(), fallback)]))
}

fn guard() -> Json {
    let count = json!({ "type": "integer", "minimum": 1 });
    let guards = [
        json!({ "once_per": reference("reading") }),
        json!({ "once_until": reference("condition") }),
        json!({ "until": reference("condition") }),
        json!({ "every": count }),
        json!({ "cooldown": count }),
        json!({ "limit": count }),
    ];
    let session = json!({ "const": Scope::Session.word() });
    let once = object(&json!({ "once": { "const": true }, "in": session }));
    let scope = Map::from_iter([("in".to_owned(), session)]);
    let any: Vec<Json> = [json!({ "const": "once" }), once]
        .into_iter()
        .chain(guards.iter().map(|guard| with_optional(guard, &scope)))
        .collect();
    json!({ "anyOf": any })
}

/// The pieces of a text: literal texts, facts, and the effect's own variables.
fn template() -> Json {
    let own = object(&json!({ "own": { "type": "string" } }));
    json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, reference("reading"), own] } })
}
