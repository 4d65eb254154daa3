//! The figures in the headers of `policies/*.trim` are those of a simulation on the recording beside the policy.
//!
//! `TRIMTAB_UPDATE_CONSOLE=1 cargo test --test suite policy_figures` renews them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use trimtab::plan::Plan;
use trimtab::quantity::{Decimal, grouped, percent};
use trimtab::simulate::{Extract, Options, RuleTrace, Trace, replay};
use trimtab::transcript::{self, Transcript};

use crate::cli::Run;
use crate::laws;

/// A policy that changes nothing: what its replay sends is the recorded conversation.
const RECORDED: &str = "edition 2026\npolicy recorded { rule none { do notify \"\" } }";

/// Variants that the header of a policy compares it with: the policy, the column, and the variant.
const VARIANTS: &[(&str, &str, &str)] = &[
    (
        "cache_friendly",
        "masking each call",
        "edition 2026\npolicy p { rule mask_old_results { do mask results keep 6 results preview 60 chars } }",
    ),
    (
        "research_assistant",
        "trimming later",
        "edition 2026\npolicy p { rule trim_pages { on reply do trim results to 1500 chars keep 6 results } }",
    ),
    (
        "support_desk",
        "masking each call",
        "edition 2026\npolicy p { rule mask_old_results { do mask results keep 3 interactions preview 60 chars } }",
    ),
];

/// The first words of the lines with the figures.
const START: &str = "# Simulated on ";

/// What a replay sends and what that costs.
struct Column {
    title: String,
    trace: Trace,
    cost: Option<Decimal>,
}

impl Column {
    fn of(title: &str, plan: &Plan, transcript: &Transcript) -> Self {
        let trace = replay(plan, transcript, &Options::default(), &mut Extract, &mut |_| {});
        let cost = trace.money.priced.is_complete().then(|| trace.money.total());
        Self { title: title.to_owned(), trace, cost }
    }

    fn cells(&self) -> [String; 6] {
        let (trace, sent) = (&self.trace, self.trace.after());
        let share = trace.ratio(sent.peak).map_or_else(String::new, |share| format!(" ({})", percent(share)));
        let cost = self.cost.map_or_else(|| "unknown".to_owned(), |cost| format!("${:.3}", cost.round_dp(3)));
        [
            self.title.clone(),
            sent.calls.to_string(),
            format!("{}{share}", grouped(Decimal::from(sent.peak))),
            grouped(Decimal::from(u64::try_from(sent.sum).unwrap())),
            cost,
            trace.summaries.to_string(),
        ]
    }
}

/// The lines that belong into the header of a policy.
fn figures(path: &Path, text: &str) -> Vec<String> {
    let (name, recording) = (path.file_stem().unwrap().display().to_string(), path.with_extension("jsonl"));
    let transcript = transcript::read(&fs::read(&recording).unwrap(), None).unwrap().transcripts.remove(0);
    let variants = VARIANTS.iter().filter(|(of, _, _)| *of == name).map(|(_, title, text)| (*title, laws::plan(text)));
    let plans = [("recorded", laws::plan(RECORDED)), ("with the policy", laws::plan(text))].into_iter().chain(variants);
    let columns: Vec<Column> = plans.map(|(title, plan)| Column::of(title, &plan, &transcript)).collect();
    let trace = &columns[1].trace;
    let window =
        trace.window.map_or_else(String::new, |(window, _)| format!(", window {}", grouped(Decimal::from(window))));
    let model = transcript.model.as_deref().unwrap_or("unknown model");
    let mut lines =
        vec![format!("{START}{} ({model}{window} tokens):", recording.file_name().unwrap().display()), "#".to_owned()];
    let cells: Vec<[String; 6]> = columns.iter().map(Column::cells).collect();
    for (row, title) in
        ["", "model calls", "largest context", "tokens sent", "cost with cache", "summaries"].iter().enumerate()
    {
        let mut line = format!("#   {title:<15}");
        for column in &cells {
            let width = column.iter().map(String::len).max().unwrap();
            line += &format!("  {:>width$}", column[row]);
        }
        lines.push(line);
    }
    lines.push("#".to_owned());
    lines.extend(trace.rules.iter().map(|rule| format!("#   {}: {}", rule.name, outcome(rule))));
    lines
}

