//! `trimtab simulate`: exit codes, inputs, options, and the JSON output.

use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;
use trimtab::report::result::SimulationResult;
use trimtab::transcript::FORMATS;

use super::{Output, Run, folder, policy, recording};

const NOTIFY: &str = "do notify \"x\"";

/// A replay of these recordings under a policy with one rule.
fn replay(rule: &str, recordings: &[(&str, &str)], more: &[&str]) -> Output {
    let policy = policy(rule);
    let mut files = vec![("p.trim", policy.as_str())];
    files.extend(recordings);
    let folder = folder(&files);
    let run = Run::new(["simulate"]).arg(folder.path().join("p.trim"));
    let run = recordings.iter().fold(run, |run, (name, _)| run.arg(folder.path().join(name)));
    more.iter().fold(run, Run::arg).output()
}

/// The JSON output of a replay of the small recording.
fn json(rule: &str, more: &[&str]) -> Json {
    let more = [&["--format", "json"], more].concat();
    replay(rule, &[("r.jsonl", &recording())], &more).exits_with(0).json()
}

#[test]
fn a_policy_with_errors_prints_them_and_exits_with_1() {
    let output = Run::line("simulate tests/check/five_mistakes.trim policies/stuck_agent.jsonl").output().exits_with(1);
    assert!(output.err.contains("five_mistakes.trim:4:"), "{}", output.err);
    assert_eq!(output.out, "");
}

#[test]
fn a_missing_policy_or_recording_exits_with_2() {
    let output = Run::line("simulate no_such.trim policies/stuck_agent.jsonl").output().exits_with(2);
    assert!(output.err.contains("no_such.trim"), "{}", output.err);
    let output = Run::line("simulate policies/stuck_agent.trim no_such.jsonl").output().exits_with(2);
    assert!(output.err.contains("no_such.jsonl"), "{}", output.err);
}

#[test]
fn no_recording_exits_with_2_unless_allowed() {
    let folder = folder(&[("note.txt", "no recording")]);
    Run::line("simulate policies/stuck_agent.trim").arg(folder.path()).output().exits_with(2);
    Run::line("simulate --allow-empty policies/stuck_agent.trim").arg(folder.path()).output().exits_with(0);
}

#[test]
fn an_unreadable_recording_alone_exits_with_2() {
    let output = replay(NOTIFY, &[("bad.jsonl", "this is no recording\n")], &["--format", "json"]).exits_with(2);
    assert!(output.err.contains("bad.jsonl"), "{}", output.err);
    let json = output.json();
    assert_eq!(json["transcripts"], Json::Array(Vec::new()));
    assert_eq!(json["errors"].as_array().unwrap().len(), 1);
}

#[test]
fn an_unreadable_recording_beside_a_readable_one_is_listed_in_errors() {
    let text = recording();
    let files = [("bad.jsonl", "this is no recording\n"), ("good.jsonl", text.as_str())];
    let output = replay(NOTIFY, &files, &["--format", "json"]).exits_with(0);
    let json = output.json();
    assert_eq!(json["transcripts"].as_array().unwrap().len(), 1);
    let error = &json["errors"][0];
    assert!(error["file"].as_str().unwrap().ends_with("bad.jsonl"), "{error}");
    assert!(error["message"].is_string() && error.get("line").is_some(), "{error}");
    replay(NOTIFY, &files, &["--strict"]).exits_with(2);
}

