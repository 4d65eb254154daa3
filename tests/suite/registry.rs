//! Everything in a table has its entry, its file and its section in the reference.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use trimtab::effect::EFFECTS;
use trimtab::fact::FACTS;
use trimtab::guard::GUARDS;
use trimtab::lint::LINTS;
use trimtab::phase::PHASES;
use trimtab::quantity::Unit;
use trimtab::system::SYSTEMS;
use trimtab::transcript::FORMATS;
use trimtab::{host, pipeline, report};

use crate::cli::Run;
use crate::layers;

/// The ids and kinds of everything that `explain` must cover.
fn vocabulary() -> Vec<(&'static str, &'static str)> {
    let facts = FACTS.iter().map(|fact| ("fact", fact.name));
    let effects = EFFECTS.iter().map(|effect| ("effect", effect.name));
    let guards = GUARDS.iter().map(|guard| ("guard", guard.name));
    let phases = PHASES.iter().map(|phase| ("phase", phase.1));
    let lints = LINTS.iter().map(|lint| ("lint", lint.name()));
    let codes = report::codes().map(|code| ("code", code.id));
    let words = report::KEYWORDS.iter().map(|keyword| ("keyword", keyword.name));
    let units = Unit::words().chain(["share", "duration", "money"]).map(|word| ("unit", word));
    let topics = report::TOPICS.iter().map(|topic| ("topic", topic.name));
    let systems = SYSTEMS.iter().map(|system| ("system", system.name));
    let facts = topics.chain(systems).chain(words).chain(units).chain(facts);
    facts.chain(effects).chain(guards).chain(phases).chain(codes).chain(lints).collect()
}

/// The files of a folder with this ending; none when there is no such folder.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == ending)).collect();
    files.sort();
    files
}

/// The Rust files below a folder.
fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|end| end == "rs") {
            out.push(path);
        }
    }
}

/// The file that must declare a file below `root` as its module: `a.rs` for `a/b.rs`, the crate root at the top.
fn parent_module(path: &Path, root: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap();
    if folder == root {
        ["lib.rs", "main.rs"].map(|name| root.join(name)).to_vec()
    } else {
        vec![folder.with_extension("rs"), folder.join("main.rs")]
    }
}

/// Whether a text declares the module in this file.
fn declares(text: &str, path: &Path) -> bool {
    let declaration = format!("mod {};", path.file_stem().unwrap().to_string_lossy());
    text.lines().any(|line| {
        let line = line.trim();
        line == declaration || line.starts_with("pub") && line.ends_with(&format!(" {declaration}"))
    })
}

#[test]
fn every_source_file_is_declared_as_a_module() {
    let mut missing = Vec::new();
    let others = ["tests/suite", "benches/replay"].map(PathBuf::from);
    for root in layers::folders().iter().chain(&others) {
        let mut files = Vec::new();
        rust_files(root, &mut files);
        assert!(!files.is_empty());
        for path in files.iter().filter(|path| !path.ends_with("main.rs") && !path.ends_with("lib.rs")) {
            let parents = parent_module(path, root);
            let texts = parents.iter().filter_map(|parent| fs::read_to_string(parent).ok());
            if !texts.into_iter().any(|text| declares(&text, path)) {
                missing.push(format!(
                    "{}: add `mod {};` to {}",
                    path.display(),
                    path.file_stem().unwrap().display(),
                    parents[0].display()
                ));
            }
        }
    }
    assert!(missing.is_empty(), "files that are not compiled:\n{}", missing.join("\n"));
}

/// The names of the descriptors in a source file.
fn descriptors(text: &str) -> impl Iterator<Item = &str> {
    let is_type = |ty: &str| {
        ["Fact", "Effect", "Lint", "Subcommand", "Schema", "System", "Topic"].contains(&ty) || ty.ends_with("Format")
    };
    let statics = text.lines().filter_map(|line| line.strip_prefix("pub(super) static ")?.split_once(": "));
    statics.filter(move |(_, rest)| is_type(rest.split(' ').next().unwrap_or_default())).map(|(name, _)| name)
}

