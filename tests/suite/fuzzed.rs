//! The properties of `property.rs`, checked on past failures and on randomly changed policies.
//!
//! `fuzz/` checks the same properties for longer. Each failure that it finds is added to `tests/fuzzed/PROPERTY/`.
//! `TRIMTAB_FUZZ_SEEDS=FOLDER` writes the seeds for the fuzzer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use trimtab::effect::EFFECTS;
use trimtab::fact::FACTS;
use trimtab::lint::LINTS;
use trimtab::report;
use trimtab::syntax::Keyword;

use crate::property::{self, PROPERTIES};

const PAST_FAILURES: &str = "tests/fuzzed";

/// The files in a folder with one of these extensions, sorted.
fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let wanted = |path: &PathBuf| path.extension().is_some_and(|end| endings.iter().any(|extension| end == *extension));
    let mut files: Vec<PathBuf> = entries.filter(wanted).collect();
    files.sort();
    files
}

/// The policies of the project: examples, documentation, tests, and the examples of lints and codes.
fn policies() -> Vec<String> {
    let folders = [
        "policies",
        "examples",
        "examples/recipes",
        "docs",
        "docs/incidents",
        "tests/check",
        "tests/format",
        "tests/test",
    ];
    let paths = folders.iter().flat_map(|folder| files(folder, &["trim"]));
    let mut texts: Vec<String> = paths.map(|path| fs::read_to_string(path).unwrap()).collect();
    texts.extend(LINTS.iter().flat_map(|lint| [lint.code.wrong, lint.code.right]).map(str::to_owned));
    let codes = report::codes().filter(|code| !code.id.starts_with("E6") && !code.id.starts_with("E7"));
    texts.extend(codes.flat_map(|code| [code.wrong, code.right]).map(str::to_owned));
    texts
}

/// The examples of the codes with this prefix.
fn examples(start: &str) -> impl Iterator<Item = String> {
    report::codes()
        .filter(move |code| code.id.starts_with(start))
        .flat_map(|code| [code.wrong, code.right])
        .map(str::to_owned)
}

/// The rest of each line after a word.
fn rests<'a>(texts: &'a [String], word: &'a str) -> impl Iterator<Item = String> + 'a {
    let lines = texts.iter().flat_map(|text| text.lines());
    lines.filter_map(move |line| line.split_once(word)).map(|(_, rest)| rest.split(" do ").next().unwrap().to_owned())
}

/// Recordings with a result that nests thousands of levels deep.
fn deep_recordings() -> impl Iterator<Item = String> {
    let deep = format!("{}0{}", "[{\"type\":\"tool_result\",\"content\":".repeat(5_000), "}]".repeat(5_000));
    let hollow = [
        "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"tool\",\"content\":@}\n",
        "{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":@}}\n",
        "{\"system\":@,\"messages\":[{\"role\":\"user\",\"content\":@}]}",
        "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":@}]",
    ];
    hollow.into_iter().map(move |text| text.replace('@', &deep))
}

/// Very long and very deep conditions.
fn large_conditions() -> [String; 4] {
    let any = |count: usize, part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(" or ");
    [
        any(3_000, &|at| format!("iteration == {at}")),
        any(200, &|at| format!("(context.ratio == {}% and context.tokens == {at} tokens)", at % 150)),
        format!("{}iteration > 3{}", "(".repeat(30_000), ")".repeat(30_000)),
        format!("{}iteration > 3", "not ".repeat(20_000)),
    ]
}

/// The seeds of a property.
fn seeds(property: &str) -> Vec<String> {
    let read = |folders: &[&str], endings: &[&str]| -> Vec<String> {
        let paths = folders.iter().flat_map(|folder| files(folder, endings));
        paths.map(|path| fs::read_to_string(path).unwrap()).collect()
    };
    match property {
        "yaml" => {
            let mut texts = read(&["examples", "tests/check", "docs/incidents"], &["yaml"]);
            texts.extend(examples("E6"));
            texts
        }
        "settings" => examples("E7").collect(),
        "condition" => rests(&policies(), "when ").chain(large_conditions()).collect(),
        "expectation" => rests(&policies(), "expect ").collect(),
        // Large recordings slow the fuzzer down.
        "recording" => read(&["docs/incidents", "policies", "tests/transcript"], &["jsonl", "json", "md"])
            .into_iter()
            .map(|text| text.lines().take(5).collect::<Vec<_>>().join("\n"))
            .chain(deep_recordings())
            .collect(),
        // A byte chooses the fixture, and four bytes are a change.
        "recording_lines" | "recording_documents" => {
            let changes = |first: u32| (0..81).filter_map(|at| char::from_u32((at * 13 + first) % 128)).collect();
            (0..24).map(changes).collect()
        }
        "replay" | "written" => HARD.iter().map(|text| (*text).to_owned()).collect(),
        _ => policies(),
    }
}

