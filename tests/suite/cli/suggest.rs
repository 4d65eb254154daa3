//! `trimtab suggest`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::{Run, folder, recording};
use crate::golden::snapshot;

/// Writes the suggested policy for some recordings, and checks it and its promise with other verbs. Returns the report.
#[track_caller]
pub(super) fn promise(recordings: &str, more: &str, out: &Path) -> Json {
    let file = out.join("policy.trim");
    drop(fs::remove_file(&file));
    let words = ["suggest", recordings, "--format", "json"].into_iter().chain(more.split_whitespace());
    let report = Run::new(words.chain(["--write"])).arg(&file).output().exits_with(0).json();
    let Some(text) = report["policy"].as_str() else {
        assert!(!file.exists() && report["simulated"].is_null());
        return report;
    };
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    for line in ["validate", "lint", "fmt --check"] {
        let checked = Run::line(line).arg(&file).output().exits_with(0);
        assert!(!(checked.out + &checked.err).contains("policy.trim"), "{line}: findings in\n{text}");
    }
    let words = ["simulate", file.to_str().unwrap(), recordings, "--format", "json"];
    let simulated = Run::new(words.into_iter().chain(more.split_whitespace())).output().exits_with(0).json();
    let (total, promised) = (&simulated["total"], &report["simulated"]);
    assert_eq!(total["tokens_saved"], promised["tokens_saved"], "{recordings}");
    assert_eq!(total["before"]["tokens_sent"], promised["recorded_tokens"], "{recordings}");
    let money = &total["money"];
    let cost = |json: &Json| json.as_f64();
    let saved = cost(&money["before"]["cost"])
        .zip(cost(&money["after"]["cost"]))
        .zip(cost(&money["summaries_cost"]))
        .map(|((before, after), summaries)| ((before - after - summaries) * 1e6).round());
    assert_eq!(saved, cost(&promised["cost_saved"]).map(|cost| (cost * 1e6).round()), "{recordings}");
    let rules = |json: &Json, name: &str| -> Vec<Json> {
        let all = json["rules"].as_array().unwrap().iter();
        all.map(|rule| serde_json::json!([rule[name], rule["fired"], rule["tokens_saved"], rule["cost_saved"]]))
            .collect()
    };
    assert_eq!(rules(total, "name"), rules(promised, "rule"), "{recordings}");
    report
}

#[test]
fn the_report_on_a_coding_agent_at_60_columns() {
    let output = Run::line("suggest policies/coding_agent.jsonl --width 60").output().exits_with(0);
    assert_eq!(output.err, "");
    snapshot("suggest", "coding_agent_60", &output.out);
}

#[test]
fn the_report_on_a_loop_of_calls_at_80_columns() {
    let output = Run::line("suggest policies/stuck_agent.jsonl --width 80").output().exits_with(0);
    snapshot("suggest", "stuck_agent_80", &output.out);
}

#[test]
fn the_report_in_markdown_and_the_policy_in_a_block() {
    let output = Run::line("suggest policies/cache_friendly.jsonl --format markdown").output().exits_with(0);
    snapshot("suggest", "cache_friendly_markdown", &output.out);
}

#[test]
fn the_written_policy_saves_what_was_promised() {
    let out = tempfile::tempdir().unwrap();
    for name in ["coding_agent", "cache_friendly", "stuck_agent", "support_desk", "research_assistant"] {
        promise(&format!("policies/{name}.jsonl"), "", out.path());
    }
    let all = promise("policies", "", out.path());
    assert!(all["simulated"]["tokens_saved"].as_i64() > Some(0));
    assert!(all["observed"]["transcripts"].as_u64() > Some(5));
}

#[test]
fn the_promise_holds_with_the_options_of_replays() {
    let out = tempfile::tempdir().unwrap();
    for more in
        ["--no-cache", "--window 200k --tokens estimate", "--model gpt-5", "--config trimtab.toml --profile narrow"]
    {
        let report = promise("policies/coding_agent.jsonl", more, out.path());
        assert!(report["policy"].is_string(), "{more}");
    }
}

