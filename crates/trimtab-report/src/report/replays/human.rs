//! For a terminal: of one policy the whole report, of several a column each.

use super::{ReplayFormat, Replays, comparison};
use crate::report::Encoding;
use crate::report::simulation::simulation;

pub(super) static FORMAT: ReplayFormat = ReplayFormat {
    name: "human",
    summary: "A verdict, tables and a sparkline",
    encoding: Encoding::Text,
    render: Some(render),
    stream: None,
};

fn render(all: &Replays<'_>) -> String {
    match all.policies {
        [policy] if policy.replays.is_empty() => String::new(),
        [policy] => simulation(policy.plan, policy.replays, all.errors.len(), all.top, all.is_verbose, all.style),
        _ => comparison::human(all),
    }
}
