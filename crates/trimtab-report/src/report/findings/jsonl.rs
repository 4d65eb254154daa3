//! One JSON object per line, for each finding.

use super::{FindingFormat, Findings, json};
use crate::report::Encoding;

pub(super) static FORMAT: FindingFormat = FindingFormat {
    name: "jsonl",
    summary: "One JSON object per line, for each finding",
    encoding: Encoding::Json,
    render,
};

fn render(all: &Findings<'_>) -> String {
    all.unsuppressed().map(|finding| format!("{}\n", json::diagnostic(all, finding))).collect()
}
