//! The findings and fixes of each lint.
//!
//! A lint's own examples give `tests/lint/NAME.snap`. More cases are in `tests/lint/NAME/CASE.trim`, each with a
//! snapshot beside it; one whose name starts with `quiet` must have no findings. A case of several files is
//! one text, with the others after comments `# other.trim:`. If `tests/lint/NAME/recording.jsonl` exists, the policy is
//! replayed on it, as `--against` does.

use std::fs;
use std::path::{Path, PathBuf};

use trimtab::diagnostic::Diagnostic;
use trimtab::diff::compare;
use trimtab::lint::{Check, FixAvailability, LINTS, Lint, Settings, apply_fixes};
use trimtab::pipeline::Compiler;
use trimtab::plan::{Plan, lower};
use trimtab::simulate::{Extract, Options, Trace, replay};
use trimtab::source::{MemorySources, SourceId, SourceMap};
use trimtab::transcript::{self, Transcript};

use crate::golden::{finding, snapshot, texts};

/// The date of the checks, for suppressions that expire.
const TODAY: (u16, u8, u8) = (2026, 11, 21);

/// The settings for the examples of one lint: all default lints and this one.
fn settings(lint: &Lint) -> Settings {
    let mut settings = Settings::default();
    settings.extend(lint.name()).unwrap();
    settings
}

/// The findings in a text and in the other files after it.
pub(crate) fn found(text: &str, settings: &Settings) -> Vec<Diagnostic> {
    found_with(text, settings, None)
}

/// The same with replays of a recording.
fn found_with(text: &str, settings: &Settings, recording: Option<&[Transcript]>) -> Vec<Diagnostic> {
    let texts = texts("case.trim", text);
    let mut files = texts.iter().fold(MemorySources::default(), |files, (name, text)| files.with(name, *text));
    let mut compiler = Compiler::default();
    let done = compiler.compile("case.trim", texts[0].1, &mut files);
    let plan = done.checked.as_ref().and_then(|checked| lower(checked, None).ok());
    let play = |plan, one| replay(plan, one, &Options::default(), &mut Extract, &mut |_| {});
    let traces: Option<Vec<Trace>> = recording.map(|recording| {
        plan.iter().flat_map(|plan| recording.iter().map(move |finding| play(plan, finding))).collect()
    });
    let mut found = compiler.run_lints(&done, settings, traces.as_deref(), Some(TODAY)).findings;
    found.extend(compiler.diagnostics().iter().cloned());
    found
}

/// The recording that a lint's examples are replayed on; one for a lint on evidence, none for others.
fn recording(lint: &Lint) -> Option<Vec<Transcript>> {
    let bytes = fs::read(Path::new("tests/lint").join(stem(lint)).join("recording.jsonl"));
    assert_eq!(bytes.is_ok(), matches!(lint.check, Check::Evidence(_)), "a recording for {}", lint.name());
    let reading = transcript::read(&bytes.ok()?, None).expect("a recording in Trimtab JSONL");
    assert_eq!(reading.format, "trimtab", "{}", lint.name());
    Some(reading.transcripts)
}

/// The findings in an example of a lint.
fn found_in_example(lint: &Lint, text: &str) -> Vec<Diagnostic> {
    found_with(text, &settings(lint), recording(lint).as_deref())
}

fn stem(lint: &Lint) -> String {
    lint.name().replace('-', "_")
}

/// The findings of a lint in a text, and the text after the fixes.
fn render(lint: &'static Lint, text: &str) -> String {
    let mut sources = SourceMap::default();
    let id = sources.add("case.trim", text);
    let source = sources.get(id).unwrap();
    let mut look = |text: &str| own(lint, text);
    let own = look(text);
    let findings: Vec<String> = own.iter().map(|one| finding(source, &in_this_file(one)) + &notes(one)).collect();
    let mut out = if findings.is_empty() { "nothing found\n".to_owned() } else { findings.join("\n") };
    if own.iter().any(|finding| !finding.fixes.is_empty()) {
        let fixed = apply_fixes(text, SourceId(0), true, &mut look);
        out += &format!("\nfixed:\n{}", fixed.text);
    }
    out
}

/// A finding without its labels in other files.
fn in_this_file(finding: &Diagnostic) -> Diagnostic {
    let mut finding = finding.clone();
    finding.labels.retain(|label| label.span.source == SourceId(0));
    finding
}

fn notes(finding: &Diagnostic) -> String {
    let elsewhere = finding.labels.iter().filter(|label| label.span.source != SourceId(0));
    let elsewhere = elsewhere.map(|label| format!("  in another file: {}\n", label.message));
    finding.notes.iter().map(|note| format!("  note: {note}\n")).chain(elsewhere).collect()
}

fn cases(lint: &Lint) -> Vec<PathBuf> {
    let folder = Path::new("tests/lint").join(stem(lint));
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut cases: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "trim")).collect();
    cases.sort();
    cases
}

fn own(lint: &Lint, text: &str) -> Vec<Diagnostic> {
    found_in_example(lint, text).into_iter().filter(|finding| finding.code.id == lint.name()).collect()
}

fn lints() -> impl Iterator<Item = &'static Lint> {
    LINTS.iter().copied()
}

#[test]
fn each_lint_reports_its_wrong_example_and_accepts_its_right_one() {
    for lint in lints() {
        assert!(!own(lint, lint.code.wrong).is_empty(), "{} is silent at its wrong example", lint.name());
        let right = found_in_example(lint, lint.code.right);
        let errors: Vec<&str> =
            right.iter().filter(|finding| finding.code.id.starts_with('E')).map(|finding| finding.code.id).collect();
        assert!(errors.is_empty(), "the right example of {} has errors {errors:?}", lint.name());
        assert!(own(lint, lint.code.right).is_empty(), "{} reports its right example", lint.name());
    }
}

