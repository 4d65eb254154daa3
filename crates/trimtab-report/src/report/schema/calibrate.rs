//! The schema of `trimtab calibrate --format json`.

use serde_json::{Value as Json, json};
use trimtab_simulate::simulate::{IMITATED_EVENTS, MEASURES};

use super::transcript_stat::errors;
use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "calibrate", summary: "The result of `calibrate` with --format json", json: schema };

fn schema() -> Json {
    let mut json = object(&json!({
        "schema_version": { "const": 1 },
        "groups": { "type": "array", "items": group() },
        "total": object(&counts()),
        "intervals": {
            "type": "array", "items": object(&json!({
                "name": { "type": "string" },
                "of": { "type": "string", "description": "What the shares are of" },
                "below": { "type": "number", "description": "How much less than predicted it may be" },
                "above": { "type": "number", "description": "How much more it may be" },
                "source": { "type": "string" },
            })),
            "description": "The errors that the intervals of verdicts allow for",
        },
        "errors": errors(),
    }));
    json["$schema"] = json!(DIALECT);
    json["title"] = json!("The accuracy of simulations by Trimtab, by model and format");
    json
}

fn group() -> Json {
    let mut json = counts();
    json["model"] = json!({ "type": ["string", "null"] });
    json["format"] = json!({ "type": "string" });
    object(&json)
}

fn counts() -> Json {
    let measures = MEASURES.iter().map(|measure| (measure.word().to_owned(), errors_of(measure.summary())));
    let by_event = IMITATED_EVENTS.iter().map(|event| {
        let events = object(
            &json!({ "tokens": { "type": "integer", "minimum": 0 }, "cost": { "type": "integer", "minimum": 0 } }),
        );
        let mut json = object(&json!({
            "events": events,
            "tokens": { "type": "integer", "minimum": 0 },
            "cost": { "type": "integer", "minimum": 0 },
        }));
        json["description"] =
            json!("Imitated events of this kind whose figures are predicted, and those within the 80% interval");
        (event.word().to_owned(), json)
    });
    json!({
        "conversations": { "type": "integer", "minimum": 0, "description": "Transcripts with usage" },
        "calls": { "type": "integer", "minimum": 0, "description": "Calls with usage" },
        "cached_calls": { "type": "integer", "minimum": 0, "description": "Calls of transcripts in which something was cached, but for the first of each" },
        "cache_misses": { "type": "integer", "minimum": 0, "description": "Calls that read less than half of what the rules of the cache give" },
        "held": object(&json!({
            "tokens": { "type": "integer", "minimum": 0, "description": "Imitated events whose tokens are within the 80% interval" },
            "cost": { "type": "integer", "minimum": 0, "description": "Imitated events whose cost is within the 80% interval" },
        })),
        "held_by_event": object(&Json::Object(by_event.collect())),
        "measures": object(&Json::Object(measures.collect())),
    })
}

/// The errors of a measure, as fractions of the recorded values.
fn errors_of(measure: &str) -> Json {
    let share = |description: &str| json!({ "type": ["number", "null"], "description": description });
    let mut json = object(&json!({
        "count": { "type": "integer", "minimum": 0 },
        "median": share("The size of the error that half of the predictions do not exceed"),
        "p90": share("The size of the error that nine of ten predictions do not exceed"),
        "total": share("The error of the sum of all predictions, positive if they are too large"),
    }));
    json["description"] = json!(measure);
    json
}
