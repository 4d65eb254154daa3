//! One JSON object per line, for each finding.

use super::{FindingFormat, Findings};
use crate::report::Encoding;
use crate::report::result::FindingResult;

pub(super) static FORMAT: FindingFormat = FindingFormat {
    name: "jsonl",
    summary: "One JSON object per line, for each finding",
    encoding: Encoding::Json,
    render,
};

fn render(all: &Findings<'_>) -> String {
    FindingResult::all(all).map(|finding| serde_json::to_string(&finding).unwrap_or_default() + "\n").collect()
}