#[test]
fn every_descriptor_stands_in_the_table_of_its_parent() {
    let (mut seen, mut missing) = (0, Vec::new());
    let files = layers::folders().into_iter().flat_map(|root| {
        let mut files = Vec::new();
        rust_files(&root, &mut files);
        files.into_iter().map(move |path| (parent_module(&path, &root).swap_remove(0), path))
    });
    for (parent, path) in files {
        for name in descriptors(&fs::read_to_string(&path).unwrap()) {
            let entry = format!("&{}::{name}", path.file_stem().unwrap().display());
            let table = fs::read_to_string(&parent).unwrap();
            if ![",", "]"].iter().any(|end| table.contains(&format!("{entry}{end}"))) {
                missing.push(format!("{}: add `{entry},` to the table of {}", path.display(), parent.display()));
            }
            seen += 1;
        }
    }
    assert!(missing.is_empty(), "descriptors that no table lists:\n{}", missing.join("\n"));
    assert!(seen > 180, "{seen}");
}

fn found(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.display().to_string();
    let compiled = pipeline::compile_with(&name, &text, &mut host::Files::around(&name));
    compiled.diagnostics.iter().map(|diagnostic| format!("{} {}", diagnostic.code.id, diagnostic.message)).collect()
}

#[test]
fn everything_in_a_table_has_exactly_one_entry() {
    let mut entries = BTreeMap::<(&str, String), usize>::new();
    for entry in report::entries() {
        assert!(!entry.summary.is_empty(), "{} says nothing", entry.id);
        *entries.entry((entry.kind, entry.id)).or_default() += 1;
    }
    let wanted = vocabulary();
    for (kind, id) in &wanted {
        assert_eq!(entries.get(&(*kind, (*id).to_owned())), Some(&1), "the {kind} `{id}`");
    }
    assert_eq!(entries.len(), wanted.len(), "an entry has no descriptor");
}

#[test]
fn each_topic_refers_to_existing_entries_and_its_examples_are_valid() {
    let entries = report::entries();
    let mut aliases = Vec::new();
    for topic in report::TOPICS {
        assert!(!topic.see.is_empty() && !topic.examples.is_empty(), "{}", topic.name);
        for id in topic.see {
            assert!(!report::find(id, &entries).is_empty(), "{}: nothing is called `{id}`", topic.name);
        }
        for alias in topic.aliases.iter().chain([&topic.name]) {
            assert!(report::find(alias, &entries).iter().any(|entry| entry.id == topic.name), "{alias}");
            aliases.push(alias);
        }
        for example in topic.examples {
            if !example.starts_with("$ trimtab ") {
                let found = pipeline::compile("topic.trim", example).diagnostics;
                assert!(found.is_empty(), "{}: {found:?}", topic.name);
            }
        }
    }
    let all = aliases.len();
    aliases.sort_unstable();
    aliases.dedup();
    assert_eq!(aliases.len(), all, "a word leads to two topics");
}

