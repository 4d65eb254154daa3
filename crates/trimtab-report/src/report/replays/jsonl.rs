//! One JSON object a transcript, written as soon as it is replayed.

use super::{PolicyReplays, ReplayFormat, ReplayStream};
use crate::report::Encoding;
use crate::report::replay_result::{ReplayError, ReplayResult, SummedAssertion};
use crate::report::simulation::transcript_json;

pub(super) static FORMAT: ReplayFormat = ReplayFormat {
    name: "jsonl",
    summary: "One JSON object per transcript, written as soon as it is replayed",
    encoding: Encoding::Json,
    render: None,
    stream: Some(|head| Box::new(Lines { names_policy: head.policies > 1 })),
};

struct Lines {
    names_policy: bool,
}

impl ReplayStream for Lines {
    fn begin(&mut self, _: &PolicyReplays<'_>) -> String {
        String::new()
    }

    fn replay(&mut self, policy: &PolicyReplays<'_>, replay: &ReplayResult) -> String {
        let mut json = transcript_json(replay);
        if self.names_policy {
            json["policy"] = policy.plan.policy.as_str().into();
        }
        format!("{json}\n")
    }

    fn end(&mut self, _: &[ReplayError], _: &[SummedAssertion]) -> String {
        String::new()
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}