#[test]
fn json_progress_has_a_line_for_each_transcript_and_each_message() {
    let text = recording();
    let files = [("bad.jsonl", "no\n"), ("calls \u{1b}.jsonl", text.as_str())];
    let plain = replay(NOTIFY, &files, &[]).exits_with(0);
    let output = replay(NOTIFY, &files, &["--json-progress"]).exits_with(0);
    let lines: Vec<Json> = output.err.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let messages: String =
        lines.iter().filter_map(|line| line["message"].as_str()).map(|one| format!("{one}\n")).collect();
    let name = |text: &str| text.split(": ").next().unwrap().rsplit('/').next().unwrap().to_owned();
    assert_eq!(name(&messages), name(&plain.err));
    assert!(messages.contains("bad.jsonl") && messages.lines().count() == plain.err.lines().count(), "{messages}");
    let [done] = lines.iter().filter(|line| !line["transcript"].is_null()).collect::<Vec<_>>()[..] else {
        panic!("{lines:?}")
    };
    assert_eq!((&done["format"], &done["calls"]), (&"trimtab".into(), &3.into()));
    let id = done["transcript"].as_str().unwrap();
    assert!(id.contains("calls") && !id.contains('\u{1b}'), "{id}");
}

#[test]
fn quiet_still_reports_unreadable_recordings() {
    let text = recording();
    let output = replay(NOTIFY, &[("bad.jsonl", "no\n"), ("good.jsonl", &text)], &["-q"]).exits_with(0);
    assert!(output.err.contains("bad.jsonl"), "{}", output.err);
}

#[test]
fn an_unknown_input_format_is_a_usage_error_that_lists_the_supported_ones() {
    let output = Run::line("simulate policies/stuck_agent.trim policies --input-format tape").output().exits_with(2);
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    assert!(output.err.contains(&format!("[possible values: {}]", names.join(", "))), "{}", output.err);
}

#[test]
fn the_help_lists_each_input_format_with_its_title() {
    let help = Run::line("simulate --help").output().exits_with(0).out;
    for format in FORMATS {
        let listed =
            |line: &str| line.trim_start().starts_with(&format!("- {}:", format.name)) && line.contains(format.title);
        assert!(help.lines().any(listed), "{} is not in the help:\n{help}", format.name);
    }
}

#[test]
fn the_input_format_option_is_used() {
    let text = recording();
    let output =
        replay(NOTIFY, &[("r.jsonl", &text)], &["--input-format", "trimtab", "--format", "json"]).exits_with(0);
    assert_eq!(output.json()["transcripts"][0]["format"], "trimtab");
    replay(NOTIFY, &[("r.jsonl", &text)], &["--input-format", "claude-code"]).exits_with(2);
}

#[test]
fn one_of_several_policies_must_be_named() {
    let text = "edition 2026\npolicy a { rule x { do notify \"x\" } }\npolicy b { rule y { do notify \"y\" } }\n";
    let folder = folder(&[("p.trim", text), ("r.jsonl", &recording())]);
    let run = |more: &str| {
        let run = Run::line(&format!("simulate --format json {more}"));
        run.arg(folder.path().join("p.trim")).arg(folder.path().join("r.jsonl")).output()
    };
    assert!(run("").exits_with(2).err.contains("--policy"));
    assert_eq!(run("--policy b").exits_with(0).json()["policy"]["name"], "b");
    let output = run("--policy c").exits_with(2);
    assert!(output.err.contains("`c`") && output.err.contains("`a`, `b`"), "{}", output.err);
}

#[test]
fn a_policy_or_a_recording_comes_from_standard_input() {
    let yaml = "effects:\n  - kind: loop_detect\n";
    let line = "simulate - policies/stuck_agent.jsonl --stdin-filename x.yaml --format json";
    assert_eq!(Run::line(line).input(yaml).output().exits_with(0).json()["policy"]["file"], "x.yaml");
    let line = "simulate policies/stuck_agent.trim - --stdin-filename tape.jsonl --format json";
    assert_eq!(
        Run::line(line).input(recording()).output().exits_with(0).json()["transcripts"][0]["file"],
        "tape.jsonl"
    );
}

#[test]
fn the_json_output_is_the_result_of_the_library() {
    let json =
        json("when iteration > 0 do trim results to 100 chars keep 0 results", &["--per-call", "--explain", "1"]);
    let result: SimulationResult = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::json!(result), json, "no key is missing in the structs");
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["schema_version", "version", "policy", "options", "transcripts", "total", "errors"]);
    assert_eq!(json["schema_version"], 1);
}