#[test]
fn the_content_sums_up_to_the_tokens_sent() {
    let report = Run::line("suggest policies docs --format json").output().exits_with(0).json();
    let content = report["observed"]["content"].as_array().unwrap().iter();
    let sum: u64 = content.map(|one| one["tokens"].as_u64().unwrap()).sum();
    assert_eq!(Some(sum), report["observed"]["tokens_sent"].as_u64());
}

#[test]
fn the_output_does_not_depend_on_the_number_of_jobs() {
    let with = |jobs: &str| {
        let output = Run::line("suggest policies docs --jobs").arg(jobs).output().exits_with(0);
        (output.out, output.err)
    };
    let one = with("1");
    assert!(one.0.contains("rule "));
    assert_eq!(one, with("3"));
}

#[test]
fn an_existing_file_is_not_replaced_without_force() {
    let folder = folder(&[("old.trim", "mine\n")]);
    let file = folder.path().join("old.trim");
    let run =
        |line: &str| Run::line(&format!("suggest policies/coding_agent.jsonl {line} --write")).arg(&file).output();
    let refused = run("").exits_with(2);
    assert!(refused.err.contains("exists; choose another name, or replace it with --force"), "{}", refused.err);
    assert_eq!((refused.out.as_str(), fs::read_to_string(&file).unwrap().as_str()), ("", "mine\n"));
    let written = run("--force").exits_with(0);
    assert!(written.out.contains("The policy is in ") && !written.out.contains("edition 2026"), "{}", written.out);
    assert!(fs::read_to_string(&file).unwrap().contains("edition 2026"));
    Run::line("suggest policies/coding_agent.jsonl --write").arg(folder.path()).output().exits_with(2);
    Run::line("suggest policies/coding_agent.jsonl --force").output().exits_with(2);
}

#[test]
fn recordings_in_which_nothing_helps_get_no_policy() {
    let folder = folder(&[("short.jsonl", &recording().replace("\"window\":4000", "\"window\":200000"))]);
    let output = Run::line("suggest short.jsonl --write policy.trim").current_dir(folder.path()).output().exits_with(0);
    let answer = "No rule would save anything on these recordings, so there is no policy.\n  Below is why";
    assert!(output.out.starts_with(answer), "{}", output.out);
    assert!(output.out.contains("policy.trim was not written."), "{}", output.out);
    assert!(output.out.contains("mask_before_the_window_is_full: left out, it never fires"), "{}", output.out);
    assert!(!output.out.contains("edition") && !folder.path().join("policy.trim").exists(), "{}", output.out);
    let path = folder.path().join("short.jsonl");
    assert!(promise(path.to_str().unwrap(), "", folder.path())["policy"].is_null());
}

