//! The schema of `trimtab sweep --format json`.

use serde_json::{Map, Value as Json, json};
use trimtab_analysis::sweep::{AXES, Half};

use super::{DIALECT, Schema, object, open_object};

pub(super) static SCHEMA: Schema =
    Schema { name: "sweep", summary: "The result of `sweep` with --format json", json: schema };

fn schema() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let axes = json!({ "type": "array", "items": { "enum": AXES.iter().map(|axis| axis.name).collect::<Vec<_>>() } });
    let index = json!({ "type": ["integer", "null"], "minimum": 0, "description": "An index of combinations" });
    let lead = open_object(&json!({
        "other": { "type": "integer", "minimum": 0, "description": "The index of the other combination" },
        "half": { "enum": Half::ALL.map(Half::name) },
        "mean": { "type": "number", "description": "The mean difference on the first axis; below 0 if the winner is better" },
        "low": { "type": "number", "description": "The lower end of the 95% interval" },
        "high": { "type": "number" },
        "error": { "type": "number", "description": "How much larger the mean may be because of errors of replays, in 80% of cases" },
    }));
    let mut json = open_object(&json!({
        "schema_version": { "const": 1 },
        "version": { "type": "string", "description": "The version of trimtab" },
        "policy": object(&json!({ "file": text, "name": text })),
        "parameters": { "type": "array", "items": open_object(&json!({ "name": text, "written": text, "values": texts })) },
        "possible_combinations": count,
        "tried_combinations": count,
        "axes": { "description": "The axes of the front; the first one decides the winner", "$ref": "#/$defs/axes" },
        "unknown_axes": {
            "description": "Wanted axes that are unknown in transcripts with more than half of the tokens", "$ref": "#/$defs/axes",
        },
        "partial_axes": {
            "description": "The axes that are known in fewer than all transcripts, and in how many; they are compared in these",
            "type": "array", "items": open_object(&json!({ "axis": text, "transcripts": count })),
        },
        "constraints": texts,
        "above": share,
        "held_out": share,
        "seed": count,
        "transcripts": object(&json!({ "tuning": count, "held_out": count })),
        "combinations": { "type": "array", "minItems": 1, "items": combination(), "description": "The first one is the file as written" },
        "front": { "type": "array", "items": count, "description": "Indices of combinations, the best first" },
        "winner": index,
        "runner_up": index,
        "leads": { "type": "array", "items": lead },
        "verdict": { "enum": [
            "none-feasible", "as-written", "too-few-transcripts", "breaks-constraint", "does-not-hold", "within-noise",
            "within-error", "meets-constraints", "holds",
        ] },
        "errors": { "type": "array", "items": object(&json!({
            "file": text, "message": text, "line": { "type": ["integer", "null"], "minimum": 1 },
        })) },
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("A sweep over the parameters of a policy by Trimtab; keys may be added");
    json["$defs"] = json!({ "axes": axes });
    json
}

fn combination() -> Json {
    let means: Map<String, Json> =
        AXES.iter().map(|axis| (axis.name.to_owned(), json!({ "type": ["number", "null"] }))).collect();
    let figures = open_object(&json!({
        "means": open_object(&Json::Object(means)),
        "broken": { "type": "array", "items": { "type": "integer", "minimum": 0 },
                    "description": "On how many transcripts each constraint does not hold" },
    }));
    open_object(&json!({
        "settings": { "type": "object", "additionalProperties": { "type": "string" } },
        "as_written": { "type": "boolean" },
        "hash": { "type": "string", "description": "The hash of the plan; equal plans have equal figures" },
        "tuning": figures,
        "held_out": figures,
    }))
}