#[test]
fn calls_are_counted_from_0() {
    let json = json("do trim results to 100 chars keep 0 results", &[]);
    let one = &json["transcripts"][0];
    assert_eq!((&one["calls"], &one["runs"]), (&3.into(), &1.into()));
    assert_eq!(one["rules"][0]["calls"], serde_json::json!([1]));
    assert_eq!(one["first_divergence"], 1);
    assert_eq!(one["rules"][0]["due"], 3);
}

#[test]
fn nothing_differs_under_a_policy_that_changes_nothing() {
    let one = json(NOTIFY, &[])["transcripts"][0].clone();
    assert_eq!(one["first_divergence"], Json::Null);
    assert_eq!(one["tokens_saved"], 0);
    assert_eq!(one["before"], one["after"]);
}

#[test]
fn a_recorded_window_comes_before_that_of_another_model_which_a_note_names() {
    let head = "{\"trimtab\":1,\"model\":\"gpt-5.5\",\"window\":258400}\n";
    let recording = format!("{head}{}", recording().split_once('\n').unwrap().1);
    let window = |model: &str| {
        let more = ["--format", "json", "--isolated", "--model", model];
        let one = replay(NOTIFY, &[("r.jsonl", &recording)], &more).exits_with(0).json()["transcripts"][0].clone();
        (one["window"].clone(), one["window_source"].clone())
    };
    for model in ["gpt-5.5", "gpt-4o"] {
        assert_eq!(window(model), (258_400.into(), "recording".into()));
    }
    let out = replay(NOTIFY, &[("r.jsonl", &recording)], &["--isolated", "--model", "gpt-4o"]).exits_with(0).out;
    assert!(out.contains("priced as those of `gpt-4o`; the recording names `gpt-5.5`"), "{out}");
}

#[test]
fn a_tool_that_a_policy_declares_is_a_change_though_no_rule_fires() {
    let rule = "when context.tokens >= 150k tokens do offload results keep 4 results";
    let all = json(rule, &[]);
    assert!(all["transcripts"][0]["tokens_saved"].as_i64() < Some(0), "{all:#}");
    assert_ne!(all["transcripts"][0]["verdict"]["outcome"], "no_rule_fired", "{all:#}");
    let out = replay(rule, &[("r.jsonl", &recording())], &[]).exits_with(0).out;
    assert!(!out.starts_with("No rule fired") && out.contains("Each request declares the tool `recall`"), "{out}");
}

#[test]
fn a_call_after_a_stop_is_not_made() {
    let one = json("when iteration == 1 do stop \"enough\"", &[])["transcripts"][0].clone();
    assert_eq!(one["after_stop"], 2, "{one}");
}

#[test]
fn jsonl_has_one_line_per_transcript_in_input_order() {
    let text = recording();
    let files: Vec<(String, &str)> = (0..9).rev().map(|at| (format!("r{at}.jsonl"), text.as_str())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let output = replay(NOTIFY, &files, &["--format", "jsonl"]).exits_with(0);
    let lines: Vec<Json> = output.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), files.len());
    for (line, (name, _)) in lines.iter().zip(&files) {
        assert!(line["file"].as_str().unwrap().ends_with(name), "{line}");
    }
}

#[test]
fn folders_and_globs_expand_to_their_recordings() {
    let count = |paths: &str| {
        let line = format!("simulate --format json policies/stuck_agent.trim {paths}");
        Run::line(&line).output().exits_with(0).json()["total"]["transcripts"].clone()
    };
    let recordings = |name: &PathBuf| name.extension().is_some_and(|end| end == "jsonl");
    let all = fs::read_dir("policies").unwrap().map(|entry| entry.unwrap().path()).filter(recordings).count();
    assert_eq!(count("policies"), all);
    assert_eq!(count("policies/s*.jsonl"), 2);
    assert_eq!(count("policies policies/stuck_agent.jsonl"), all);
}

