//! Output formats of findings: suppressed findings, and arbitrary texts.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value as Json;
use trimtab::diagnostic::{Code, Diagnostic, Severity};
use trimtab::report::{self, CI_FORMATS, FINDING_FORMATS, Finding, Findings, SCHEMAS, TerminalStyle};
use trimtab::source::{SourceId, SourceMap, Span};

use crate::golden::snapshot;

static OPEN: Code = Code {
    id: "never-true",
    severity: Severity::Warning,
    title: "never true",
    why: "It is so.",
    wrong: "a",
    right: "b",
};
static ACCEPTED: Code = Code {
    id: "magic-number",
    severity: Severity::Warning,
    title: "magic number",
    why: "It is so.",
    wrong: "a",
    right: "b",
};

fn put_out(form: &str, sources: &SourceMap, findings: &[Finding], width: usize) -> String {
    let none = BTreeMap::new();
    let all = Findings {
        sources,
        findings,
        failing: &[Severity::Error, Severity::Warning],
        files: 1,
        unread: &[],
        codes: &[],
        version: "0.0.0",
        root: "",
        bytes: &none,
        style: TerminalStyle { width, color: false, unicode: true },
        quiet: false,
    };
    report::finding_format(form).unwrap().render(&all).into_string()
}

/// Two findings on one line, the second one suppressed.
fn two() -> (SourceMap, Vec<Finding>) {
    let mut sources = SourceMap::default();
    let id = sources.add("a.trim", "when ratio > 80\n");
    let open = Diagnostic::new(&OPEN, Span::new(id, 5, 15), "this is never true", "never");
    let accepted = Diagnostic::new(&ACCEPTED, Span::new(id, 13, 15), "`80` has no name", "a number");
    let accepted = Finding { diagnostic: accepted, suppressed: Some("measured in May".to_owned()) };
    (sources, vec![open.into(), accepted])
}

#[test]
fn a_suppressed_finding_is_only_in_sarif_and_json() {
    let (sources, findings) = two();
    for form in FINDING_FORMATS {
        let out = put_out(form.name, &sources, &findings, 100);
        assert!(out.contains("never-true") && out.contains("never true"), "{}: {out}", form.name);
        let shown = matches!(form.name, "sarif" | "json");
        assert_eq!(out.contains("`80` has no name"), shown, "{}: {out}", form.name);
        assert_eq!(out.contains("measured in May"), shown, "{}: {out}", form.name);
    }
}

#[test]
fn each_format_gives_the_report_beside_it() {
    let (sources, mut findings) = two();
    let Finding { diagnostic, .. } = findings[0].clone();
    let span = diagnostic.primary.span;
    let diagnostic =
        diagnostic.note("a ratio is at most 1").help("write a share").fix("write `80%`", true, span, "ratio > 80%");
    findings[0] = diagnostic.into();
    for format in FINDING_FORMATS {
        snapshot("findings", format.name, &put_out(format.name, &sources, &findings, 100));
    }
    for entry in std::fs::read_dir("tests/findings").unwrap().map(|entry| entry.unwrap().path()) {
        let stem = entry.file_name().unwrap().to_string_lossy().split('.').next().unwrap_or_default().to_owned();
        assert!(report::finding_format(&stem).is_some(), "{} belongs to no format", entry.display());
    }
}

#[test]
fn sarif_marks_suppressed_results_and_declares_their_rules() {
    let (sources, findings) = two();
    let json: Json = serde_json::from_str(&put_out("sarif", &sources, &findings, 100)).unwrap();
    let run = &json["runs"][0];
    assert_eq!(run["results"][0]["suppressions"], Json::Array(Vec::new()));
    let suppression = &run["results"][1]["suppressions"][0];
    assert_eq!((&suppression["kind"], &suppression["justification"]), (&"inSource".into(), &"measured in May".into()));
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["id"] == "magic-number"), "a rule that nobody has announced");
}

#[test]
fn the_json_output_with_suppressed_findings_obeys_its_schema() {
    let (sources, findings) = two();
    let json: Json = serde_json::from_str(&put_out("json", &sources, &findings, 100)).unwrap();
    assert_eq!(json["suppressed"][0]["justification"], "measured in May");
    assert_eq!(json["summary"]["warnings"], 1);
    let schema =
        jsonschema::validator_for(&(SCHEMAS.iter().find(|schema| schema.name == "findings").unwrap().json)()).unwrap();
    assert!(schema.is_valid(&json), "{json:#}");
}

#[test]
fn each_file_of_a_table_is_listed_in_it() {
    let stems = |folder: &str| -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(
        stems("crates/trimtab-report/src/report/findings"),
        FINDING_FORMATS.iter().map(|format| format.name.to_owned()).collect()
    );
    assert_eq!(
        stems("crates/trimtab-report/src/report/ci"),
        CI_FORMATS.iter().map(|format| format.name.to_owned()).collect()
    );
    assert_eq!(
        stems("crates/trimtab-report/src/report/schema"),
        SCHEMAS.iter().map(|schema| schema.name.replace('-', "_")).collect()
    );
}

/// A text of a few lines with characters that are hard to draw, and two locations in it.
fn texts() -> impl Strategy<Value = (String, [usize; 4])> {
    let letter = prop_oneof![
        4 => "[a-z `|<&,:%{}]",
        1 => prop_oneof![Just("\n"), Just("\r\n"), Just("\t"), Just("\u{1b}"), Just("\u{202e}")].prop_map(str::to_owned),
        1 => prop_oneof![Just("日"), Just("e\u{301}"), Just("👩\u{200d}👧"), Just("\u{200d}")].prop_map(str::to_owned),
    ];
    let text = proptest::collection::vec(letter, 0..80).prop_map(|parts| parts.concat());
    (text, proptest::array::uniform4(0_usize..400))
}

proptest! {
    #![proptest_config(crate::generated::cases(128))]

    #[test]
    fn no_text_or_location_breaks_an_output_format((text, at) in texts(), width in 1_usize..120, put in "[a-z\n]{0,6}") {
        let mut sources = SourceMap::default();
        let id = sources.add("a b.trim", text.as_str());
        // Mostly inside the text, possibly reversed or inside a character.
        let span = |from: usize, to: usize| {
            let clamp = |at: usize| u32::try_from(at % (text.len() + 2)).unwrap();
            Span { source: id, start: clamp(from), end: clamp(to) }
        };
        let nowhere = Span { source: SourceId(9), start: 0, end: 1 };
        let one = Diagnostic::new(&OPEN, span(at[0], at[1]), text.as_str(), "here")
            .label(span(at[2], at[3]), text.as_str())
            .label(nowhere, "nowhere")
            .note(text.as_str())
            .fix("change it", true, span(at[0], at[1]), put.as_str())
            .fix("change it elsewhere", false, span(at[2], at[3]), put.as_str());
        let lost = Diagnostic::new(&OPEN, nowhere, "lost", "");
        let findings = [one.into(), lost.into()];
        for form in FINDING_FORMATS {
            let out = put_out(form.name, &sources, &findings, width);
            prop_assert!(!out.is_empty());
            prop_assert!(!out.contains('\u{1b}'), "{}: an escape sequence of the text", form.name);
            if ["json", "sarif", "gitlab"].contains(&form.name) {
                prop_assert!(serde_json::from_str::<Json>(&out).is_ok());
            }
        }
    }
}