#[test]
fn codes_are_unique_across_stages() {
    let mut ids: Vec<&str> = vocabulary().into_iter().filter(|(kind, _)| *kind == "code").map(|(_, id)| id).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn explain_prints_an_entry_for_every_id() {
    let printed = Run::line("explain --all").output().exits_with(0).out;
    for (kind, id) in vocabulary() {
        assert!(printed.contains(&format!("\n### `{id}`\n")), "the {kind} `{id}`");
    }
}

#[test]
fn the_reference_equals_the_output_of_explain() {
    let index = fs::read_to_string("docs/reference/README.md").unwrap();
    let kinds: Vec<String> = report::kinds().collect();
    for kind in &kinds {
        let command = format!("explain {kind} --format markdown");
        let printed = Run::line(&command).output().exits_with(0).out;
        let page = fs::read_to_string(format!("docs/reference/{kind}.md")).unwrap_or_default();
        assert!(
            page == printed,
            "docs/reference/{kind}.md is old: cargo run -q -- {command} -o docs/reference/{kind}.md"
        );
        assert!(index.contains(&format!("({kind}.md)")), "docs/reference/README.md does not list {kind}.md");
    }
    assert_eq!(files("docs/reference", "md").len(), kinds.len() + 1, "pages of the reference and their list");
}

#[test]
fn the_page_of_the_language_names_each_fact_and_effect() {
    let page = fs::read_to_string("docs/language.md").unwrap();
    let names = FACTS.iter().map(|fact| fact.name).chain(EFFECTS.iter().map(|effect| effect.name));
    // `` `tools` ``, `` `failures(of: TOOLS)` ``, `` `set NAME TEXT` `` or `` `host.NAME` ``
    let is_missing = |name: &&str| !["`", "(", " ", "."].iter().any(|end| page.contains(&format!("`{name}{end}")));
    let missing: Vec<&str> = names.filter(is_missing).collect();
    assert!(missing.is_empty(), "docs/language.md does not name {missing:?}");
}

#[test]
fn the_pages_count_the_formats() {
    for page in ["README.md", "CHANGELOG.md"] {
        let text = fs::read_to_string(page).unwrap();
        assert!(text.contains(&format!("{} formats", FORMATS.len())), "{page}: {} formats", FORMATS.len());
    }
}

#[test]
fn each_policy_validates_and_has_a_recording_beside_it() {
    let policies = files("policies", "trim");
    assert!(policies.len() >= 4);
    for path in policies {
        assert_eq!(found(&path), [""; 0], "{}", path.display());
        assert!(path.with_extension("jsonl").is_file(), "{} has no recording", path.display());
    }
}

#[test]
fn each_recording_has_its_policy() {
    for path in files("policies", "jsonl") {
        assert!(path.with_extension("trim").is_file(), "{} belongs to no policy", path.display());
    }
}

#[test]
fn each_example_validates() {
    for path in files("examples", "trim") {
        assert_eq!(found(&path), [""; 0], "{}", path.display());
    }
}

#[test]
fn each_page_and_each_example_is_listed() {
    let lists = [
        ("docs", "md", "docs/README.md"),
        ("docs/agents", "md", "docs/agents/README.md"),
        ("examples", "trim", "examples/README.md"),
        ("examples", "yaml", "examples/README.md"),
        ("examples", "rs", "examples/README.md"),
        ("policies", "trim", "policies/README.md"),
    ];
    for (folder, ending, list) in lists {
        let text = fs::read_to_string(list).unwrap();
        for path in files(folder, ending).iter().filter(|path| *path != Path::new(list)) {
            let name = path.file_name().unwrap().display().to_string();
            assert!(text.contains(&format!("{name})")), "{list} does not list {}", path.display());
        }
    }
}

#[test]
fn the_tables_of_a_category_have_its_lints() {
    let printed = Run::line("lints --format markdown --category cache").output().exits_with(0).out;
    let rows = printed.lines().filter(|line| line.starts_with("| `")).count();
    let lints = LINTS.iter().filter(|lint| lint.category.word() == "cache");
    assert_eq!(rows, lints.count());
}

#[test]
fn each_lint_has_a_reason_and_a_wrong_and_a_right_example() {
    for lint in LINTS {
        let code = &lint.code;
        assert!(code.why.ends_with('.') && code.why.len() > 60, "{}: {}", lint.name(), code.why);
        assert!(!code.title.ends_with('.') && !code.title.is_empty(), "{}", lint.name());
        assert!(code.wrong != code.right && code.wrong.contains("policy"), "{}", lint.name());
        assert!(lint.evidence.iter().all(|link| link.starts_with("https://")), "{}", lint.name());
        let file =
            format!("crates/trimtab-lint/src/lint/rule/{}/{}.rs", lint.category.word(), lint.name().replace('-', "_"));
        assert!(Path::new(&file).is_file(), "{file} is missing");
    }
}