#[test]
fn each_counter_is_named_and_an_unknown_one_is_a_usage_error() {
    for counter in ["estimate", "reported", "recorded"] {
        let line = "simulate policies/stuck_agent.trim policies/stuck_agent.jsonl --format json --tokens";
        let json = Run::line(line).arg(counter).output().exits_with(0).json();
        assert_eq!(json["transcripts"][0]["counter"]["name"], counter);
        assert!(json["transcripts"][0]["before"]["peak_tokens"].as_u64().unwrap() > 0, "{counter}");
    }
    let line = "simulate policies/stuck_agent.trim policies/stuck_agent.jsonl --tokens guessed";
    Run::line(line).output().exits_with(2);
}

#[test]
fn a_recording_without_usage_is_estimated() {
    assert_eq!(json(NOTIFY, &[])["transcripts"][0]["counter"]["name"], "estimate");
}

#[test]
fn the_window_comes_from_the_flag_before_the_recording() {
    let window = |more: &[&str]| json(NOTIFY, more)["transcripts"][0]["window"].clone();
    assert_eq!(window(&[]), 4000);
    assert_eq!(window(&["--window", "8000"]), 8000);
    assert_eq!(window(&["--window", "8k"]), 8000);
    replay(NOTIFY, &[("r.jsonl", &recording())], &["--window", "wide"]).exits_with(2);
}

#[test]
fn a_named_model_sets_the_window() {
    let text = recording().replace(",\"window\":4000", "");
    let run = |more: &[&str]| {
        let more = [&["--format", "json"], more].concat();
        replay(NOTIFY, &[("r.jsonl", &text)], &more).exits_with(0).json()["transcripts"][0].clone()
    };
    assert_eq!(run(&[])["window"], Json::Null);
    assert_eq!(run(&[])["before"]["peak_ratio"], Json::Null);
    assert_eq!(run(&["--model", "claude-sonnet-4-5"])["window"], 200_000);
    assert_eq!(run(&["--model", "claude-sonnet-4-5"])["model"], "claude-sonnet-4-5");
}

#[test]
fn an_unknown_window_is_reported() {
    let text = recording().replace(",\"window\":4000", "");
    let out = replay("when context.ratio >= 1% do notify \"x\"", &[("r.jsonl", &text)], &[]).exits_with(0).out;
    assert!(
        out.contains("The window is unknown, so conditions on shares of it never hold: set it with --window."),
        "{out}"
    );
}

#[test]
fn a_call_is_explained_with_the_values_of_its_conditions() {
    let rule = "when iteration > 0 and failures >= 5 do notify \"x\"";
    let out = replay(rule, &[("r.jsonl", &recording())], &["--explain", "2"]).exits_with(0).out;
    assert!(out.contains("call 2") && out.contains("only: "), "{out}");
    assert!(out.contains("✓ iteration > 0") && out.contains("✗ failures >= 5"), "{out}");
    let output = replay(rule, &[("r.jsonl", &recording())], &["--explain", "3"]).exits_with(2);
    assert!(output.out.is_empty() && output.err.contains("r.jsonl has calls 0 to 2"), "{output:?}");
    // A call that exists in one recording is explained there.
    let short = recording().lines().take(4).collect::<Vec<_>>().join("\n");
    let two = [("r.jsonl", recording()), ("s.jsonl", short)];
    let two = two.each_ref().map(|(name, text)| (*name, text.as_str()));
    let out = replay(rule, &two, &["--explain", "2"]).exits_with(0).out;
    assert!(out.contains("call 2") && out.contains("s.jsonl, no such call: the last one is call 0"), "{out}");
}