/// The keys and the short values of recordings, as a dictionary for the fuzzer.
fn recording_words() -> String {
    let texts = files("tests/transcript", &["jsonl", "json"]).into_iter().map(|path| fs::read_to_string(path).unwrap());
    let words: BTreeSet<String> = texts
        .flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| {
            (2..30).contains(&word.len())
                && word.chars().all(|char| char.is_ascii_alphanumeric() || "_-.".contains(char))
        })
        .collect();
    words.iter().map(|word| format!("\"\\\"{word}\\\"\"\n")).collect()
}

/// Texts in many scripts, with characters of several bytes, zero width or double width.
const HARD: [&str; 14] = [
    "目录 の ファイル/パス.rs を 読む",
    "µSv/h ±2 \u{a0}½",
    "e\u{301}\u{302}\u{303} n\u{303} a\u{308}",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦 🇩🇪 👍🏽 ☺\u{fe0f}",
    "שלום/עולם مرحبا\u{200f} \u{202e}abc\u{202c} \u{2066}x\u{2069}",
    "\u{200b}\u{200c}\u{200d}\u{feff}\u{2060}",
    "ไทย हिन्दी தமிழ் 한국어 Ελληνικά Кириллица",
    "𝒳𐍈𠜎 \u{10ffff}\u{fffd}\u{e000}",
    "a\u{0}b\u{1b}[31m\u{7}\u{85}\u{2028}\u{2029}",
    "ß ẞ ŉ ǰ ﬁ İ ı ſ K Å",
    "/目 目/ ./目.rs 目.x ~/é.tar.gz ..目 目..",
    "\r\n\t\u{c}\u{b} \u{3000}\u{2003}\u{00ad}-",
    "{\"路径\": \"目录/文件.rs\", \"ключ\": [\"значение\"]}",
    "\\ \" ' ` { } {{ }} # #: \"\"\" … [trimmed]",
];

/// A random text: pieces of the texts above, arbitrary characters, and words between them.
fn hard_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => (prop::sample::select(&HARD[..]), any::<prop::sample::Index>(), 0usize..12).prop_map(|(text, at, length)| {
            let at = at.index(text.chars().count());
            text.chars().skip(at).take(length).collect::<String>()
        }),
        2 => "\\PC{0,6}",
        1 => prop::collection::vec(any::<char>(), 0..4).prop_map(|all| all.into_iter().collect()),
        1 => prop::sample::select(vec![" ", "\n", "/", ".", "a", "src/x.rs", "\"", "{", "}"]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn each_property_has_seeds_and_a_target() {
    let folder = std::env::var_os("TRIMTAB_FUZZ_SEEDS").map(PathBuf::from);
    if let Some(folder) = &folder {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("recording.dict"), recording_words()).unwrap();
    }
    for (name, _) in PROPERTIES {
        let seeds = seeds(name);
        assert!(seeds.len() > 1, "{name}");
        if Path::new("fuzz").exists() {
            let target = fs::read_to_string(format!("fuzz/fuzz_targets/{name}.rs")).unwrap();
            assert!(target.contains("property.rs"), "{name}");
        }
        let Some(folder) = folder.as_ref().map(|folder| folder.join(name)) else { continue };
        fs::create_dir_all(&folder).unwrap();
        for (at, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed{at:03}")), seed).unwrap();
        }
    }
}

