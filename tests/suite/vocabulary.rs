//! No file names an effect, a target or a label of another file as a string: what code outside an effect needs to know
//! is in its descriptor.

use std::collections::BTreeSet;
use std::fs;

use trimtab::effect::EFFECTS;

use crate::layers;

/// Files that use such a word with another meaning, and the reason. A path that ends in `/` is a folder.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    ("tool_use/", &["from", "last", "set", "to"], "keys of arguments of calls, words in names of tools, English"),
    (
        "check/",
        &["calls", "keep", "last", "only", "result", "stop", "thinking", "tools"],
        "keywords of `on_failure` and of tests, a key of the `agent` block",
    ),
    ("cli/", &["all", "for", "tools", "trim"], "flags, and the file extension"),
    ("conversation/invariant.rs", &["errors", "thinking"], "names of invariants in output"),
    ("quantity.rs", &["images"], "a unit"),
    (
        "system/",
        &["calls", "keep", "mask", "recent", "replies", "result", "results", "stop", "tools"],
        "keys and values of settings, and texts of policies that are written from them",
    ),
    ("fact/calls.rs", &["calls"], "the name of the fact"),
    ("report/history/sections.rs", &["errors"], "a column"),
    ("report/file_statistics.rs", &["errors"], "a column"),
    ("hook/event.rs", &["emit"], "the name of an event in JSON"),
    ("conversation/rendering.rs", &["result"], "English"),
    ("format/term.rs", &["by"], "the step of a range"),
    ("syntax/parse.rs", &["by"], "the step of a range"),
    ("lint/rule/evidence/reduced_result_fetched_again.rs", &["result"], "English"),
    ("lint/analysis/replays.rs", &["calls"], "English"),
    ("lint/analysis/reduction.rs", &["all"], "English"),
    ("lint/analysis/template.rs", &["by", "for", "from"], "English prepositions"),
    ("lint/rule/safety/summary_failure_stops.rs", &["keep", "stop"], "keywords of `on_failure`"),
    ("lint/rule/units/suspicious_magnitude.rs", &["keep"], "an option of the lint"),
    ("lint/settings.rs", &["all"], "a selector of lints"),
    ("model/id.rs", &["medium", "preview", "thinking"], "parts of the names of models"),
    ("plan/form.rs", &["all", "keep", "stop"], "keys and values of conditions and of `on_failure`"),
    ("plan/load/", &["all", "keep"], "keys and values of conditions and of `on_failure`"),
    ("quantity.rs", &["calls", "result", "results"], "units"),
    ("syntax/yaml/kind.rs", &["offload"], "a kind of effects in YAML"),
    ("recording/conversion.rs", &["tools"], "a key of requests"),
    ("recording/conversion/anthropic_messages.rs", &["thinking"], "a key and a type of content blocks"),
    ("recording/conversion/loss.rs", &["images", "thinking"], "English"),
    ("recording/observation/content.rs", &["replies"], "English"),
    ("transcript/missing_content.rs", &["replies"], "English"),
    ("recording/history/held.rs", &["thinking"], "a kind of part, in output"),
    ("recording/redaction/place.rs", &["results", "thinking", "tools"], "keys of the recording format"),
    ("recording/redaction/secret_name.rs", &["pin"], "a name of a secret"),
    ("recording/redaction/generic_name.rs", &["all"], "a name of a directory"),
    ("recording/redaction/assignment.rs", &["by"], "a word of SQL"),
    ("recording/redaction/value.rs", &["from", "only", "over"], "English"),
    ("report/number.rs", &["to"], "English"),
    ("report/topic/duplicates.rs", &["duplicates"], "the name of a topic"),
    (
        "report/",
        &["all", "boost", "emit", "calls", "from", "keep", "playbook", "result", "results", "stop", "tools", "trim"],
        "keys of machine-readable output, keywords",
    ),
    (
        "report/topic/",
        &[
            "at_least",
            "at_most",
            "down_to",
            "drop",
            "errors",
            "except",
            "for",
            "images",
            "inject",
            "keep_latest",
            "mask",
            "only",
            "pin",
            "restore",
            "slide",
            "summarise",
            "user_messages",
        ],
        "links between topics",
    ),
    ("conversation/harness.rs", &["tools"], "a value in recordings"),
    ("simulate/cache_cause.rs", &["tools"], "a cause in output"),
    ("config.rs", &["tools"], "a key of settings"),
    ("config/read.rs", &["tools"], "a key of settings"),
    ("diff.rs", &["tools"], "a key of the `agent` block"),
    ("plan/", &["tools"], "a key of the `agent` block"),
    ("syntax/yaml/", &["tools"], "a key of YAML files"),
    ("fact/stall.rs", &["last"], "a parameter"),
    ("quantity/alias.rs", &["min"], "a unit"),
    ("report/schema/playbook.rs", &["playbook"], "the name of a schema"),
    ("hook_client/claude_code.rs", &["result"], "a key of the output of a tool"),
    ("request/dialect/anthropic.rs", &["thinking"], "a type of blocks"),
    ("request/dialect/form.rs", &["tools"], "a key of requests"),
    ("run/", &["tools"], "fields in debug output"),
    ("simulate/accuracy.rs", &["calls"], "a unit in output"),
    ("simulate/reasoning_handling.rs", &["drop", "keep"], "values of an option"),
    ("transcript/", &["playbook", "result", "results", "thinking", "tools"], "keys of recordings"),
];

/// The names of all effects, targets and labels.
fn vocabulary() -> BTreeSet<&'static str> {
    let words = |effect: &&'static trimtab::effect::Effect| {
        let targets = effect.targets().iter().map(|target| target.name);
        // The word of a value is never written.
        let labels = effect.labels.iter().filter(|label| !effect.is_value(label)).map(|label| label.name);
        [effect.name].into_iter().chain(targets).chain(labels).collect::<Vec<_>>()
    };
    EFFECTS.iter().flat_map(words).collect()
}

/// The string literals of a file that consist of one word, without comments and unit tests.
fn literals(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let word = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    lines.flat_map(|line| line.split('"').filter(word).map(str::to_owned).collect::<Vec<_>>()).collect()
}

fn is_exempt(file: &str, word: &str) -> bool {
    let covers = |path: &str| if path.ends_with('/') { file.starts_with(path) } else { file == path };
    EXCEPTIONS.iter().any(|(path, words, _)| covers(path) && words.contains(&word))
}

#[test]
fn only_its_own_file_names_an_effect_a_target_or_a_label() {
    let (vocabulary, mut wrong) = (vocabulary(), Vec::new());
    let mut used = BTreeSet::new();
    for (path, file) in layers::sources() {
        let file = file.trim_start_matches("src/").to_owned();
        if file.starts_with("effect/") || file.ends_with("tests.rs") || file.contains("/tests/") {
            continue;
        }
        for word in literals(&fs::read_to_string(path).unwrap()) {
            if !vocabulary.contains(word.as_str()) {
                continue;
            }
            if is_exempt(&file, &word) {
                used.insert((file.clone(), word));
            } else {
                wrong.push(format!("{file}: \"{word}\""));
            }
        }
    }
    assert!(wrong.is_empty(), "ask the descriptor instead of the name:\n{}", wrong.join("\n"));
    for (path, words, _) in EXCEPTIONS {
        for word in *words {
            let is_used = used.iter().any(|(file, one)| one == word && (file == path || file.starts_with(path)));
            assert!(is_used, "the exception of \"{word}\" in {path} is not needed any more");
        }
    }
}
