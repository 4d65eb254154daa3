//! `simulate --sample` and `--top`: some of many recordings.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value as Json;

use super::{Run, folder};

const POLICY: &str = "policies/stuck_agent.trim";

/// Conversations in one file, larger than what is read as a whole. Some are alike.
fn many() -> String {
    let mut text = String::new();
    for number in 0..400 {
        let words = "the ferry leaves at noon ".repeat(140 + number % 7);
        writeln!(text, "{{\"messages\":[{{\"role\":\"user\",\"content\":\"{words}\"}},{{\"role\":\"assistant\",\"content\":\"noted\"}}]}}")
            .unwrap();
    }
    assert!(text.len() > 1 << 20);
    text
}

/// A folder with a large file, small files, and one that cannot be read.
fn recordings() -> tempfile::TempDir {
    let one = |number: usize| {
        format!(
            "{{\"trimtab\":1}}\n{{\"role\":\"user\",\"content\":\"question {number}\"}}\n{{\"role\":\"assistant\",\"content\":\"answer\"}}\n"
        )
    };
    let small: Vec<(String, String)> = (0..30).map(|number| (format!("s{number:02}.jsonl"), one(number))).collect();
    let many = many();
    let mut files: Vec<(&str, &str)> = small.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("many.jsonl", &many));
    files.push(("none.jsonl", "no recording\n"));
    folder(&files)
}

/// The ids of the replayed transcripts.
fn ids(run: Run) -> Vec<String> {
    let lines = run.arg("--format").arg("jsonl").output().exits_with(0).out;
    lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()["id"].as_str().unwrap().to_owned()).collect()
}

fn sample(folder: &std::path::Path, more: &str) -> Run {
    Run::line(&format!("simulate {POLICY} {more}")).arg(folder)
}

#[test]
fn a_sample_is_the_same_for_any_jobs_and_order_of_the_input() {
    let folder = recordings();
    let chosen = ids(sample(folder.path(), "--sample 12"));
    assert_eq!(chosen.len(), 12);
    for jobs in ["1", "2", "7"] {
        assert_eq!(ids(sample(folder.path(), &format!("--sample 12 --jobs {jobs}"))), chosen);
    }
    let mut files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.reverse();
    let reversed = ids(files.iter().fold(Run::line(&format!("simulate {POLICY} --sample 12")), Run::arg));
    let sorted = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&reversed), sorted(&chosen));
    assert_ne!(ids(sample(folder.path(), "--sample 12 --seed 1")), chosen);
}

#[test]
fn a_sample_keeps_the_names_and_the_order_of_all() {
    let folder = recordings();
    let all = ids(sample(folder.path(), ""));
    assert_eq!(all.len(), 430);
    let chosen = ids(sample(folder.path(), "--sample 50 --seed 3"));
    assert_eq!(chosen.len(), 50);
    let positions: Vec<usize> = chosen.iter().map(|id| all.iter().position(|one| one == id).unwrap()).collect();
    assert!(positions.is_sorted(), "{positions:?}");
    assert!(chosen.iter().filter(|id| id.contains("many.jsonl#")).count() > 10, "{chosen:?}");
    assert_eq!(ids(sample(folder.path(), "--sample 1000")), all, "a sample of more than there are");
}

#[test]
fn a_sample_has_the_results_and_contexts_of_a_replay_of_all() {
    let folder = recordings();
    let lines = |more: &str| sample(folder.path(), more).arg("--format").arg("jsonl").output().exits_with(0).out;
    let all = lines("");
    let all: BTreeSet<&str> = all.lines().collect();
    assert!(lines("--sample 20").lines().all(|line| all.contains(line)));
    let contexts = sample(folder.path(), "--sample 20 --contexts -").output().exits_with(0).out;
    let chosen = ids(sample(folder.path(), "--sample 20"));
    let of: Vec<String> = contexts
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap()["transcript"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(of, chosen);
}

#[test]
fn a_sample_goes_on_after_a_file_that_cannot_be_read_and_says_what_it_is() {
    let text = "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":\"b\"}\n";
    let folder = folder(&[("a.jsonl", text), ("b.jsonl", "no\n"), ("c.jsonl", "no\n"), ("d.jsonl", text)]);
    let output = sample(folder.path(), "--sample 2 --format json").output().exits_with(0);
    assert_eq!(output.json()["total"]["transcripts"], 2);
    let human = sample(folder.path(), "--sample 1 --seed 7").output().exits_with(0);
    assert!(human.out.contains("A sample of up to 1 transcript, chosen from 4 files with seed 7."), "{}", human.out);
}

#[test]
fn sampling_standard_input_or_seeding_nothing_is_a_usage_error() {
    let output = Run::line(&format!("simulate {POLICY} - --sample 1")).input("{}").output().exits_with(2);
    assert!(output.err.contains("standard input"), "{}", output.err);
    Run::line(&format!("simulate {POLICY} policies --sample 0")).output().exits_with(2);
    Run::line(&format!("simulate {POLICY} policies --seed 1")).output().exits_with(2);
}

#[test]
fn top_lists_the_most_changed_transcripts_with_the_totals_of_all() {
    let json = |more: &str| {
        let line = format!("simulate policies/coding_agent.trim policies --format json {more}");
        Run::line(&line).output().exits_with(0).json()
    };
    let (all, top) = (json(""), json("--top 2"));
    assert_eq!(all["total"], top["total"]);
    let listed = top["transcripts"].as_array().unwrap();
    let change = |one: &Json| one["tokens_saved"].as_i64().unwrap().unsigned_abs();
    let mut changes: Vec<u64> = all["transcripts"].as_array().unwrap().iter().map(change).collect();
    changes.sort_unstable_by(|a, b| b.cmp(a));
    let mut largest: Vec<u64> = listed.iter().map(change).collect();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(largest, changes[..2]);
    assert!(changes[1] > 0);
    let human = Run::line("simulate policies/coding_agent.trim policies --top 1").output().exits_with(0).out;
    assert_eq!(human.lines().filter(|line| line.trim_start().starts_with("policies/")).count(), 1, "{human}");
    assert!(human.contains("more, which change less"), "{human}");
    let csv = Run::line("simulate policies/coding_agent.trim policies --top 3 --format csv").output().exits_with(0).out;
    assert_eq!(csv.lines().count(), 4);
}

#[test]
fn top_of_several_policies_lists_what_any_of_them_changes_most() {
    let line = "simulate --policies policies/coding_agent.trim policies/research_assistant.trim --format json --top 2 -- policies";
    let json = Run::line(line).output().exits_with(0).json();
    let ids = |policy: usize| -> Vec<String> {
        let listed = json["policies"][policy]["transcripts"].as_array().unwrap();
        listed.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(0).len(), 2);
    assert_eq!(ids(0), ids(1));
}

#[test]
fn top_of_a_streamed_format_is_a_usage_error() {
    let output = Run::line(&format!("simulate {POLICY} policies --top 1 --format jsonl")).output().exits_with(2);
    assert!(output.err.contains("--top cannot be used with --format jsonl"), "{}", output.err);
}