#[test]
fn the_findings_and_fixes_of_each_lint_match_its_snapshot() {
    for lint in lints() {
        snapshot("lint", &stem(lint), &render(lint, lint.code.wrong));
        for case in cases(lint) {
            let name = case.file_name().unwrap().to_string_lossy().into_owned();
            let text = fs::read_to_string(&case).unwrap();
            let rendered = render(lint, &text);
            assert_eq!(rendered == "nothing found\n", name.starts_with("quiet"), "{}: {rendered}", case.display());
            snapshot(&format!("lint/{}", stem(lint)), &name, &rendered);
        }
    }
}

#[test]
fn a_lint_offers_the_fixes_that_its_descriptor_declares() {
    let mut broken = Vec::new();
    for lint in lints() {
        let mut texts = vec![lint.code.wrong.to_owned()];
        texts.extend(cases(lint).iter().map(|case| fs::read_to_string(case).unwrap()));
        let fixes: Vec<bool> = texts
            .iter()
            .flat_map(|text| own(lint, text))
            .flat_map(|finding| finding.fixes.into_iter().map(|fix| fix.safe))
            .collect();
        let promised = match lint.fix {
            FixAvailability::None => fixes.is_empty(),
            FixAvailability::Safe => fixes.contains(&true) && !fixes.contains(&false),
            FixAvailability::Unsafe => !fixes.contains(&true) && fixes.contains(&false),
            FixAvailability::Mixed => fixes.contains(&true) && fixes.contains(&false),
        };
        if !promised {
            broken.push(format!("{} promises {:?} and offers {fixes:?}", lint.name(), lint.fix));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn each_fix_removes_its_finding_and_adds_no_error() {
    for lint in lints().filter(|lint| lint.fix != FixAvailability::None) {
        let before = own(lint, lint.code.wrong);
        let mut look = |text: &str| own(lint, text);
        let fixed = apply_fixes(lint.code.wrong, SourceId(0), true, &mut look);
        assert!(fixed.remaining.len() < before.len(), "{}: {}", lint.name(), fixed.text);
        let errors =
            |text: &str| found_in_example(lint, text).iter().filter(|finding| finding.code.id.starts_with('E')).count();
        assert_eq!(errors(&fixed.text), 0, "{}: {}", lint.name(), fixed.text);
    }
}

#[test]
fn each_folder_and_snapshot_belongs_to_a_lint() {
    let stems: Vec<String> = LINTS.iter().map(|lint| stem(lint)).collect();
    for entry in fs::read_dir("tests/lint").unwrap() {
        let path = entry.unwrap().path();
        // A failed snapshot leaves the new text beside the old one.
        if path.extension().is_some_and(|end| end == "new") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(stems.contains(&stem), "{} belongs to no lint", path.display());
    }
}

#[test]
fn each_lint_sets_the_fields_that_have_no_default() {
    for lint in lints() {
        let path = format!("crates/trimtab-lint/src/lint/rule/{}/{}.rs", lint.category.word(), stem(lint));
        let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{path} is missing"));
        let descriptor = text.split("\n};\n").find(|part| part.contains("static LINT: Lint")).unwrap();
        for field in ["code", "category", "certainty", "fix", "check"] {
            assert!(descriptor.contains(&format!("\n    {field}: ")), "{path} has no `{field}`");
        }
    }
}

#[test]
fn only_lints_about_text_read_the_text() {
    for lint in lints().filter(|lint| !matches!(lint.check, Check::Text(_) | Check::Suppressions(_))) {
        let path = format!("crates/trimtab-lint/src/lint/rule/{}/{}.rs", lint.category.word(), stem(lint));
        let text = fs::read_to_string(&path).unwrap();
        for access in ["subject.text(", "source.text(", "source.slice(", ".comments"] {
            assert!(!text.contains(access), "{path} reads `{access}` and is not a `Check::Text`");
        }
    }
}

/// The policies of a text, each as a plan.
fn plans(text: &str) -> Vec<Plan> {
    let texts = texts("case.trim", text);
    let mut files = texts.iter().fold(MemorySources::default(), |files, (name, text)| files.with(name, *text));
    let mut compiler = Compiler::default();
    let checked = compiler.compile("case.trim", texts[0].1, &mut files).checked;
    let checked = checked.unwrap_or_else(|| panic!("{:#?}\n{text}", compiler.diagnostics()));
    checked.policies.iter().map(|policy| lower(&checked, Some(&policy.name)).unwrap()).collect()
}

#[test]
fn a_safe_fix_never_changes_what_a_policy_means() {
    let mut settings = Settings::default();
    settings.extend("all").unwrap();
    let mut all: Vec<String> = lints().map(|lint| lint.code.wrong.to_owned()).collect();
    all.extend(lints().flat_map(cases).map(|case| fs::read_to_string(case).unwrap()));
    for folder in ["policies", "examples"] {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let own = paths.filter(|path| path.extension().is_some_and(|end| end == "trim"));
        all.extend(own.map(|path| fs::read_to_string(path).unwrap()).filter(|text| !text.contains("\nuse \"")));
    }
    let mut changed = 0;
    for text in all {
        let fixed = apply_fixes(&text, SourceId(0), false, &mut |text| found(text, &settings));
        changed += usize::from(fixed.text != text);
        for (before, after) in plans(&text).iter().zip(&plans(&fixed.text)) {
            let difference = compare(before, after);
            assert!(difference.is_none(), "{difference:#?}\n{text}\nbecame\n{}", fixed.text);
        }
    }
    assert!(changed > 40, "only {changed} texts have safe fixes");
}