/// What a rule did.
fn outcome(rule: &RuleTrace) -> String {
    let plural = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    if rule.fired == 0 {
        return "did not fire".to_owned();
    }
    let mut parts = vec![format!("fired {}", plural(rule.fired, "time"))];
    if rule.edits > 0 {
        parts.push(plural(rule.edits, "edit"));
    }
    let tokens = grouped(Decimal::from(u64::try_from(rule.saved.abs()).unwrap()));
    match rule.saved {
        0 => {}
        1.. => parts.push(format!("{tokens} tokens saved")),
        _ => parts.push(format!("{tokens} tokens added")),
    }
    parts.join(", ")
}

/// A policy with these figures instead of its old ones. New figures come after its first comment.
fn renewed(text: &str, figures: &[String]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let comment_end = |from: usize| (from..lines.len()).find(|at| !lines[*at].starts_with('#')).unwrap();
    let (before, after) = if let Some(start) = lines.iter().position(|line| line.starts_with(START)) {
        (&lines[..start], &lines[comment_end(start)..])
    } else {
        let end = comment_end(0);
        (&lines[..=end], &lines[end..])
    };
    let figures = figures.iter().map(String::as_str);
    before.iter().copied().chain(figures).chain(after.iter().copied()).map(|line| format!("{line}\n")).collect()
}

/// The policies, by name.
fn policies() -> Vec<PathBuf> {
    let entries = fs::read_dir("policies").unwrap().map(|entry| entry.unwrap().path());
    let mut policies: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "trim")).collect();
    policies.sort();
    policies
}

#[test]
fn the_headers_of_the_policies_show_the_figures_of_a_simulation() {
    let update = std::env::var_os("TRIMTAB_UPDATE_CONSOLE").is_some();
    let mut outdated = Vec::new();
    for path in policies() {
        let text = fs::read_to_string(&path).unwrap();
        let renewed = renewed(&text, &figures(&path, &text));
        if update {
            fs::write(&path, &renewed).unwrap();
        } else if renewed != text {
            outdated.push(path.display().to_string());
        }
    }
    assert_eq!(outdated, [""; 0], "TRIMTAB_UPDATE_CONSOLE=1 renews the figures");
}

#[test]
fn figures_follow_the_first_comment_and_replace_older_ones() {
    let figures = [format!("{START}x.jsonl"), "#   one: fired 1 time".to_owned()];
    let new = renewed("#: What it does.\n\nedition 2026\n", &figures);
    assert_eq!(new, format!("#: What it does.\n\n{START}x.jsonl\n#   one: fired 1 time\n\nedition 2026\n"));
    assert_eq!(renewed(&new, &figures), new);
    assert_eq!(renewed(&new.replace("1 time", "2 times"), &figures), new);
}

/// What a simulation of each policy reports, and a digest of each context that would have been sent, so that a change of
/// any byte shows.
#[test]
fn each_policy_matches_the_snapshot_of_its_simulation() {
    for path in policies() {
        let recording = path.with_extension("jsonl");
        let report = simulated(&format!("simulate {} {}", path.display(), recording.display()));
        crate::golden::snapshot("policies", &path.file_stem().unwrap().display().to_string(), &report);
    }
}

/// The report of a simulation, and a line for each context: its tokens, its number of messages, and a digest of its text.
fn simulated(command: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let (report, contexts) = (directory.path().join("report.json"), directory.path().join("contexts.jsonl"));
    let line = format!("{command} --format json -o {} --contexts {}", report.display(), contexts.display());
    Run::line(&line).output().exits_with(0);
    let mut out = fs::read_to_string(&report).unwrap();
    for context in fs::read_to_string(&contexts).unwrap().lines() {
        let json: serde_json::Value = serde_json::from_str(context).unwrap();
        let messages = json["messages"].as_array().unwrap().len();
        let digest = Sha256::digest(json["messages"].to_string().as_bytes());
        let digest: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        writeln!(out, "call {}: {} tokens, {messages} messages, {digest}", json["call"], json["tokens"]).unwrap();
    }
    out
}