#[test]
fn standard_input_can_be_used_only_once() {
    for line in ["simulate - -", "diff - -", "diff - docs/diff_after.trim --on -", "lint - --against -"] {
        let output = Run::line(line).input(policy(NOTIFY)).output().exits_with(2);
        assert!(output.err.contains("standard input can be used only once"), "{line}: {}", output.err);
    }
    Run::line("lint - -").input(policy("do notify \"x\" once")).output().exits_with(0);
}

#[test]
fn every_window_has_at_least_one_token() {
    for line in ["simulate p r --window 0", "diff a b --window 0k", "inspect p --window 0"] {
        assert!(Run::line(line).output().exits_with(2).err.contains("at least one token"), "{line}");
    }
    let text = recording().replace("\"window\":4000", "\"window\":0");
    let out = replay(NOTIFY, &[("r.jsonl", &text)], &[]).exits_with(0).out;
    assert!(out.contains("The window has 0 tokens, so conditions on shares of it never hold"), "{out}");
}

#[test]
fn a_window_option_is_not_reported_as_contradicted() {
    let report = |line: &[&str], files: &[(&str, &str)]| {
        let out = replay(NOTIFY, files, line).exits_with(0).out;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (own, small) = (recording(), recording().replace("4000", "100"));
    for files in [&[("r.jsonl", own.as_str())][..], &[("r.jsonl", own.as_str()), ("s.jsonl", own.as_str())][..]] {
        let out = report(&["--window", "100", "--verbose"], files);
        assert!(out.contains("compared with this one") && !out.contains("is wrong"), "{out}");
    }
    let out = report(&[], &[("r.jsonl", &small)]);
    assert!(out.contains("the window is wrong: set it with --window"), "{out}");
}

#[test]
fn the_report_states_the_open_loop_replay_and_the_counter() {
    let text = recording();
    let two = [("r.jsonl", text.as_str()), ("s.jsonl", text.as_str())];
    for files in [&two[..1], &two] {
        let short = replay(NOTIFY, files, &[]).exits_with(0).out;
        assert!(short.contains("replies as recorded") && short.contains("estimated"), "{short}");
        let (notes, last) = short.trim_end().rsplit_once('\n').unwrap();
        assert!(last.ends_with("more notes with --verbose") && !notes.contains("Open-loop"), "{short}");
        let long = replay(NOTIFY, files, &["--verbose"]).exits_with(0).out;
        assert!(long.contains("Open-loop replay") && !long.contains("with --verbose"), "{long}");
    }
}

#[test]
fn a_rule_whose_fact_is_never_known_is_named_with_the_reason() {
    let dir = folder(&[
        (
            "cap.trim",
            "edition 2026\npolicy cap {\n  rule dear { when (budget.cost ?? $0) >= $1 do stop \"dear\" }\n}\n",
        ),
        (
            "tape.jsonl",
            "{\"trimtab\":1,\"model\":\"home-made\",\"window\":9000}\n{\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\
             \"assistant\",\"content\":\"done\"}\n",
        ),
    ]);
    let run = |rest: &[&str]| {
        let mut arguments = vec!["simulate", "cap.trim", "tape.jsonl"];
        arguments.extend(rest);
        Run::new(arguments).current_dir(dir.path()).output().exits_with(0)
    };
    let reason = "no price is known for model `home-made`; add it to `[models]` in trimtab.toml";
    let text = run(&[]).out;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains(&format!("`dear`: `budget.cost` was unknown at every call: {reason}.")), "{text}");
    assert!(text.contains("Spending is estimated for 1 of 1 replies"), "{text}");
    let json = run(&["--format", "json"]).json();
    let unknown = serde_json::json!([{ "fact": "budget.cost", "missing": "price", "message": reason }]);
    assert_eq!(json["transcripts"][0]["rules"][0]["unknown"], unknown);
    assert_eq!(json["transcripts"][0]["spent"]["cost"], serde_json::Value::Null);
    fs::copy(dir.path().join("tape.jsonl"), dir.path().join("tape2.jsonl")).unwrap();
    let text = run(&["tape2.jsonl", "--width", "200"]).out;
    assert!(
        text.contains("was unknown at every call of 2 transcripts: no price is known for model `home-made`"),
        "{text}"
    );
}

