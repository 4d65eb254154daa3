//! Snapshots of the findings in policies: inputs in `tests/check`, each with a snapshot beside it.
//!
//! A new case is a file; `INSTA_UPDATE=always cargo test --test suite golden` writes its snapshot.

use std::fs;
use std::path::{Path, PathBuf};

use trimtab::config;
use trimtab::diagnostic::{Code, Diagnostic, Fix, Label};
use trimtab::pipeline::{self, Compiled};
use trimtab::report;
use trimtab::source::{MemorySources, Source, Span};
use trimtab::{syntax, system};

use crate::cli::Run;

const FOLDER: &str = "tests/check";

/// The files of the folder with this extension, sorted.
fn files(ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == ending)).collect();
    files.sort();
    files
}

fn inputs() -> Vec<PathBuf> {
    let mut inputs = files("trim");
    inputs.extend(files("yaml"));
    inputs
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn compile(path: &Path) -> Compiled {
    pipeline::compile(&name(path), &fs::read_to_string(path).unwrap())
}

/// A location as `line:column`, with its text.
fn place(source: &Source, span: Span) -> String {
    let at = source.position(span.start);
    let text = &source.text()[span.range()];
    match text.split_once('\n') {
        None => format!("{}:{} `{text}`", at.line, at.column),
        Some((first, rest)) => format!("{}:{} `{first} …` and {} lines", at.line, at.column, rest.lines().count()),
    }
}

fn label(source: &Source, label: &Label) -> String {
    format!("  at {}: {}\n", place(source, label.span), label.message)
}

fn fix(source: &Source, fix: &Fix) -> String {
    let edit = |edit: &trimtab::diagnostic::TextEdit| format!(", {} -> {:?}", place(source, edit.span), edit.text);
    let kind = if fix.safe { "safe fix" } else { "fix" };
    format!("  {kind}: {}{}\n", fix.title, fix.edits.iter().map(edit).collect::<String>())
}

pub(crate) fn finding(source: &Source, one: &Diagnostic) -> String {
    let at = source.position(one.primary.span.start);
    let (severity, code) = (one.severity.word(), one.code.id);
    let mut out = format!("{}:{}: {severity}[{code}] {}\n", at.line, at.column, one.message);
    out.extend(std::iter::once(&one.primary).chain(&one.labels).map(|finding| label(source, finding)));
    out.extend(one.help.iter().map(|help| format!("  help: {help}\n")));
    out.extend(one.fixes.iter().map(|one| fix(source, one)));
    out
}

fn compact(compiled: &Compiled) -> String {
    let source = compiled.sources.iter().next().unwrap();
    let found: Vec<String> = compiled.diagnostics.iter().map(|diagnostic| finding(source, diagnostic)).collect();
    if found.is_empty() { "nothing found\n".to_owned() } else { found.join("\n") }
}

/// Compares with the snapshot of this name beside the inputs of a folder of `tests`.
pub(crate) fn snapshot(folder: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../{folder}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn codes() -> Vec<&'static Code> {
    report::codes().collect()
}

/// The file name for the examples of a code.
fn example_name(code: &Code) -> &'static str {
    let is_of = |codes: &[&Code]| codes.iter().any(|one| one.id == code.id);
    match () {
        () if is_of(syntax::yaml::CODES) => "wrong.yaml",
        () if is_of(config::error::CODES) => config::NAME,
        () if is_of(system::error::CODES) => "settings.json",
        () => "wrong.trim",
    }
}

#[test]
fn each_input_matches_its_findings_snapshot() {
    let inputs = inputs();
    assert!(inputs.len() >= 15, "the inputs are in {FOLDER}");
    for path in inputs {
        snapshot("check", &name(&path), &compact(&compile(&path)));
    }
}

#[test]
fn each_snapshot_has_its_input() {
    for path in files("snap") {
        let input = path.with_extension("");
        assert!(input.is_file() || input.ends_with("codes"), "{} belongs to no input", path.display());
    }
}

