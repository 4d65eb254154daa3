//! The schema of a line of `trimtab simulate --events`.

use serde_json::{Value as Json, json};

use super::{DIALECT, Schema, object};

pub(super) static SCHEMA: Schema =
    Schema { name: "events", summary: "A line of `simulate --events`: an event of a run", json: schema };

fn schema() -> Json {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let text = || json!({ "type": "string" });
    let truth = || json!({ "type": "boolean" });
    let texts = || json!({ "type": "array", "items": text() });
    let maybe = |ty: &str| json!({ "type": [ty, "null"] });
    let events = [
        event("iteration_start", "An iteration begins", json!({ "goal": text(), "max_iterations": maybe("integer") })),
        event(
            "iteration_end",
            "An iteration has ended",
            json!({
                "status": { "enum": ["running", "success", "failure"] },
                "tool_call_counts": { "type": "object", "additionalProperties": count() },
                "task_completed": truth(),
                "output": text(),
            }),
        ),
        event(
            "reflection",
            "The host has reviewed an iteration",
            json!({ "monologue": text(), "should_proceed": truth() }),
        ),
        event(
            "context_budget",
            "A request is about to be sent",
            json!({
                "persona_tokens": count(),
                "tool_schema_tokens": count(),
                "history_tokens": count(),
                "total_tokens": count(),
                "window": maybe("integer"),
                "utilisation": maybe("number"),
                "over_budget": truth(),
            }),
        ),
        event(
            "overflow",
            "A request exceeds the window minus the reserve, or was rejected as too long",
            json!({ "tokens": count(), "window": maybe("integer"), "rejected": truth() }),
        ),
        event(
            "compaction_miss",
            "A call is made again after its result was reduced; sizes in characters",
            json!({ "tool": text(), "original_size": count(), "compressed_size": count() }),
        ),
        event(
            "tool_validation",
            "The host has validated a call",
            json!({ "tool": text(), "allowed": truth(), "reason": text() }),
        ),
        event(
            "dry_run",
            "The host has tried a plan without side effects",
            json!({ "planned_steps": count(), "tools_used": texts(), "estimated_cost": text() }),
        ),
        event(
            "plan_execution",
            "The host executes a plan",
            json!({ "flow": text(), "step_count": count(), "step_names": texts() }),
        ),
        event(
            "emit",
            "A rule of the policy has emitted an event",
            json!({ "rule": text(), "name": text(), "fields": { "type": "object" } }),
        ),
    ];
    json!({ "$schema": DIALECT, "title": "An event of a simulated run", "oneOf": events })
}

/// An event with these fields, besides those that all events have.
fn event(name: &str, description: &str, fields: Json) -> Json {
    let mut properties = json!({
        "transcript": { "type": "string" },
        "call": { "type": ["integer", "null"], "minimum": 0 },
        "run": { "type": "integer", "minimum": 0 },
        "iteration": { "type": "integer", "minimum": 0 },
        "event": { "const": name },
    });
    if let (Json::Object(all), Json::Object(own)) = (&mut properties, fields) {
        all.extend(own);
    }
    let mut json = object(&properties);
    json["description"] = description.into();
    json
}