#[test]
fn an_unlisted_model_is_rejected_with_a_suggestion() {
    for verb in ["simulate policies/stuck_agent.trim policies/stuck_agent.jsonl", "inspect policies/stuck_agent.trim"] {
        let output = Run::line(&format!("{verb} --model claude-sonet-4-5")).output().exits_with(2);
        assert!(
            output.err.contains("did you mean `claude-sonnet-4-5`? `trimtab explain models` lists all models"),
            "{}",
            output.err
        );
        Run::line(&format!("{verb} --model nosuch")).output().exits_with(2);
        Run::line(&format!("{verb} --model anthropic/claude-sonnet-4.5")).output().exits_with(0);
    }
}

#[test]
fn unreadable_recordings_are_in_the_verdict_and_beside_the_assertions() {
    let good = recording();
    let tapes = [("a.jsonl", good.as_ref()), ("b.jsonl", "no recording\n"), ("c.jsonl", good.as_ref())];
    let assertion = ["--assert", "peak context.tokens > 0 tokens", "--width", "80"];
    let output = replay(NOTIFY, &tapes, &assertion).exits_with(0);
    assert!(output.out.starts_with("2 of 3 recordings read.\n"), "{}", output.out);
    assert!(
        output.out.ends_with("2 of 2 expectations met on the 2 of 3 recordings that were read\n"),
        "{}",
        output.out
    );
    let output = replay(NOTIFY, &tapes[..1], &assertion).exits_with(0);
    assert!(output.out.ends_with("\n1 of 1 expectation met\n") && !output.out.contains(" read."), "{}", output.out);
}

#[test]
fn transcripts_without_a_window_are_named() {
    let bare =
        "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\"assistant\",\"content\":\"done\"}\n";
    let names = ["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl", "e.jsonl"];
    let tapes: Vec<(&str, &str)> = names.iter().map(|name| (*name, bare)).collect();
    let out = replay(NOTIFY, &tapes, &["--width", "1000", "--verbose"]).exits_with(0).out;
    assert!(out.contains("The window of 5 transcripts is unknown"), "{out}");
    assert!(out.contains("Without a known window: 5 transcripts (") && out.contains("c.jsonl and 2 more)."), "{out}");
}

#[test]
fn tools_that_recordings_have_in_another_spelling_are_named() {
    let tape = |tool: &str| {
        format!(
            "{{\"trimtab\":1,\"tools\":[{{\"name\":\"{tool}\"}}]}}\n{{\"role\":\"user\",\"content\":\"go\"}}\n\
             {{\"role\":\"assistant\",\"content\":\"done\"}}\n"
        )
    };
    let (lower, upper) = (tape("bash"), tape("Bash"));
    let out = |rule: &str, tapes: &[(&str, &str)]| replay(rule, tapes, &["--width", "1000"]).exits_with(0).out;
    let (note, both) = (
        "Names of tools are case-sensitive: the policy names `bash`, and",
        [("a.jsonl", lower.as_str()), ("b.jsonl", upper.as_str())],
    );
    let found = out("do mask results only [bash]", &both);
    assert!(found.contains(&format!("{note} recordings have `Bash`.")), "{found}");
    let found = out("do mask results only [bash]", &both[1..]);
    assert!(found.contains(&format!("{note} the recording has `Bash`.")), "{found}");
    assert!(found.contains("The recording does not have the tool `bash`"), "{found}");
    for (rule, tapes) in [("do mask results only [bash, Bash]", &both[..]), ("do mask results only [bash]", &both[..1])]
    {
        let found = out(rule, tapes);
        assert!(!found.contains("case-sensitive"), "{found}");
    }
}
