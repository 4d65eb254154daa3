//! Only the file of a fact names it: other code uses the fields of its descriptor.

use std::fs;

use trimtab::fact::FACTS;

use crate::layers;

/// String literals that are names of facts but have another meaning: a path, the words, and the reason.
const ALLOWED: &[(&str, &[&str], &str)] = &[
    ("src/fact/", &[], "the facts themselves"),
    ("src/effect/lifetime.rs", &["run"], "how long a view lasts"),
    ("src/check/agent.rs", &["model", "window"], "fields of the `agent` block"),
    ("src/check/test/given.rs", &["model", "window"], "settings of tests"),
    ("src/config", &["model", "window"], "keys of settings"),
    ("src/diff.rs", &["model", "window"], "fields of the `agent` block"),
    ("src/effect/idle.rs", &["window"], "a reason in output"),
    ("src/host/endpoint", &["model"], "a key of requests to servers"),
    ("src/lint/rule/units/suspicious_magnitude.rs", &["window"], "a field of the `agent` block"),
    ("src/model/models.rs", &["window"], "a key of settings"),
    ("src/plan/", &["model", "window"], "keys of plans"),
    ("src/recording/", &["model", "window", "run"], "keys of recordings and requests"),
    ("src/request", &["model"], "a key of requests"),
    ("src/run/environment.rs", &["model", "window"], "names of fields"),
    ("src/run/window_source.rs", &["model"], "a source in output"),
    ("src/syntax/yaml/", &["model", "window"], "keys of YAML files"),
    (
        "src/system/",
        &["model", "window", "budget.calls", "session.calls", "context.free"],
        "keys of settings, and texts of policies that are written from them",
    ),
    ("src/target/effects_yaml.rs", &["window"], "a key of YAML files"),
    ("src/check/error/fact.rs", &["failures"], "an example in a message"),
    ("src/report/topic/", &[], "topics of `explain` link to facts as documents do"),
    (
        "src/report/",
        &["changed", "host", "run", "iteration", "fired", "failed", "idle", "failures", "model", "window"],
        "columns and JSON keys of reports",
    ),
    ("src/transcript/", &["agent.name", "changed", "run", "failed", "model", "window"], "keys of recordings"),
    ("src/simulate/accuracy.rs", &["compactions"], "a reason in output"),
    ("src/run/explanation.rs", &["idle", "fired", "failed"], "outcomes of a rule"),
    ("src/simulate/cache_cause.rs", &["model"], "a cause in output"),
    ("src/simulate/extract/", &["failed"], "a word of summaries"),
    ("src/check/test_case.rs", &["idle"], "an outcome of a rule in a test"),
    ("src/check/test/expect.rs", &["idle"], "an outcome of a rule in a test"),
    ("src/quantity.rs", &["iteration"], "a unit"),
    ("src/proxy.rs", &["failures"], "a key of the page on its health"),
    ("src/cli/", &["since", "failed", "model", "window", "run"], "arguments of the command line, words of output"),
    ("src/lint/analysis/template.rs", &["since"], "a word of prose"),
];

/// Names of facts that are also units and words of most formats, so that no literal tells which is meant.
const WORDS: [&str; 4] = ["calls", "cost", "edits", "tokens"];

/// The string literals of a source file, before its tests.
fn literals(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).enumerate();
    let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(at, line)| line.split('"').skip(1).step_by(2).map(move |literal| (at + 1, literal)))
}

/// Whether a literal is the name of a fact, or the beginning of several: `budget.`.
fn names_a_fact(literal: &str) -> bool {
    let is_family = literal.len() > 1 && literal.ends_with('.');
    !WORDS.contains(&literal)
        && FACTS.iter().any(|fact| fact.name == literal || is_family && fact.name.starts_with(literal))
}

#[test]
fn no_file_but_its_own_names_a_fact_as_a_string() {
    let mut wrong = Vec::new();
    let mut used = vec![false; ALLOWED.len()];
    let is_test = |name: &str| name.ends_with("/tests.rs") || name.contains("/tests/");
    for (path, name) in layers::sources().into_iter().filter(|(_, name)| !is_test(name)) {
        let text = fs::read_to_string(&path).unwrap();
        for (line, literal) in literals(&text).filter(|(_, literal)| names_a_fact(literal)) {
            let allows = |(path, words, _): &(&str, &[&str], &str)| {
                name.starts_with(path) && (words.is_empty() || words.contains(&literal))
            };
            match ALLOWED.iter().position(allows) {
                Some(at) => used[at] = true,
                None => wrong.push(format!("{name}:{line}: \"{literal}\"")),
            }
        }
    }
    assert!(wrong.is_empty(), "decide by a field of the fact's descriptor instead:\n{}", wrong.join("\n"));
    let unused: Vec<_> = ALLOWED.iter().zip(used).filter(|(_, used)| !used).map(|(one, _)| one.0).collect();
    assert!(unused.is_empty(), "these exceptions are not needed any more: {unused:?}");
}
