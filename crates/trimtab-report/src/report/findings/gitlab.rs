//! The Code Quality report of GitLab.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use trimtab_base::diagnostic::Severity;

use super::{Finding, FindingFormat, Findings};
use crate::report::Encoding;
use crate::report::fingerprint::{digest, fingerprints};

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "gitlab", summary: "A Code Quality report for GitLab", encoding: Encoding::Json, render };

fn render(all: &Findings<'_>) -> String {
    let prints = fingerprints(all.sources, all.findings);
    let mut seen = BTreeMap::<String, usize>::new();
    let with = all.findings.iter().zip(&prints).filter(|(finding, _)| finding.suppressed.is_none());
    let issues: Vec<Json> = with.map(|(finding, print)| issue(all, finding, print, &mut seen)).collect();
    format!("{:#}\n", Json::Array(issues))
}

fn issue(all: &Findings<'_>, finding: &Finding, print: &str, seen: &mut BTreeMap<String, usize>) -> Json {
    let finding = &finding.diagnostic;
    let path = all.path(finding.primary.span.source);
    let lines = all.place(finding.primary.span).map_or((1, 1), |at| (at.from.line, at.to.line));
    // Unique over all files, even if two have the same name.
    let print = digest(&[&path, print]);
    let which = seen.entry(print.clone()).or_default();
    *which += 1;
    let print = if *which == 1 { print } else { digest(&[&print, &which.to_string()]) };
    json!({
        "description": finding.message,
        "check_name": finding.code.id,
        "fingerprint": print,
        "severity": severity(finding.severity),
        "location": { "path": path, "lines": { "begin": lines.0, "end": lines.1 } },
    })
}

/// The words that GitLab has for what breaks, what is doubtful and what is worth knowing.
const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Info => "info",
    }
}
