//! The schema of `trimtab transcript stat --format json`.

use serde_json::{Value as Json, json};
use trimtab_analysis::recording::COST_GROUPINGS;
use trimtab_recordings::transcript::HARNESS_CALL_KINDS;
use trimtab_simulate::simulate::CACHE_CAUSES;

use super::{DIALECT, Schema, object, open_object};

pub(super) static SCHEMA: Schema =
    Schema { name: "transcript-stat", summary: "The result of `transcript stat` with --format json", json: schema };

fn schema() -> Json {
    let version = json!({ "const": 1 });
    let groupings: Vec<&str> = COST_GROUPINGS.iter().map(|grouping| grouping.name()).collect();
    let list = |item: &Json| json!({ "type": "array", "items": item });
    let mut json = json!({ "anyOf": [
        object(&json!({ "schema_version": version, "files": list(&file()), "harness_calls": harness_calls(), "cache": cache(), "tools": definitions(), "errors": errors() })),
        object(&json!({ "schema_version": version, "formats": list(&format()), "errors": errors() })),
        object(&json!({ "schema_version": version, "breaks": list(&cache_break()), "errors": errors() })),
        object(&json!({
            "schema_version": version, "by": { "enum": groupings }, "groups": list(&named_group()), "total": group(),
            "without_usage": count("Transcripts with replies of which none has usage, which belong to no group"), "errors": errors(),
        })),
    ] });
    json["$schema"] = json!(DIALECT);
    json["title"] = json!(
        "Statistics of recordings by Trimtab: of each file, of each format with --by-format, breaks of the prompt cache with --breaks, or costs with --by"
    );
    json
}

