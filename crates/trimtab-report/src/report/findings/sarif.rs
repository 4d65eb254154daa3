//! SARIF 2.1.0: one run that declares every rule, with fixes, fingerprints and suppressed findings.

use serde_json::{Value as Json, json};
use trimtab_base::diagnostic::{Code, Fix, Label, Severity, TextEdit};
use trimtab_base::source::{SourceId, Span};

use super::{Finding, FindingFormat, Findings, notes_and_help};
use crate::report::Encoding;
use crate::report::fingerprint::fingerprints;
use crate::report::uri;

pub(super) static FORMAT: FindingFormat =
    FindingFormat { name: "sarif", summary: "SARIF 2.1.0, for code scanning", encoding: Encoding::Json, render };

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

fn render(all: &Findings<'_>) -> String {
    let rules = rules(all);
    let prints = fingerprints(all.sources, all.findings);
    // SARIF requires suppressions on every result of a run or on none.
    let has_suppressions = all.findings.iter().any(|finding| finding.suppressed.is_some());
    let results = all.findings.iter().zip(&prints).map(|(finding, print)| {
        let mut json = result(all, &rules, finding, print);
        if has_suppressions {
            json["suppressions"] = finding.suppressed.iter().map(|why| suppression(why)).collect();
        }
        json
    });
    let artifacts = all.sources.iter().map(|source| json!({ "location": { "uri": all.uri(source.id()) } }));
    let run = json!({
        "tool": { "driver": {
            "name": "Trimtab",
            "version": all.version,
            "semanticVersion": all.version,
            "rules": rules.iter().map(|code| descriptor(code)).collect::<Vec<_>>(),
        } },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation(all)],
        "artifacts": artifacts.collect::<Vec<_>>(),
        "results": results.collect::<Vec<_>>(),
    });
    format!("{:#}\n", json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
}

/// The known rules, and those of findings with other codes.
fn rules(all: &Findings<'_>) -> Vec<&'static Code> {
    let mut rules = all.codes.to_vec();
    for Finding { diagnostic: finding, .. } in all.findings {
        if !rules.iter().any(|rule| rule.id == finding.code.id) {
            rules.push(finding.code);
        }
    }
    rules
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn descriptor(code: &Code) -> Json {
    let Code { id, severity, title, why, wrong, right } = code;
    let (wrong, right) = (wrong.trim_end(), right.trim_end());
    json!({
        "id": id,
        "shortDescription": { "text": title },
        "fullDescription": { "text": why },
        "help": {
            "text": format!("{why}\n\nWrong:\n{wrong}\n\nRight:\n{right}\n\nMore: trimtab explain {id}"),
            "markdown": format!(
                "{why}\n\n**Wrong**\n\n```\n{wrong}\n```\n\n**Right**\n\n```\n{right}\n```\n\nMore: `trimtab explain {id}`"
            ),
        },
        "defaultConfiguration": { "level": level(*severity) },
    })
}

/// How the run went: a file that could not be read is reported and makes the run unsuccessful.
fn invocation(all: &Findings<'_>) -> Json {
    let mut json = json!({ "executionSuccessful": all.unread.is_empty() });
    if !all.unread.is_empty() {
        let notifications = all.unread.iter().map(|file| {
            let uri = uri::reference(&file.file, all.root, cfg!(windows));
            json!({
                "level": "error",
                "message": { "text": format!("cannot be read: {}", file.message) },
                "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri } } }],
            })
        });
        json["toolExecutionNotifications"] = notifications.collect();
    }
    json
}

fn result(all: &Findings<'_>, rules: &[&'static Code], finding: &Finding, print: &str) -> Json {
    let diagnostic = &finding.diagnostic;
    let text = [vec![diagnostic.message.clone()], notes_and_help(diagnostic)].concat().join("\n");
    let mut json = json!({
        "ruleId": diagnostic.code.id,
        "ruleIndex": rules.iter().position(|rule| rule.id == diagnostic.code.id),
        "level": level(diagnostic.severity),
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical(all, diagnostic.primary.span) }],
        "partialFingerprints": { "primaryLocationLineHash": print },
    });
    let labels =
        std::iter::once(&diagnostic.primary).chain(&diagnostic.labels).filter(|label| !label.message.is_empty());
    let related: Vec<Json> = labels.enumerate().map(|(at, label)| related(all, at, label)).collect();
    if !related.is_empty() {
        json["relatedLocations"] = related.into();
    }
    if !diagnostic.fixes.is_empty() {
        json["fixes"] = diagnostic.fixes.iter().map(|change| fix(all, change)).collect();
    }
    json
}

fn suppression(why: &str) -> Json {
    json!({ "kind": "inSource", "status": "accepted", "justification": why })
}

fn related(all: &Findings<'_>, id: usize, label: &Label) -> Json {
    json!({ "id": id, "message": { "text": label.message }, "physicalLocation": physical(all, label.span) })
}

fn physical(all: &Findings<'_>, span: Span) -> Json {
    json!({ "artifactLocation": { "uri": all.uri(span.source) }, "region": region(all, span) })
}

fn region(all: &Findings<'_>, span: Span) -> Json {
    let Some(at) = all.place(span) else { return json!({ "startLine": 1 }) };
    json!({
        "startLine": at.from.line,
        "startColumn": at.from.column,
        "endLine": at.to.line,
        "endColumn": at.to.column,
    })
}

fn fix(all: &Findings<'_>, fix: &Fix) -> Json {
    let mut files: Vec<SourceId> = fix.edits.iter().map(|edit| edit.span.source).collect();
    files.sort_unstable();
    files.dedup();
    let change = |id: SourceId| {
        let edits = fix.edits.iter().filter(|edit| edit.span.source == id);
        json!({
            "artifactLocation": { "uri": all.uri(id) },
            "replacements": edits.map(|edit| replacement(all, edit)).collect::<Vec<_>>(),
        })
    };
    json!({
        "description": { "text": fix.title },
        "artifactChanges": files.into_iter().map(change).collect::<Vec<_>>(),
    })
}

fn replacement(all: &Findings<'_>, edit: &TextEdit) -> Json {
    json!({ "deletedRegion": region(all, edit.span), "insertedContent": { "text": edit.text } })
}
