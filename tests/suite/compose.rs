//! Policies of several files: the cases of `tests/compose`, access to files, and properties of composition.
//!
//! A case is a folder; its `main.trim` is compiled with the files beside it. Its snapshot contains the findings, or the
//! resolved policy if there are none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use trimtab::diagnostic::{Diagnostic, Label};
use trimtab::host::Files;
use trimtab::pipeline::{self, Compiled};
use trimtab::plan::{Plan, lower};
use trimtab::report::{self, Inspection};
use trimtab::source::{LoadError, MemorySources, SourceLoader, SourceMap, Span};

use crate::generated;
use crate::golden::snapshot;

const FOLDER: &str = "tests/compose";

/// All files below a folder.
fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, out) } else { out.push(path) }
    }
}

/// The texts of a case by name, sorted.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let mut paths = Vec::new();
    walk(folder, &mut paths);
    let name = |path: &Path| path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

fn case(texts: &BTreeMap<String, String>) -> Compiled {
    let mut files = texts.iter().fold(MemorySources::default(), |files, (name, text)| files.with(name, text.as_str()));
    pipeline::compile_with("main.trim", &texts["main.trim"], &mut files)
}

/// The folders of the cases, sorted.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn place(sources: &SourceMap, span: Span) -> String {
    let source = sources.get(span.source).unwrap();
    let at = source.position(span.start);
    let text = source.slice(span).lines().next().unwrap_or_default();
    format!("{}:{}:{} `{text}`", source.name(), at.line, at.column)
}

fn finding(sources: &SourceMap, finding: &Diagnostic) -> String {
    let label = |label: &Label| format!("  at {}: {}\n", place(sources, label.span), label.message);
    let mut out = format!("{}[{}] {}\n", finding.severity.word(), finding.code.id, finding.message);
    out.extend(std::iter::once(&finding.primary).chain(&finding.labels).map(label));
    out.extend(finding.help.iter().map(|help| format!("  help: {help}\n")));
    out
}

pub(crate) fn plan(compiled: &Compiled) -> Plan {
    let found: Vec<String> =
        compiled.diagnostics.iter().map(|diagnostic| finding(&compiled.sources, diagnostic)).collect();
    let Some(checked) = &compiled.checked else { panic!("{}", found.join("\n")) };
    lower(checked, None).unwrap_or_else(|unclear| panic!("{unclear:?}"))
}

pub(crate) fn page(compiled: &Compiled) -> String {
    let plan = plan(compiled);
    let checked = compiled.checked.as_ref().unwrap();
    let policy = checked.policies.iter().chain(&checked.used).find(|policy| policy.name == plan.policy).unwrap();
    let (sources, prompts) = (&compiled.sources, checked.prompts.as_slice());
    report::inspection(&Inspection { sources, policy, plan: &plan, prompts, window: None, profile: None })
}

/// A plan without its names and its title.
fn meaning(plan: &Plan) -> serde_json::Value {
    let mut json = plan.json();
    for key in ["policy", "hash", "title"] {
        json[key] = "".into();
    }
    json
}

#[test]
fn each_case_matches_its_snapshot() {
    let folders = folders();
    assert!(folders.len() >= 10);
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let compiled = case(&texts(&folder));
        let found: Vec<String> =
            compiled.diagnostics.iter().map(|diagnostic| finding(&compiled.sources, diagnostic)).collect();
        assert_eq!(found.is_empty(), name.starts_with("clean"), "{name}: {found:?}");
        snapshot("compose", &name, &if found.is_empty() { page(&compiled) } else { found.join("\n") });
    }
}

