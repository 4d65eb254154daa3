//! Large policies: checked, linted, formatted and compared, and their findings in every format.

use std::collections::BTreeMap;

use trimtab::diagnostic::Severity;
use trimtab::diff::compare;
use trimtab::format::format_source;
use trimtab::lint::Settings;
use trimtab::pipeline::{self, Compiler};
use trimtab::plan::lower;
use trimtab::report::{self, Finding, Findings, TerminalStyle};
use trimtab::source::{NoSources, Source, SourceId};

use crate::{Case, Work};

/// Actions of every kind; `{}` is a number.
const ACTIONS: &[&str] = &[
    "mask results keep 3 results",
    "trim results to 500 chars keep 4 results",
    "slide recent 10 messages medium 10 messages trim 200 chars",
    "summarise all at_most 4k tokens",
    "drop older keep 20 messages",
    "offload results over 2000 chars keep 6 results",
    "inject \"Use tool_{} now.\"",
    "retain last 5 interactions",
    "mask results keep 3 interactions",
    "remind [notes, bash]",
    "tools hide [tool_{}]",
    "tools only [tool_{}]",
    "systems hide [style]",
    "set v{} \"x\"",
    "emit state{} [context.tokens]",
    "notify \"x\"",
    "stop \"x\"",
    "drop duplicates",
    "mask images keep 2 images",
    "mask results keep 20k tokens",
    "drop older keep 10%",
    "mask user_messages keep 5 messages",
    "trim replies to 200 chars keep 3 interactions",
    "summarise results over 2k tokens at_most 500 tokens",
];

/// Conditions of every kind; `{}` is a number.
const CONDITIONS: &[&str] = &[
    "context.ratio > 9%",
    "failures >= {}",
    "repeats >= {}",
    "context.tokens > {} tokens",
    "iteration > {}",
    "context.messages > {} and context.ratio > 9%",
    "has_tool(\"tool_{}\")",
];

pub(crate) const CASES: &[Case] = &[
    ("check_mixed", 20_000, |rules| checking(&mixed(rules, "\n"))),
    ("check_policies", 10_000, |policies| checking(&inheriting(policies))),
    ("lint_injections", 5_000, |rules| linting(&injections(rules), "concise")),
    ("lint_mixed", 10_000, |rules| linting(&mixed(rules, "\n"), "concise")),
    ("lint_windows", 5_000, |rules| {
        linting(&of(rules, "context.tokens > {} tokens", "retain last 5 interactions"), "concise")
    }),
    ("lint_offers", 5_000, |rules| {
        linting(&of(rules, "context.tokens > {} tokens", "tools only [tool_{}]"), "concise")
    }),
    ("lint_stops", 5_000, |rules| linting(&of(rules, "failures > {}", "stop \"x\""), "concise")),
    ("lint_inherited", 3_000, |policies| linting(&inheriting(policies), "concise")),
    ("lint_suppressed", 5_000, |rules| linting(&suppressed(rules), "concise")),
    ("lint_one_line", 5_000, |rules| linting(&mixed(rules, " "), "human")),
    ("lint_one_line_wide", 2_000, |rules| linting(&mixed(rules, " ").replace("\"x\"", "\"å\""), "human")),
    ("output_human", 5_000, |rules| linting(&injections(rules), "human")),
    ("output_plain", 5_000, |rules| linting(&injections(rules), "plain")),
    ("output_json", 5_000, |rules| linting(&injections(rules), "json")),
    ("output_jsonl", 5_000, |rules| linting(&injections(rules), "jsonl")),
    ("output_sarif", 5_000, |rules| linting(&injections(rules), "sarif")),
    ("output_junit", 5_000, |rules| linting(&injections(rules), "junit")),
    ("output_github", 5_000, |rules| linting(&injections(rules), "github")),
    ("output_gitlab", 5_000, |rules| linting(&injections(rules), "gitlab")),
    ("output_markdown", 5_000, |rules| linting(&injections(rules), "markdown")),
    ("format_mixed", 10_000, |rules| formatting(mixed(rules, "\n"))),
    ("diff_mixed", 2_000, |rules| comparing(&mixed(rules, "\n"), &mixed(rules, "\n").replace(" 9%", " 8%"))),
];

