//! The schema of a verdict, which the results of `simulate` and `ci` contain.

use serde_json::{Map, Value as Json, json};

use super::outcome::{OUTCOMES, Outcome};
use crate::report::schema::{object, open_object};

/// What a policy does, the most important first.
pub(in super::super) fn schema() -> Json {
    let count = || json!({ "type": "integer", "minimum": 0 });
    let maybe_count = || json!({ "type": ["integer", "null"], "minimum": 0 });
    let cost = || json!({ "type": ["number", "null"], "description": "US dollars; null if no price is known" });
    let counts = |names: &[&str], description: &str| {
        let properties: Map<String, Json> = names.iter().map(|name| ((*name).to_owned(), count())).collect();
        let mut json = object(&properties.into());
        json["description"] = description.into();
        json
    };
    let mut over_window = object(&json!({ "recorded": maybe_count(), "policy": maybe_count() }));
    over_window["description"] =
        json!("Calls whose context exceeds the window minus the reserve; null if no window is known");
    let range = |of: &dyn Fn() -> Json| object(&json!({ "recorded": of(), "policy": of(), "low": of(), "high": of() }));
    let mut tokens = range(&count);
    tokens["description"] = json!(
        "Of the calls that are made in both, without what a stop kept from happening; with the policy, expected between `low` and `high` in 80% of cases"
    );
    let mut caveats = counts(
        &["window_unknown", "tools_assumed", "history_missing", "measured"],
        "The sessions whose figures rest on an assumption, and those whose sizes could be compared with usage",
    );
    caveats["properties"]["content_error"] = json!({ "type": ["number", "null"], "description": "The sum of the errors of estimated contents, over the measured sessions" });
    if let Some(required) = caveats["required"].as_array_mut() {
        required.push("content_error".into());
    }
    let session = |description: &str| {
        let mut json = object(&json!({ "id": { "type": "string" }, "cost": cost() }));
        json["type"] = json!(["object", "null"]);
        json["description"] = description.into();
        json
    };
    let mut stopped = object(&json!({ "sessions": count(), "calls": count(), "cost": cost() }));
    stopped["description"] =
        json!("The sessions that a rule stops, their calls that are not made, and what these cost as recorded");
    open_object(&json!({
        "outcome": { "enum": OUTCOMES.map(Outcome::name) },
        "calls": count(),
        "over_window": over_window,
        "stopped": stopped,
        "tokens": tokens,
        "cost": range(&cost),
        "priced": counts(
            &["sessions", "all_sessions", "calls", "all_calls", "tokens", "all_tokens"],
            "What has a known price: all costs are those of these calls",
        ),
        "changes": counts(
            &["sessions", "cheaper", "dearer", "unpriced", "stopped"],
            "The sessions in which a rule fires; cheaper and dearer ones differ by more than $0.01 and 0.5%, and stopped ones cost about the same until they are stopped",
        ),
        "reasoning_lost": count(),
        "wanted_again": count(),
        "repeated": count(),
        "caveats": caveats,
        "hurts_most": session("The session whose cost grows most, and by how much; null if none becomes dearer"),
        "saves_most": session("The session whose cost falls most, and by how much; null if none becomes cheaper"),
    }))
}