/// The policies that come with the project.
fn policies(endings: &[&str]) -> Vec<(String, String)> {
    let folder = |folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = folder("policies").chain(folder("examples")).chain(folder("examples/recipes"));
    let files =
        files.filter(|path| path.extension().is_some_and(|end| endings.iter().any(|extension| end == *extension)));
    files.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

fn compiled(name: &str, text: &str) -> Compiled {
    pipeline::compile_with(name, text, &mut Files::around(name))
}

#[test]
fn the_output_of_inspect_is_a_policy_with_the_same_meaning() {
    for (name, text) in policies(&["trim", "yaml"]) {
        let first = compiled(&name, &text);
        let page = page(&first);
        let again = compiled("again.trim", &page);
        assert_eq!(plan(&first).hash, plan(&again).hash, "{name}\n{page}");
    }
}

#[test]
fn a_policy_that_only_extends_another_has_the_same_meaning() {
    for (name, text) in policies(&["trim"]) {
        let base = plan(&compiled(&name, &text));
        let same = compiled(&name, &format!("{text}\npolicy nothing_new extends {} {{ }}\n", base.policy));
        assert_eq!(meaning(&base), meaning(&plan(&same)), "{name}");
    }
}

#[test]
fn overriding_every_clause_equals_rewriting_the_rule() {
    const WORDS: [&str; 7] = ["when", "unless", "once", "every", "cooldown", "limit", "until"];
    for (name, text) in policies(&["trim"]) {
        let first = compiled(&name, &text);
        let (wanted, source) = (plan(&first), first.sources.iter().next().unwrap());
        let (mut base, mut over) = (String::new(), String::new());
        for rule in &wanted.rules {
            let clauses: Vec<&str> =
                rule.clauses.iter().map(|(_, span)| first.sources.get(span.source).unwrap().slice(*span)).collect();
            let gone = |word: &&&str| rule.clause(word).is_none() && **word != "unless";
            let gone: Vec<String> = WORDS.iter().filter(gone).map(|word| format!("no {word}")).collect();
            base += &format!(
                "rule {} {{ on reply when run > 7 do summarise all on_failure stop once every 9 iterations \
                 cooldown 9 iterations limit 9 until run > 9 }}\n",
                rule.name
            );
            let on = if rule.clause("on").is_none() { "no on" } else { "" };
            over += &format!("override rule {} {{ {on} {} {} }}\n", rule.name, clauses.join("\n"), gone.join(" "));
        }
        // A test that names no policy would be ambiguous.
        let alone = source.text().split("\ntest \"").next().unwrap_or_default();
        let more = format!("{alone}\npolicy base_0 {{\n{base} }}\npolicy anew extends base_0 {{\n{over} }}\n");
        let again = compiled(&name, &more);
        let checked = again.checked.as_ref().unwrap_or_else(|| panic!("{more}\n{:#?}", again.diagnostics));
        assert_eq!(meaning(&wanted), meaning(&lower(checked, Some("anew")).unwrap()), "{name}");
    }
}

#[test]
fn an_agent_block_keeps_its_values_and_inherits_the_missing_ones() {
    let agent = |block: &str| {
        let compiled = pipeline::compile("x.trim", &format!("edition 2026\nagent {{ {block} }}\n"));
        compiled.checked.unwrap().agent
    };
    let (own, other) = (agent("window 200k tokens"), agent("model \"m\" window 8k tokens tools [bash]"));
    let both = own.clone().with_defaults(&other);
    assert_eq!(both.window, own.window);
    assert_eq!((&both.model, &both.tools), (&other.model, &other.tools));
    assert_eq!((both.place("window"), both.place("tools")), (own.place("window"), other.place("tools")));
    assert_eq!(both.clone().with_defaults(&other), both);
}

proptest! {
    #![proptest_config(generated::cases(64))]

    #[test]
    fn a_generated_policy_keeps_its_meaning_when_inspected(policy in generated::policy()) {
        let first = compiled("made.trim", &policy);
        let page = page(&first);
        prop_assert_eq!(plan(&first).hash, plan(&compiled("again.trim", &page)).hash, "{}\n{}", policy, page);
    }

    #[test]
    fn removing_text_from_a_case_leaves_a_policy_or_an_error(
        folder in any::<prop::sample::Index>(),
        file in any::<prop::sample::Index>(),
        (from, length) in (any::<prop::sample::Index>(), 1usize..40),
    ) {
        let folders = folders();
        let mut texts = texts(&folders[folder.index(folders.len())]);
        let name = file.get(&texts.keys().cloned().collect::<Vec<_>>()).clone();
        let text: Vec<char> = texts[&name].chars().collect();
        let from = from.index(text.len());
        let cut: String = text[..from].iter().chain(text[(from + length).min(text.len())..].iter()).collect();
        texts.insert(name, cut);
        let compiled = case(&texts);
        prop_assert_eq!(compiled.checked.is_none(), compiled.has_errors(), "{:#?}", texts);
    }

    #[test]
    fn own_rules_are_where_they_are_placed(
        places in prop::collection::vec((any::<bool>(), 0usize..5), 0..8),
        seal in prop::option::of(0usize..5),
    ) {
        let sealed = |at| if seal == Some(at) { "sealed " } else { "" };
        let base: String = (0..5).map(|at| format!("{}rule b{at} {{ do notify \"\" }}\n", sealed(at))).collect();
        let word = |before| if before { "before" } else { "after" };
        let own = places.iter().enumerate();
        let own: String =
            own.map(|(at, (before, to))| format!("rule o{at} {} b{to} {{ do notify \"\" }}\n", word(*before))).collect();
        let text = format!("edition 2026\npolicy b {{ {base} }}\npolicy p extends b {{ {own} rule last {{ do stop \"\" }} }}\n");
        let compiled = pipeline::compile("x.trim", &text);
        let is_ahead = |(before, to): &(bool, usize)| seal.is_some_and(|seal| *to < seal || (*before && *to == seal));
        let ahead = places.iter().filter(|place| is_ahead(place)).count();
        prop_assert_eq!(compiled.diagnostics.len(), ahead, "{}", text);
        prop_assert!(compiled.diagnostics.iter().all(|diagnostic| diagnostic.code.id == "E528"));
        if ahead == 0 {
            let mut wanted = Vec::new();
            for at in 0..5 {
                let beside = |side: bool| places.iter().enumerate().filter(move |(_, one)| **one == (side, at));
                wanted.extend(beside(true).map(|(own, _)| format!("o{own}")));
                wanted.push(format!("b{at}"));
                wanted.extend(beside(false).map(|(own, _)| format!("o{own}")));
            }
            wanted.push("last".to_owned());
            let names: Vec<String> = plan(&compiled).rules.iter().map(|rule| rule.name.to_string()).collect();
            prop_assert_eq!(names, wanted);
        }
    }
}

#[test]
fn a_file_that_several_files_import_is_parsed_once() {
    let mut files = MemorySources::default().with("words.trim", "edition 2026\nlet busy = 60%\n");
    let mut compiler = pipeline::Compiler::default();
    for name in ["a.trim", "./b.trim"] {
        assert!(compiler.compile(name, "edition 2026\nuse \"words.trim\"\n", &mut files).checked.is_some());
    }
    let names: Vec<&str> = compiler.sources().iter().map(trimtab::source::Source::name).collect();
    assert_eq!(names, ["a.trim", "words.trim", "./b.trim"]);
    assert_eq!(compiler.tree("b.trim").map(|tree| tree.items.len()), Some(2));
    assert!(compiler.tree("c.trim").is_none() && compiler.finish().1.is_empty());
}

#[test]
fn the_hash_does_not_depend_on_the_files_of_definitions() {
    let lets = "let busy = 60%\nprompt p \"Sum it up.\"\n";
    let policy = "policy x { rule a { when context.ratio >= busy do summarise all using p on_failure keep } }\n";
    let alone = pipeline::compile("one.trim", &format!("edition 2026\n{lets}{policy}"));
    let mut files = MemorySources::default().with("common/words.trim", format!("edition 2026\n{lets}"));
    let text = format!("edition 2026\nuse \"common/words.trim\"\n{policy}");
    let apart = pipeline::compile_with("two.trim", &text, &mut files);
    assert_eq!(plan(&alone).hash, plan(&apart).hash);
}

#[test]
fn a_chain_of_imports_that_is_too_long_is_an_error_and_does_not_crash() {
    let mut files = MemorySources::default();
    for at in 0..200 {
        files = files.with(format!("f{at}.trim"), format!("edition 2026\nuse \"f{}.trim\"\n", at + 1));
    }
    let compiled = pipeline::compile_with("f0.trim", "edition 2026\nuse \"f1.trim\"\n", &mut files);
    assert_eq!(compiled.diagnostics.len(), 1);
    assert!(compiled.diagnostics[0].message.contains("longer than 64 files"), "{:?}", compiled.diagnostics);
}

#[test]
fn a_chain_of_policies_that_is_too_long_is_an_error_and_does_not_crash() {
    let policy = |at| format!("policy p{at} extends p{} {{ }}\n", at + 1);
    let text = format!("edition 2026\n{}policy p2000 {{ }}\n", (0..2000).map(policy).collect::<String>());
    let compiled = pipeline::compile("x.trim", &text);
    assert!(compiled.diagnostics.iter().all(|diagnostic| diagnostic.code.id == "E525") && compiled.has_errors());
}

/// A project in a subfolder, and the loader of its files.
fn project() -> (tempfile::TempDir, Files, String) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("secret.trim", "edition 2026\n");
    write("in/trimtab.toml", "");
    write("in/common/limits.trim", "edition 2026\nlet busy = 60%\n");
    write("in/policies/mine.trim", "edition 2026\n");
    let mine = folder.path().join("in/policies/mine.trim").display().to_string();
    (folder, Files::around(&mine), mine)
}

