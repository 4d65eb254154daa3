//! One JSON object: of one policy its simulation, of several a list of simulations.

use serde_json::json;

use super::{PolicyReplays, ReplayFormat, Replays};
use crate::report::simulation::simulation_json;

pub(super) static FORMAT: ReplayFormat = ReplayFormat { name: "json", summary: "One JSON object", render, line: None };

fn render(all: &Replays<'_>) -> String {
    let json = |policy: &PolicyReplays<'_>| {
        simulation_json(policy.plan, policy.file, (policy.replays, &all.listed(policy)), all.errors)
    };
    let json = match all.policies {
        [policy] => json(policy),
        several => json!({ "schema_version": 1, "policies": several.iter().map(json).collect::<Vec<_>>() }),
    };
    format!("{json:#}\n")
}