#[test]
fn the_dictionary_of_the_fuzzer_contains_every_keyword_fact_and_effect() {
    // The folder is not part of the published package.
    let Ok(dictionary) = fs::read_to_string("fuzz/policy.dict") else { return };
    let words: Vec<&str> =
        dictionary.split(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '.'))).collect();
    let facts = FACTS.iter().map(|fact| fact.name);
    let effects = EFFECTS.iter().map(|effect| effect.name);
    let missing: Vec<&str> =
        Keyword::all().map(Keyword::text).chain(facts).chain(effects).filter(|name| !words.contains(name)).collect();
    assert!(missing.is_empty(), "add to fuzz/policy.dict: {missing:?}");
}

#[test]
fn the_largest_seeds_satisfy_each_property() {
    for (name, property) in PROPERTIES {
        seeds(name).iter().filter(|seed| seed.len() > 50_000).for_each(|seed| property(seed.as_bytes()));
    }
}

#[test]
fn past_failures_satisfy_their_property() {
    let known: BTreeMap<&str, fn(&[u8])> = PROPERTIES.iter().copied().collect();
    for folder in fs::read_dir(PAST_FAILURES).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let property = known.get(name.as_str()).unwrap_or_else(|| panic!("{name} is not a property"));
        for entry in fs::read_dir(&folder).unwrap() {
            property(&fs::read(entry.unwrap().path()).unwrap());
        }
    }
}

/// A change of a text.
#[derive(Clone, Debug)]
enum Change {
    Drop(prop::sample::Index),
    Double(prop::sample::Index),
    Swap(prop::sample::Index, prop::sample::Index),
    /// Replaces a word with one of another text.
    Word(prop::sample::Index, prop::sample::Index, String),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    let mut words: Vec<String> =
        policies().iter().flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    words.sort();
    words.dedup();
    prop_oneof![
        1 => index().prop_map(Change::Drop),
        1 => index().prop_map(Change::Double),
        1 => (index(), index()).prop_map(|(a, b)| Change::Swap(a, b)),
        4 => (index(), index(), prop::sample::select(words)).prop_map(|(line, at, word)| Change::Word(line, at, word)),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for change in changes {
        match change {
            _ if lines.is_empty() => break,
            Change::Drop(at) => drop(lines.remove(at.index(lines.len()))),
            Change::Double(at) => {
                let at = at.index(lines.len());
                lines.insert(at, lines[at].clone());
            }
            Change::Swap(a, b) => {
                let (a, b) = (a.index(lines.len()), b.index(lines.len()));
                lines.swap(a, b);
            }
            Change::Word(line, at, new) => {
                let line = line.index(lines.len());
                let mut words: Vec<&str> = lines[line].split(' ').collect();
                let at = at.index(words.len());
                words[at] = new;
                lines[line] = words.join(" ");
            }
        }
    }
    lines.join("\n") + "\n"
}

/// A policy of the project with up to two changes; about half of them are still valid.
fn policy() -> impl Strategy<Value = String> {
    (prop::sample::select(policies()), prop::collection::vec(change(), 0..3))
        .prop_map(|(text, changes)| changed(&text, &changes))
}

proptest! {
    #![proptest_config(crate::generated::cases(64))]

    #[test]
    fn fixing_terminates_and_reduces_the_findings(text in policy()) {
        property::fix(text.as_bytes());
    }

    #[test]
    fn changed_policies_satisfy_the_other_properties(text in policy()) {
        for (name, property) in PROPERTIES {
            // These take an arbitrary text, not a policy.
            if !["fix", "replay", "written"].contains(name) {
                property(text.as_bytes());
            }
        }
    }

    #[test]
    fn changed_recordings_satisfy_their_property(bytes in prop::collection::vec(any::<u8>(), 5..120)) {
        property::recorded::changed_lines(&bytes);
        property::recorded::changed_documents(&bytes);
    }
}

proptest! {
    // Each case replays the text under a dozen policies, and puts it into a dozen places of a policy.
    #![proptest_config(crate::generated::cases(24))]

    #[test]
    fn texts_in_any_script_satisfy_each_property(text in hard_text()) {
        for (_, property) in PROPERTIES {
            property(text.as_bytes());
        }
    }

    #[test]
    fn any_bytes_satisfy_each_property(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for (_, property) in PROPERTIES {
            property(&bytes);
        }
    }
}
