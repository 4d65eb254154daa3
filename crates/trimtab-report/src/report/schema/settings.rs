//! The schema of `trimtab.toml`, for editors and generators.

use serde_json::{Map, Value as Json, json};
use trimtab_base::quantity::Unit;
use trimtab_lint::lint::LINTS;
use trimtab_model::model::{CACHING_RULES, TOKENIZERS};

use super::{DIALECT, Schema};

pub(super) static SCHEMA: Schema = Schema { name: "settings", summary: "The settings in trimtab.toml", json: schema };

/// A table of exactly these keys, some of them required.
fn table(properties: &Json, required: &[&str]) -> Json {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn schema() -> Json {
    let names = json!({ "type": "array", "items": { "type": "string" } });
    let text = json!({ "type": "string" });
    let mut json = table(
        &json!({
            "profile": { "type": "string", "description": "The default profile, which fills gaps of the `agent` block" },
            "profiles": { "type": "object", "additionalProperties": { "$ref": "#/$defs/profile" } },
            "models": { "type": "object", "additionalProperties": model() },
            "lint": lint(true),
            "ci": table(&json!({
                "paths": names,
                "fail_level": { "$ref": "#/$defs/severity" },
                "coverage": { "type": "string", "pattern": "%$", "description": "A share, such as 90%" },
            }), &[]),
            "simulate": { "type": "array", "items": table(&json!({
                "policy": text, "name": text, "transcripts": names, "profile": text, "expect": names,
            }), &["policy", "transcripts"]) },
            "recordings": { "type": "array", "items": table(&json!({
                "transcripts": names,
                "max_avoidable_cost": {
                    "type": "string", "pattern": "^\\$",
                    "description": "The most that avoidable cache breaks may cost in US dollars, such as $0.50",
                },
            }), &["transcripts", "max_avoidable_cost"]) },
        }),
        &[],
    );
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Settings of a project that uses Trimtab");
    let words: Vec<String> = LINTS.iter().map(|lint| lint.name().to_owned()).collect();
    json["$defs"] = json!({
        "profile": profile(),
        "severity": { "enum": ["error", "warning", "info"] },
        "lint": { "type": "string", "examples": words, "description": "A lint, a category, or `all`" },
    });
    json
}

fn profile() -> Json {
    let tokens = json!({ "type": "string", "pattern": "tokens$", "description": "Such as 200k tokens" });
    table(
        &json!({
            "model": { "type": "string" },
            "window": tokens,
            "reserve": tokens,
            "overhead": tokens,
            "tools": { "type": "array", "items": { "type": "string" } },
        }),
        &[],
    )
}

/// A model of the project.
fn model() -> Json {
    let tokens = json!({ "type": "string", "pattern": "tokens$", "description": "Such as 200k tokens" });
    let price =
        json!({ "type": "string", "pattern": "^\\$", "description": "US dollars per million tokens, such as $2.50" });
    let share = json!({ "type": "string", "pattern": "%$", "description": "A share, such as 150%" });
    let families: Vec<&str> = CACHING_RULES.iter().map(|rule| rule.family).chain(["other"]).collect();
    table(
        &json!({
            "like": { "type": "string", "description": "A model of the table" },
            "family": { "enum": families },
            "window": tokens,
            "long_window": tokens,
            "max_output": tokens,
            "input": price,
            "cache_write": price,
            "cache_write_1h": price,
            "cache_read": price,
            "output": price,
            "surcharge": table(&json!({ "above": tokens, "input": share, "output": share }), &["above"]),
            "cache_minimum": tokens,
            "cache_lifetime": { "type": "string", "description": "A duration, such as 5m" },
            "binds_reasoning": { "type": "boolean" },
            "tokenizer": { "enum": TOKENIZERS },
        }),
        &[],
    )
}

/// `[lint]`, or one of `[[lint.files]]`.
fn lint(schema: bool) -> Json {
    let lints = json!({ "type": "array", "items": { "$ref": "#/$defs/lint" } });
    let mut properties = json!({
        "select": lints,
        "extend": lints,
        "ignore": lints,
        "certainty": { "enum": ["proved", "structural", "heuristic"] },
        "severity": { "type": "object", "additionalProperties": { "$ref": "#/$defs/severity" } },
        "settings": settings(),
    });
    if schema {
        properties["files"] = json!({ "type": "array", "items": lint(false) });
        return table(&properties, &[]);
    }
    properties["paths"] = json!({ "type": "array", "items": { "type": "string" } });
    table(&properties, &["paths"])
}

/// The options of each lint that has options.
fn settings() -> Json {
    let option = |unit: Unit| match unit {
        unit if unit.is_counted() => json!({ "type": ["integer", "string"] }),
        _ => json!({ "type": "string" }),
    };
    let of = |lint: &trimtab_lint::lint::Lint| {
        let properties: Map<String, Json> =
            lint.options.iter().map(|lint_option| (lint_option.name.to_owned(), option(lint_option.unit))).collect();
        table(&Json::Object(properties), &[])
    };
    let with: Map<String, Json> =
        LINTS.iter().filter(|lint| !lint.options.is_empty()).map(|lint| (lint.name().to_owned(), of(lint))).collect();
    table(&Json::Object(with), &[])
}