#[test]
fn imports_are_resolved_from_the_importing_file() {
    let (folder, mut files, mine) = project();
    let loaded = files.load(&mine, "../common/limits.trim").unwrap();
    assert_eq!(Path::new(&loaded.name), folder.path().join("in/common/limits.trim"));
    assert!(loaded.text.contains("busy"));
    assert_eq!(files.load(&mine, "nothing.trim"), Err(LoadError::Missing));
    assert!(matches!(files.load(&mine, "../common"), Err(LoadError::Unreadable(_))));
    fs::write(folder.path().join("in/binary.trim"), [0xff, 0xfe]).unwrap();
    assert!(matches!(files.load(&mine, "../binary.trim"), Err(LoadError::Unreadable(_))));
}

#[test]
fn nothing_outside_the_project_is_read() {
    let (folder, mut files, mine) = project();
    for path in ["../../secret.trim", "../../../no/such/place.trim", "../../../../../../../../../etc/hostname"] {
        assert!(matches!(files.load(&mine, path), Err(LoadError::Outside(_))), "{path}");
    }
    let absolute = folder.path().join("in/common/limits.trim").display().to_string();
    assert_eq!(files.load(&mine, &absolute), Err(LoadError::Absolute));
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_cannot_leave_the_project_or_duplicate_a_file() {
    let (folder, mut files, mine) = project();
    let inside = folder.path().join("in");
    std::os::unix::fs::symlink(folder.path().join("secret.trim"), inside.join("link.trim")).unwrap();
    std::os::unix::fs::symlink(folder.path(), inside.join("out")).unwrap();
    std::os::unix::fs::symlink(inside.join("common/limits.trim"), inside.join("same.trim")).unwrap();
    assert!(matches!(files.load(&mine, "../link.trim"), Err(LoadError::Outside(_))));
    assert!(matches!(files.load(&mine, "../out/secret.trim"), Err(LoadError::Outside(_))));
    let first = files.load(&mine, "../common/limits.trim").unwrap();
    assert_eq!(files.load(&mine, "../same.trim").unwrap().name, first.name);
}

#[test]
fn without_a_root_marker_the_folder_of_the_first_file_is_the_project() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("a")).unwrap();
    fs::write(folder.path().join("b.trim"), "edition 2026\n").unwrap();
    let mine = folder.path().join("a/mine.trim").display().to_string();
    let mut files = Files::around(&mine);
    assert!(matches!(files.load(&mine, "../b.trim"), Err(LoadError::Outside(_))));
}