#[test]
fn a_session_that_begins_in_the_middle_is_said_to_lack_its_contents() {
    let usage = r#""usage":{"input_tokens":150000,"output_tokens":20}"#;
    let line = |parent: &str, id: &str, message: &str| {
        format!(r#"{{"parentUuid":{parent},"uuid":"{id}","sessionId":"s","type":{message}}}"#) + "\n"
    };
    let mut lines = line("\"gone\"", "a", r#""user","message":{"role":"user","content":"Go on"}"#);
    for (parent, id) in [("\"a\"", "b"), ("\"b\"", "c")] {
        let reply = format!(
            r#""assistant","message":{{"role":"assistant","id":"m{id}","model":"claude-sonnet-4-5","content":[{{"type":"text","text":"Done"}}],{usage}}}"#
        );
        lines += &line(parent, id, &reply);
    }
    let folder = folder(&[("resumed.jsonl", &lines)]);
    let output = Run::line("suggest resumed.jsonl").current_dir(folder.path()).output().exits_with(0);
    let reason = "of the tokens sent are not in the recordings, and rules only remove what is recorded.";
    assert!(output.out.replace("\n ", "").contains(reason), "{}", output.out);
    assert!(!output.out.contains("policy suggested"), "{}", output.out);
}

#[test]
fn recordings_without_calls_get_no_policy() {
    let folder = folder(&[("short.jsonl", "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"Hello\"}\n")]);
    let output = Run::line("suggest short.jsonl").current_dir(folder.path()).output().exits_with(0);
    assert!(output.out.contains("so there is no policy.\n  There are no model calls."), "{}", output.out);
}

#[test]
fn without_recordings_there_is_no_policy() {
    let folder = folder(&[]);
    let run = Run::line("suggest . --allow-empty --write policy.trim").current_dir(folder.path());
    let output = run.output().exits_with(0);
    assert!(output.out.contains("so there is no policy."), "{}", output.out);
    assert!(!folder.path().join("policy.trim").exists());
}

#[test]
fn bad_arguments_and_recordings_are_reported() {
    let folder = folder(&[("a.jsonl", &recording()), ("b.jsonl", "no recording\n")]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let stdin = run("suggest -").exits_with(2);
    assert!(stdin.err.contains("cannot read standard input"), "{}", stdin.err);
    let name = run("suggest a.jsonl --policy 9lives").exits_with(2);
    assert!(name.err.contains("`9lives` is not a name for a policy"), "{}", name.err);
    run("suggest none.jsonl").exits_with(2);
    run("suggest b.jsonl").exits_with(2);
    run("suggest a.jsonl --model unknown").exits_with(2);
    let some = run("suggest a.jsonl b.jsonl --format json").exits_with(0);
    assert_eq!(some.json()["errors"][0]["file"], "b.jsonl");
    assert!(some.err.contains("b.jsonl"), "{}", some.err);
    assert!(run("suggest a.jsonl b.jsonl").out.starts_with("1 of 2 recordings read."));
    run("suggest a.jsonl b.jsonl --strict").exits_with(2);
}

#[test]
fn the_policy_has_the_given_name() {
    let output = Run::line("suggest policies/coding_agent.jsonl --policy cheaper").output().exits_with(0);
    assert!(output.out.contains("policy cheaper \""), "{}", output.out);
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, out) } else { out.push(path) }
    }
}

#[test]
fn the_promise_holds_on_real_recordings() {
    let Ok(samples) = std::env::var("TRIMTAB_SAMPLES") else {
        // Without the macro, whose output is captured in a passing test.
        let notice =
            "\n*** SKIPPED: set TRIMTAB_SAMPLES to a directory of recordings to suggest policies for them ***\n\n";
        std::io::stderr().write_all(notice.as_bytes()).unwrap();
        return;
    };
    let (mut paths, out, mut without_calls) = (Vec::new(), tempfile::tempdir().unwrap(), 0);
    let (mut saving, mut without_rules, mut all) = (0, 0, 0);
    files(Path::new(&samples), &mut paths);
    for path in &paths {
        let readable = Run::line("transcript stat").arg(path).output().code == 0;
        if readable {
            let report = promise(path.to_str().unwrap(), "--isolated", out.path());
            let is_kept = |suggestion: &Json| suggestion["outcome"] == "kept";
            let keeps_a_rule = report["suggestions"].as_array().unwrap().iter().any(is_kept);
            assert_eq!(report["policy"].is_string(), keeps_a_rule, "{}", path.display());
            saving += usize::from(report["simulated"]["tokens_saved"].as_i64() > Some(0));
            without_rules += usize::from(!keeps_a_rule);
            without_calls += usize::from(report["observed"]["calls"] == 0);
            all += 1;
        }
    }
    println!(
        "{all} recordings: {saving} policies that save tokens, {without_rules} without one, {without_calls} without calls"
    );
    assert!(saving > 0, "no policy saves anything on {samples}");
}
