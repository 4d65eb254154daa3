//! One JSON object a transcript, written as soon as it is replayed.

use serde::Serialize;

use super::{PolicyReplays, ReplayFormat, ReplayStream};
use crate::report::Encoding;
use crate::report::replay_result::{ReplayError, ReplayResult, SummedAssertion};
use crate::report::result::TranscriptResult;

pub(super) static FORMAT: ReplayFormat = ReplayFormat {
    name: "jsonl",
    summary: "One JSON object per transcript, written as soon as it is replayed",
    encoding: Encoding::Json,
    render: None,
    stream: Some(|head| Box::new(Lines { names_policy: head.policies > 1 })),
};

/// A transcript, with the policy if there are several.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    transcript: TranscriptResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a str>,
}

struct Lines {
    names_policy: bool,
}

impl ReplayStream for Lines {
    fn begin(&mut self, _: &PolicyReplays<'_>) -> String {
        String::new()
    }

    fn replay(&mut self, policy: &PolicyReplays<'_>, replay: &ReplayResult) -> String {
        let line =
            Line { transcript: replay.result(), policy: self.names_policy.then_some(policy.plan.policy.as_str()) };
        format!("{}\n", serde_json::to_string(&line).unwrap_or_default())
    }

    fn end(&mut self, _: &[ReplayError], _: &[SummedAssertion]) -> String {
        String::new()
    }

    fn finish(&mut self) -> String {
        String::new()
    }
}
