//! Properties of the library for arbitrary input. `fuzzed` checks them on random texts, `fuzz/` on many more.
//!
//! A property panics if it is violated. The fuzz targets include this file, so it uses only the library.

// With explicit paths, because the fuzz targets include this file by its path.
#[path = "property/recorded.rs"]
pub(crate) mod recorded;
#[path = "property/replay.rs"]
pub(crate) mod replay;
#[path = "property/written.rs"]
pub(crate) mod written;

use std::collections::BTreeSet;

use trimtab::check::CheckedFile;
use trimtab::config;
use trimtab::diagnostic::{Diagnostic, Severity};
use trimtab::format::{FormatError, format_source, format_unchecked};
use trimtab::lint::{Settings, apply_fixes};
use trimtab::pipeline::{self, Compiler};
use trimtab::plan::{Plan, lower};
use trimtab::report::{Inspection, inspection};
use trimtab::source::{NoSources, Source, SourceId, SourceMap};
use trimtab::syntax;

/// A property with its name.
pub(crate) type Property = (&'static str, fn(&[u8]));

/// All properties. The name is also that of the fuzz target and of the folder with past failures.
pub(crate) static PROPERTIES: &[Property] = &[
    ("parse", parse),
    ("format", format_any),
    ("fix", fix),
    ("yaml", yaml),
    ("settings", settings),
    ("condition", condition),
    ("expectation", expectation),
    ("recording", recorded::any_bytes),
    ("recording_lines", recorded::changed_lines),
    ("recording_documents", recorded::changed_documents),
    ("replay", replay::any_text),
    ("written", written::any_text),
];

fn source(name: &str, text: &str) -> Source {
    Source::new(SourceId(0), name, text)
}

/// Checks that the spans of all findings and fixes are inside the text.
fn check_spans(text: &str, found: &[Diagnostic]) {
    for finding in found {
        let edits = finding.fixes.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
        let spans =
            [finding.primary.span].into_iter().chain(finding.labels.iter().map(|label| label.span)).chain(edits);
        for span in spans {
            assert!(
                text.get(span.range()).is_some(),
                "{} points at {span:?}, which is not in the text",
                finding.code.id
            );
        }
    }
}

/// Checks that the output of `inspect` compiles to the same plan.
fn check_inspection(checked: &CheckedFile, plan: &Plan, sources: &SourceMap) {
    let Some(policy) = checked.policies.iter().chain(&checked.used).find(|policy| policy.name == plan.policy) else {
        return;
    };
    let prompts = checked.prompts.as_slice();
    let page = inspection(&Inspection { sources, policy, plan, prompts, window: None, profile: None });
    let again = pipeline::compile("again.trim", &page);
    let hash = again.checked.as_ref().and_then(|checked| lower(checked, None).ok()).map(|plan| plan.hash);
    assert_eq!(hash.as_ref(), Some(&plan.hash), "{page}\n{:#?}", again.diagnostics);
}

/// All diagnostics of a text, with those of all lints if `with_lints` is set, and the number of diagnostics without lints.
fn found(name: &str, text: &str, with_lints: bool) -> (Vec<Diagnostic>, usize) {
    let mut compiler = Compiler::default();
    let one = compiler.compile(name, text, &mut NoSources);
    if let Some(checked) = &one.checked {
        // The text may contain no policy or several, in which case there is an error instead of a plan.
        if let Ok(plan) = lower(checked, None) {
            check_inspection(checked, &plan, compiler.sources());
        }
    }
    let mut found = compiler.diagnostics().to_vec();
    let stages = found.len();
    if with_lints {
        let mut settings = Settings::default();
        assert!(settings.extend("all").is_ok(), "`all` names no lints");
        found.extend(compiler.run_lints(&one, &settings, None, Some((2026, 11, 21))).findings);
    }
    check_spans(text, &found);
    (found, stages)
}

/// Parsing and checking do not panic.
pub(crate) fn parse(bytes: &[u8]) {
    found("any.trim", &String::from_utf8_lossy(bytes), false);
}

/// Formatting is idempotent and keeps all comments.
pub(crate) fn format_any(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let read = source("any.trim", &text);
    match format_source(&read) {
        // A file with syntax errors can still be formatted without checks.
        Err(FormatError::SyntaxErrors(_)) => {
            drop(format_unchecked(&read, &syntax::parse(&read).0, &syntax::comments(&read)));
        }
        Err(FormatError::Changed(reason)) => panic!("{reason}"),
        Ok(once) => {
            let again = format_source(&source("any.trim", &once));
            assert!(matches!(&again, Ok(twice) if *twice == once), "{once}\n---\n{again:?}");
            let comments =
                |source: &Source| syntax::comments(source).into_iter().map(|comment| comment.text).collect::<Vec<_>>();
            assert_eq!(comments(&read), comments(&source("any.trim", &once)), "comments are kept");
        }
    }
}

/// Whether a finding is an error, so that there is no policy.
fn is_broken(finding: &Diagnostic) -> bool {
    finding.code.id.starts_with('E') && finding.severity == Severity::Error
}

fn broken(found: &[Diagnostic]) -> usize {
    found.iter().filter(|finding| is_broken(finding)).count()
}

/// Fixing terminates, reduces the number of findings and adds no error.
pub(crate) fn fix(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    fixed(&text, false);
    fixed(&text, true);
}

/// A text after its fixes, and their number.
pub(crate) fn fixed(text: &str, unsafe_too: bool) -> (String, usize) {
    let mut look = |text: &str| found("any.trim", text, true).0;
    let before = look(text);
    let fixed = apply_fixes(text, SourceId(0), unsafe_too, &mut look);
    let left = look(&fixed.text);
    assert_eq!(left.len(), fixed.remaining.len(), "what is left is what is found\n{}", fixed.text);
    // Files with errors have no lints, so fewer errors count more than fewer findings.
    let measure = |found: &[Diagnostic]| (broken(found), found.len());
    assert!(measure(&left) < measure(&before) || fixed.applied.is_empty(), "{:?}\n{}", fixed.applied, fixed.text);
    assert_eq!(fixed.applied.is_empty(), fixed.text == text, "{:?}\n{}", fixed.applied, fixed.text);
    let codes = |found: &[Diagnostic]| -> BTreeSet<&str> {
        found.iter().filter(|finding| is_broken(finding)).map(|finding| finding.code.id).collect()
    };
    assert!(codes(&left).is_subset(&codes(&before)), "no error of another kind\n{}\n{left:?}", fixed.text);
    let is_formatted = |text: &str| format_source(&source("any.trim", text)).is_ok_and(|formatted| formatted == text);
    assert!(is_formatted(&fixed.text) || !is_formatted(text), "it was laid out before\n{text}\n---\n{}", fixed.text);
    (fixed.text, fixed.applied.len())
}

/// Parsing, checking and linting YAML do not panic.
pub(crate) fn yaml(bytes: &[u8]) {
    found("any.yaml", &String::from_utf8_lossy(bytes), true);
}

/// Parsing settings does not panic.
pub(crate) fn settings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (config, found) = config::read(&source(config::NAME, &text));
    check_spans(&text, &found);
    let mut settings = Settings::default();
    config.lint.apply_to(&mut settings);
    config.files.iter().for_each(|(_, choice)| choice.apply_to(&mut settings));
    drop(config.profile_agent(None));
}

/// Deciding a condition, alone and beside another rule, does not panic.
pub(crate) fn condition(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let text = format!(
        "edition 2026\npolicy p {{\n  rule a {{\n    when {text}\n    do mask results\n    until context.ratio < 50%\n  }}\n  \
         rule b {{ when context.ratio >= 60% and failures >= 2 do stop \"b\" }}\n}}\n"
    );
    found("any.trim", &text, true);
}

/// Parsing an assertion does not panic.
pub(crate) fn expectation(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    check_spans(&text, &syntax::parse_expectation(&source("--assert", &text)).1);
}
