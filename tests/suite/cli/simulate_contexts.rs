//! `trimtab simulate --contexts`, and the summarisers whose summaries the contexts contain.

use std::path::Path;

use serde_json::Value as Json;

use super::{Run, folder, policy, recording};

const SUMMARISE: &str = "when iteration == 2 do summarise older keep 1 messages";

/// The lines of `--contexts` of the small recording under a policy of one rule.
fn contexts(rule: &str, more: &[&str]) -> Vec<Json> {
    let folder = folder(&[("p.trim", &policy(rule)), ("r.jsonl", &recording())]);
    let inside = |name: &str| folder.path().join(name);
    let run = Run::new(["simulate"]).arg(inside("p.trim")).arg(inside("r.jsonl"));
    let run = more.iter().fold(run.arg("--contexts").arg(inside("c.jsonl")), Run::arg);
    run.output().exits_with(0);
    read(&inside("c.jsonl"))
}

fn read(path: &Path) -> Vec<Json> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn roles(line: &Json) -> Vec<&str> {
    line["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect()
}

#[test]
fn contexts_has_one_line_per_call() {
    let lines = contexts("do notify \"x\"", &[]);
    let calls: Vec<_> = lines.iter().map(|line| (&line["call"], &line["run"], &line["iteration"])).collect();
    let number = |at: u64| Json::from(at);
    let (zero, one, two) = (number(0), number(1), number(2));
    assert_eq!(calls, [(&zero, &zero, &zero), (&one, &zero, &one), (&two, &zero, &two)]);
    assert_eq!(roles(&lines[0]), ["system", "user"]);
    assert_eq!(roles(&lines[2]), ["system", "user", "assistant", "tool", "assistant", "tool"]);
}

#[test]
fn tokens_grow_while_nothing_is_removed() {
    let lines = contexts("do notify \"x\"", &[]);
    let tokens: Vec<u64> = lines.iter().map(|line| line["tokens"].as_u64().unwrap()).collect();
    assert!(tokens[0] > 0 && tokens.is_sorted() && tokens[0] < tokens[2], "{tokens:?}");
}

#[test]
fn content_is_always_a_list_of_parts_and_arguments_are_as_recorded() {
    let lines = contexts("do notify \"x\"", &[]);
    for message in lines.iter().flat_map(|line| line["messages"].as_array().unwrap()) {
        assert!(message["content"].as_array().is_some_and(|parts| parts.iter().all(Json::is_object)), "{message}");
    }
    let last = &lines[2]["messages"];
    assert_eq!(last[0]["content"], serde_json::json!([{"type": "text", "text": "You look things up."}]));
    assert_eq!(last[2]["content"][1]["arguments"], serde_json::json!({"path": "a"}));
    assert_eq!(last[4]["content"][0]["arguments"], "{\"path\":\"b\"}");
}

#[test]
fn contexts_do_not_contain_removed_content() {
    let lines = contexts("do mask results keep 0 results preview 10 chars", &[]);
    let result = lines[2]["messages"][3].to_string();
    assert!(result.contains("alpha beta"[..10].trim()) && !result.contains("gamma delta alpha"), "{result}");
}

#[test]
fn a_message_for_one_step_is_in_one_context_only() {
    let lines = contexts("when iteration == 1 do inject \"only now\" for step", &[]);
    let with: Vec<bool> = lines.iter().map(|line| line["messages"].to_string().contains("only now")).collect();
    assert_eq!(with, [false, true, false]);
}

#[test]
fn an_injected_message_stays_when_it_is_not_for_one_step() {
    let lines = contexts("when iteration == 1 do inject \"from now on\" once", &[]);
    let with: Vec<bool> = lines.iter().map(|line| line["messages"].to_string().contains("from now on")).collect();
    assert_eq!(with, [false, true, true]);
}

#[test]
fn a_fixed_summary_is_numbered() {
    let lines = contexts(SUMMARISE, &["--summariser", "fixed:summary {n} of them"]);
    assert!(lines.iter().any(|line| line["messages"].to_string().contains("summary 1 of them")), "{lines:?}");
}

#[test]
fn a_summary_that_fails_leaves_everything_as_it_is() {
    let plain = contexts("do notify \"x\"", &[]);
    let failed = contexts(SUMMARISE, &["--summariser", "fail"]);
    let messages = |lines: &[Json]| lines.iter().map(|line| line["messages"].clone()).collect::<Vec<_>>();
    assert_eq!(messages(&failed), messages(&plain));
}

#[cfg(unix)]
#[test]
fn a_summariser_command_reads_the_conversation_and_prints_the_summary() {
    let lines = contexts(SUMMARISE, &["--summariser", "command:printf 'heard %s' $(grep -c alpha)"]);
    assert!(lines.iter().any(|line| line["messages"].to_string().contains("heard 1")), "{lines:?}");
}

#[cfg(unix)]
#[test]
fn the_summary_fails_if_the_summariser_command_fails() {
    let plain = contexts("do notify \"x\"", &[]);
    let failed = contexts(SUMMARISE, &["--summariser", "command:echo trouble >&2; exit 3"]);
    assert_eq!(failed[2]["messages"], plain[2]["messages"]);
}

#[test]
fn an_unknown_summariser_is_a_usage_error() {
    let line = "simulate policies/stuck_agent.trim policies/stuck_agent.jsonl --summariser oracle";
    assert!(Run::line(line).output().exits_with(2).err.contains("command:CMD"));
}

#[test]
fn contexts_of_several_recordings_are_in_input_order() {
    let folder = folder(&[("p.trim", &policy("do notify \"x\""))]);
    let out = folder.path().join("c.jsonl");
    let run = Run::new(["simulate"]).arg(folder.path().join("p.trim")).arg("policies").arg("--contexts").arg(&out);
    run.output().exits_with(0);
    let mut names: Vec<String> =
        read(&out).iter().map(|line| line["transcript"].as_str().unwrap().to_owned()).collect();
    names.dedup();
    assert!(names.len() > 3 && names.is_sorted(), "{names:?}");
}

#[cfg(unix)]
#[test]
fn the_error_of_a_summariser_command_names_the_program_without_arguments() {
    let folder = folder(&[("p.trim", &policy(SUMMARISE)), ("r.jsonl", &recording())]);
    for (command, expected) in [
        ("false --key sk-secret-1234", "`false` ended with exit status: 1"),
        ("KEY=sk-secret-1234 sh -c 'exit 3'", "`sh` ended with exit status: 3"),
        (
            "KEY='a sk-secret-1234 b' sh -c 'echo \"no \\033[31m $KEY\" >&2; exit 1'",
            "`sh` ended with exit status: 1: no",
        ),
        ("sh -c 'echo \"bad key: $1\" >&2; exit 1' x sk-secret-1234", "bad key: …"),
        ("sh -c 'exec no-such-program \"$0\"' sk-secret-1234", "`sh` ended with exit status: 127"),
        ("(sh -c 'exit 1' sk-secret-1234)", "the command ended with exit status: 1"),
        ("sh -c 'yes ab | head -n 900 | tr -d \"\\n\" >&2; exit 1'", "abab"),
    ] {
        for form in ["human", "json"] {
            let run = Run::line("simulate p.trim r.jsonl -v --width 200 --format").arg(form);
            let output = run.arg("--summariser").arg(format!("command:{command}")).current_dir(folder.path()).output();
            let all = format!("{}{}", output.out, output.err);
            assert!(!all.contains("sk-secret") && !all.contains('\u{1b}'), "{command}: {all}");
            assert!(all.len() < 10_000, "{command}: {} bytes", all.len());
            let one_line = all.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(form == "json" || one_line.contains(expected), "{command}: {all}");
        }
    }
}