#[test]
fn an_input_has_errors_exactly_if_it_compiles_to_no_policy() {
    for path in inputs() {
        let compiled = compile(&path);
        assert_eq!(compiled.checked.is_none(), compiled.has_errors(), "{}", path.display());
        let is_clean = name(&path).starts_with("clean");
        assert_eq!(compiled.diagnostics.is_empty(), is_clean, "{}", path.display());
    }
}

/// The text after a fix.
fn fixed(text: &str, fix: &Fix) -> String {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    let mut text = text.to_owned();
    for edit in edits {
        text.replace_range(edit.span.range(), &edit.text);
    }
    text
}

#[test]
fn a_safe_fix_removes_its_finding_and_adds_none() {
    let mut tried = 0;
    for path in inputs() {
        let (name, text) = (name(&path), fs::read_to_string(&path).unwrap());
        let before = pipeline::compile(&name, &text).diagnostics;
        for finding in &before {
            for fix in finding.fixes.iter().filter(|fix| fix.safe) {
                let after = pipeline::compile(&name, &fixed(&text, fix)).diagnostics;
                let is_same = |other: &Diagnostic| {
                    other.message == finding.message && other.primary.span.start == finding.primary.span.start
                };
                assert!(!after.iter().any(is_same), "{name}: {} is still there", finding.message);
                // Fixing an error may reveal another one that it hid.
                assert!(after.len() <= before.len(), "{name}: `{}` makes it worse", fix.title);
                tried += 1;
            }
        }
    }
    assert!(tried >= 10, "only {tried} safe fixes are in {FOLDER}");
}

#[test]
fn five_mistakes_give_five_errors_each_on_its_line() {
    let compiled = compile(&Path::new(FOLDER).join("five_mistakes.trim"));
    let source = compiled.sources.iter().next().unwrap();
    let lines = compiled.diagnostics.iter().map(|diagnostic| source.position(diagnostic.primary.span.start).line);
    assert_eq!(lines.collect::<Vec<_>>(), [4, 5, 6, 7, 8], "{}", compact(&compiled));
}

/// Whether a word is the name of a policy file.
fn is_policy(word: &str) -> bool {
    !word.contains(' ') && Path::new(word).extension().is_some_and(|end| end == "trim")
}

/// The files of an example: the first has the name, the others come after comments `# other.trim:`.
pub(crate) fn texts<'t>(name: &'t str, text: &'t str) -> Vec<(&'t str, &'t str)> {
    let mut texts = Vec::new();
    let (mut name, mut start, mut at) = (name, 0, 0);
    for line in text.split_inclusive('\n') {
        let other = line.strip_prefix("# ").and_then(|rest| rest.strip_suffix(":\n"));
        if let Some(other) = other.filter(|other| is_policy(other)) {
            texts.push((name, text[start..at].strip_suffix('\n').unwrap_or_default()));
            (name, start) = (other, at + line.len());
        }
        at += line.len();
    }
    texts.push((name, &text[start..]));
    texts
}

/// The findings in an example.
fn example(name: &str, text: &str) -> Compiled {
    let texts = texts(name, text);
    let mut files = texts.iter().fold(MemorySources::default(), |files, (name, text)| files.with(name, *text));
    pipeline::compile_with(name, texts[0].1, &mut files)
}

#[test]
fn every_code_is_reported_for_its_wrong_example_and_not_for_its_right_one() {
    for code in codes() {
        let gives = |text: &str| example(example_name(code), text).diagnostics;
        assert!(
            gives(code.wrong).iter().any(|finding| finding.code.id == code.id),
            "{}: {:?}",
            code.id,
            gives(code.wrong)
        );
        assert!(
            gives(code.right).iter().all(|finding| finding.code.id != code.id),
            "{}: {:?}",
            code.id,
            gives(code.right)
        );
    }
}

#[test]
fn the_wrong_example_of_every_code_is_drawn() {
    let drawn = codes().into_iter().map(|code| {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in texts(example_name(code), code.wrong) {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let out = Run::new(["validate", "--width", "80", example_name(code)]).current_dir(folder.path()).output();
        assert!(out.code < 2, "{}: {}", code.id, out.err);
        format!("=== {} {}\n\n{}", code.id, code.title, out.out)
    });
    snapshot("check", "codes", &drawn.collect::<Vec<_>>().join("\n"));
}
