//! The schema of `trimtab transcript validate --format json`.

use serde_json::{Value as Json, json};
use trimtab_analysis::recording::ProblemKind;

use super::transcript_stat::errors;
use super::{DIALECT, Schema, object, open_object};

pub(super) static SCHEMA: Schema = Schema {
    name: "transcript-validate",
    summary: "The result of `transcript validate` with --format json",
    json: schema,
};

fn schema() -> Json {
    let count = json!({ "type": "integer", "minimum": 0 });
    let problem = open_object(&json!({
        "transcript": { "type": "string" },
        "problem": { "enum": ProblemKind::ALL.map(ProblemKind::word) },
        "message": { "type": "string" },
        "times": { "type": "integer", "minimum": 1 },
        "messages": { "type": "array", "items": count, "description": "The indices of the messages, from 0" },
    }));
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "problems": { "type": "array", "items": problem, "description": "One for each kind and transcript" },
        "summary": object(&json!({ "transcripts": count, "problems": count })),
        "errors": errors(),
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("Problems of recordings by Trimtab");
    json
}