fn count(description: &str) -> Json {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn with_counts(mut own: Json) -> Json {
    own["conversations"] = count("Transcripts");
    own["messages"] = count("Messages of all roles");
    own["calls"] = count("Tool calls");
    own["results"] = count("Tool results");
    own["errors"] = count("Tool results that the recording marks as errors");
    own["inferred_errors"] = count("Tool results that are errors by their text only");
    own["usage"] = count("Replies with recorded usage");
    own["skipped"] = json!({
        "type": "object", "additionalProperties": { "type": "integer", "minimum": 1 },
        "description": "Skipped records, by kind",
    });
    open_object(&own)
}

fn file() -> Json {
    with_counts(json!({
        "file": { "type": "string" },
        "format": { "type": "string" },
        "sniffed": { "type": "array", "items": { "type": "string" }, "description": "The formats that recognised the file" },
        "tokens": { "type": ["integer", "null"], "minimum": 0, "description": "Tokens of all replies with recorded usage" },
        "peak_tokens": { "type": ["integer", "null"], "minimum": 0, "description": "The largest recorded context" },
        "priced": count("Replies with recorded usage and a known price"),
        "cost": { "type": ["number", "null"], "description": "US dollars of these at list prices; null if no price is known" },
        "harness_calls": harness_calls(),
        "cache": cache(),
        "tools": definitions(),
        "model": { "type": ["string", "null"] },
        "window": { "type": ["integer", "null"], "minimum": 0, "description": "The recorded context window in tokens" },
    }))
}

/// The calls whose replies are no messages, by kind.
fn harness_calls() -> Json {
    let sum = object(&json!({
        "calls": count("Calls with usage"),
        "priced": count("Those of them with a known price"),
        "tokens": count("Tokens of input and output"),
        "cost": { "type": ["number", "null"], "description": "US dollars of these at list prices; null if no price is known" },
    }));
    let kinds: Vec<&str> = HARNESS_CALL_KINDS.iter().map(|kind| kind.name()).collect();
    json!({
        "type": "object", "propertyNames": { "enum": kinds }, "additionalProperties": sum,
        "description": "Calls whose replies are no messages, by kind: of the harness, and of branches that the conversation has left",
    })
}

/// What was read from the prompt cache, and its breaks.
fn cache() -> Json {
    let map = |of: &Json| json!({ "type": "object", "additionalProperties": of });
    let families = object(&json!({
        "calls": count("Calls that should have read all that the call before had left in the cache"),
        "missed_calls": count("Calls among them that read clearly less"),
        "tokens": count("Tokens that should have been read"),
        "missed_tokens": count("Tokens among them that were not read by these calls"),
    }));
    let sums = object(&json!({
        "calls": count("Calls before which something had been left in the cache"),
        "left_tokens": count("Tokens of them that the cache held"),
        "read_tokens": count("Tokens of these that were read"),
        "causes": map(&break_sum()),
        "avoidable": break_sum(),
        "families": map(&families),
    }));
    json!({
        "anyOf": [sums, { "type": "null" }],
        "description": "Breaks of the prompt cache by cause, and unexplained misses by model family; null if nothing was cached",
    })
}

fn break_sum() -> Json {
    object(&json!({
        "breaks": count("Calls that read clearly less than the call before had left in the cache"),
        "priced": count("Those with a known price"),
        "tokens": count("Tokens that were billed again"),
        "cost": { "type": ["number", "null"], "description": "What those with a known price cost, in US dollars" },
    }))
}

fn cache_break() -> Json {
    let causes: Vec<&str> = CACHE_CAUSES.iter().map(|cause| cause.name()).collect();
    object(&json!({
        "transcript": { "type": "string" },
        "call": count("The call, from 0"),
        "cause": { "enum": causes },
        "avoidable": { "type": "boolean" },
        "idle_seconds": { "type": ["integer", "null"], "minimum": 0, "description": "Seconds since the call before" },
        "tokens": count("Tokens that were billed again"),
        "cost": { "type": ["number", "null"], "description": "What that costs more than reading them, in US dollars" },
    }))
}

/// The definitions of tools, and those of tools that were never called.
fn definitions() -> Json {
    let unused = object(&json!({
        "name": { "type": "string" },
        "transcripts": count("Transcripts that define it and do not call it"),
        "tokens": count("Tokens of its definition, by the estimate for the model"),
        "sent_tokens": count("These tokens in all calls with usage"),
    }));
    let all = object(&json!({
        "transcripts": count("Transcripts that hold definitions"),
        "calls": count("Their calls with usage"),
        "sent_tokens": count("Tokens of the contexts of these calls"),
        "definition_tokens": count("Tokens of definitions among them"),
        "unused_tokens": count("Tokens among these of tools that the transcript does not call"),
        "unused_share": { "type": ["number", "null"], "description": "Their share of what was sent" },
        "unused": { "type": "array", "items": unused },
    }));
    json!({ "anyOf": [all, { "type": "null" }], "description": "Definitions of tools; null if none are recorded" })
}

/// The costs of a group.
fn group_fields() -> Json {
    let money = |description: &str| json!({ "type": ["number", "null"], "description": description });
    json!({
        "transcripts": count("Transcripts with calls in the group"),
        "tasks": count("Tasks with calls in the group"),
        "calls": count("Calls with usage"),
        "tokens": count("Tokens of input and output"),
        "priced": count("Those of them with a known price"),
        "cost": money("US dollars of these at list prices; null if no price is known"),
        "units": count("Transcripts, or tasks with --by task"),
        "priced_units": count("Those of them whose calls all have a known price"),
        "median": money("The cost that half of these do not exceed"),
        "p90": money("The cost that nine of ten of these do not exceed"),
    })
}

fn group() -> Json {
    object(&group_fields())
}

fn named_group() -> Json {
    let mut fields = group_fields();
    fields["group"] = json!({ "type": "string" });
    object(&fields)
}

fn format() -> Json {
    with_counts(json!({ "format": { "type": "string" }, "files": count("Files") }))
}

/// The recordings that could not be read.
pub(super) fn errors() -> Json {
    let error = object(&json!({
        "file": { "type": "string" },
        "message": { "type": "string" },
        "line": { "type": ["integer", "null"], "minimum": 1 },
    }));
    json!({ "type": "array", "items": error })
}