fn numbered(text: &str, number: usize) -> String {
    text.replace("{}", &number.to_string())
}

fn around(rules: impl IntoIterator<Item = String>, between: &str) -> String {
    let rules: Vec<String> = rules.into_iter().collect();
    format!("edition 2026\nagent {{ window 200k tokens }}\npolicy p {{ {} }}\n", rules.join(between))
}

/// A policy with this many rules of all kinds.
fn mixed(rules: usize, between: &str) -> String {
    let rule = |at: usize| {
        let condition = numbered(CONDITIONS[at % CONDITIONS.len()], at % 90 + 2);
        format!("rule r{at} {{ when {condition} do {} }}", numbered(ACTIONS[at % ACTIONS.len()], at))
    };
    around((0..rules).map(rule), between)
}

/// A policy with this many rules of one kind.
fn of(rules: usize, condition: &str, action: &str) -> String {
    let rule = |at: usize| format!("rule r{at} {{ when {} do {} }}", numbered(condition, at + 2), numbered(action, at));
    around((0..rules).map(rule), "\n")
}

fn injections(rules: usize) -> String {
    let rule = |at: usize| {
        format!("rule r{at} {{ when repeats >= {} do inject \"Try {at}.\" once per repeats }}", at % 90 + 2)
    };
    around((0..rules).map(rule), "\n")
}

/// A policy with this many rules, each with a finding that a comment allows.
fn suppressed(rules: usize) -> String {
    let comment = "# trimtab: allow(unguarded-injection) because it is meant";
    let rule = |at: usize| format!("{comment} {at}\nrule r{at} {{ when failures >= {} do inject \"x\" }}", at % 90 + 2);
    around((0..rules).map(rule), "\n")
}

/// This many policies that inherit one rule.
fn inheriting(policies: usize) -> String {
    let base = "edition 2026\npolicy base { rule r { when context.ratio > 80% do mask results keep 3 results } }\n";
    let policy = |at: usize| {
        format!("policy p{at} extends base {{ rule s {{ when failures > {} do notify \"x\" }} }}\n", at % 9 + 1)
    };
    [base.to_owned()].into_iter().chain((0..policies).map(policy)).collect()
}

fn checking(text: &str) -> Work {
    let text = text.to_owned();
    Box::new(move || pipeline::compile("bench.trim", &text).checked.map_or(0, |checked| checked.policies.len()))
}

fn linting(text: &str, format: &'static str) -> Work {
    let text = text.to_owned();
    assert!(pipeline::compile("bench.trim", &text).checked.is_some(), "the policy has no errors");
    Box::new(move || lint_and_draw(&text, format))
}

fn formatting(text: String) -> Work {
    let source = Source::new(SourceId::default(), "bench.trim", text);
    Box::new(move || format_source(&source).map_or(0, |text| text.len()))
}

fn comparing(before: &str, after: &str) -> Work {
    let plan = |text: &str| {
        let checked = pipeline::compile("bench.trim", text).checked.expect("the policy has no errors");
        lower(&checked, None).expect("one policy")
    };
    let (before, after) = (plan(before), plan(after));
    Box::new(move || usize::from(compare(&before, &after).is_none()))
}

/// Runs all lints over a text and draws the findings; returns the length of the output.
pub(crate) fn lint_and_draw(text: &str, format: &str) -> usize {
    let mut compiler = Compiler::default();
    let compiled = compiler.compile("bench.trim", text, &mut NoSources);
    let mut settings = Settings::default();
    assert!(settings.extend("all").is_ok(), "`all` names no lints");
    let found = compiler.run_lints(&compiled, &settings, None, None).findings;
    let findings: Vec<Finding> = found.into_iter().map(Into::into).collect();
    let all = Findings {
        sources: compiler.sources(),
        findings: &findings,
        failing: &[Severity::Error],
        files: 1,
        unread: &[],
        codes: &[],
        version: "0.0.0",
        root: "",
        bytes: &BTreeMap::new(),
        style: TerminalStyle { width: 100, color: false, unicode: true },
        quiet: false,
    };
    report::finding_format(format).expect("an output format").render(&all).len()
}
