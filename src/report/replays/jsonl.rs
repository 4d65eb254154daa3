//! One JSON object a transcript, written as soon as it is replayed.

use super::{PolicyReplays, ReplayFormat};
use crate::report::replay_result::ReplayResult;
use crate::report::simulation::transcript_json;

pub(super) static FORMAT: ReplayFormat = ReplayFormat {
    name: "jsonl",
    summary: "One JSON object per transcript, written as soon as it is replayed",
    render: |_| String::new(),
    line: Some(line),
};

fn line(policy: &PolicyReplays<'_>, replay: &ReplayResult, several: bool) -> String {
    let mut json = transcript_json(replay);
    if several {
        json["policy"] = policy.plan.policy.as_str().into();
    }
    format!("{json}\n")
}
