//! A JSON object a finding, each on its line.

use super::{FindingFormat, Findings, json};

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "jsonl", summary: "A JSON object a finding, each on its line", render };

fn render(all: &Findings<'_>) -> String {
    all.open().map(|one| format!("{}\n", json::diagnostic(all, one))).collect()
}
