//! Settings of other systems: what each option becomes, and that whatever stands in a file becomes a policy or a located error.

use std::fs;
use std::path::{Path, PathBuf};

use trimtab::diagnostic::Severity;
use trimtab::report::{self, LISTING_FORMATS, TerminalStyle};
use trimtab::source::{Source, SourceId};
use trimtab::system::{self, Fidelity, Import, Recognition, SYSTEMS, System};
use trimtab::{pipeline, plan};

use crate::golden::{finding, snapshot};

/// The folders with settings: one file for each system, which its page explains, and more cases.
const FOLDERS: [&str; 2] = ["docs/settings", "tests/systems"];

fn source(name: &str, text: &str) -> Source {
    Source::new(SourceId::default(), name, text)
}

fn recognised(source: &Source) -> &'static System {
    match system::recognise(source) {
        Recognition::Of(system) => system,
        other => panic!("{}: {other:?}", source.name()),
    }
}

fn drawn(import: &Import, source: &Source) -> String {
    let style = TerminalStyle { width: 110, color: false, unicode: true };
    let listing = LISTING_FORMATS[0].render(&report::imported(import, source), style);
    let findings: Vec<String> = import.diagnostics.iter().map(|one| finding(source, one)).collect();
    format!("{}{}", findings.concat(), &*listing)
}

#[test]
fn each_settings_file_matches_its_table_and_policy() {
    let mut files: Vec<_> = FOLDERS.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap()).collect();
    files.sort_by_key(|entry| entry.as_ref().unwrap().path());
    let files = files.into_iter().map(|entry| entry.unwrap().path());
    let is_settings =
        |path: &PathBuf| path.extension().is_some_and(|end| ["json", "toml", "yaml"].iter().any(|one| end == *one));
    let files: Vec<_> = files.filter(is_settings).collect();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        let source = source(name, &fs::read_to_string(&path).unwrap());
        let import = system::import(&source, recognised(&source));
        snapshot("systems", name, &drawn(&import, &source));
        check_meaning(&import, &source);
    }
}

#[test]
fn each_system_has_a_file_and_defaults() {
    for system in SYSTEMS {
        let stem = system.name.replace('-', "_");
        settings_of(&stem);
        let import = system::defaults(system);
        assert!(import.diagnostics.is_empty());
        let source = source(&format!("harness:{}", system.name), "");
        snapshot("systems", &format!("defaults_{stem}"), &drawn(&import, &source));
        check_meaning(&import, &source);
    }
}

/// The settings file of a system.
#[track_caller]
fn settings_of(stem: &str) -> PathBuf {
    let paths = ["json", "toml", "yaml"].map(|end| Path::new(FOLDERS[0]).join(format!("{stem}.{end}")));
    paths.into_iter().find(|path| path.is_file()).unwrap_or_else(|| panic!("{} has no {stem}", FOLDERS[0]))
}

/// The file and the text of its policy compile to the same plan.
fn check_meaning(import: &Import, source: &Source) {
    if import.diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        return;
    }
    let compiled = pipeline::compile("imported.trim", &import.text);
    let Some(checked) = compiled.checked else { panic!("{}\n{:?}", import.text, compiled.diagnostics) };
    let hash = plan::lower(&checked, None).unwrap().hash;
    if matches!(system::recognise(source), Recognition::Of(system) if system.name == import.system.name) {
        let compiled = pipeline::compile(source.name(), source.text());
        let Some(checked) = compiled.checked else { panic!("{}\n{:?}", source.text(), compiled.diagnostics) };
        assert_eq!(plan::lower(&checked, None).unwrap().hash, hash, "{}", source.text());
    }
}

/// The table of the page: how many rows of each system's file have each fidelity, and what is impossible.
#[test]
fn the_page_counts_what_a_policy_says_of_each_system() {
    let mut counts = String::from("| system | exact | approximate | impossible |\n|---|---|---|---|\n");
    let mut impossible = String::from("| system | option | why a policy cannot say it |\n|---|---|---|\n");
    for system in SYSTEMS {
        let stem = system.name.replace('-', "_");
        let path = settings_of(&stem);
        let source = source(path.to_str().unwrap(), &fs::read_to_string(&path).unwrap());
        let rows = system::import(&source, system).rows;
        let count = |fidelity| rows.iter().filter(|row| row.fidelity == fidelity).count();
        let [exact, approximate, none] = [Fidelity::Exact, Fidelity::Approximate, Fidelity::Impossible].map(count);
        counts += &format!("| [{}]({stem}.md) | {exact} | {approximate} | {none} |\n", system.title);
        for row in rows.iter().filter(|row| row.fidelity == Fidelity::Impossible) {
            impossible += &format!("| {} | `{}` | {} |\n", system.title, row.option, row.reason);
        }
    }
    let page = fs::read_to_string(Path::new(FOLDERS[0]).join("README.md")).unwrap();
    assert!(page.contains(&counts), "{counts}");
    assert!(page.contains(&impossible), "{impossible}");
}
