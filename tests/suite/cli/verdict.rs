//! The verdict of a simulation, stops, sessions without calls, and assertions on totals, as the binary prints them.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::{Run, folder};

const STOP: &str = "edition 2026\npolicy s { rule halt { when budget.calls >= 3 do stop \"enough\" } }\n";
const MASK: &str =
    "edition 2026\npolicy m { rule mask { when context.ratio >= 50% do mask results keep 2 results } }\n";
const EMPTY: &str = "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"Hello\"}\n";

/// A session of so many calls, each with a result of about this many tokens, in a window.
fn session(id: &str, calls: usize, tokens: usize, window: u64) -> String {
    let mut text = json!({ "trimtab": 1, "id": id, "model": "claude-sonnet-4-5", "window": window }).to_string();
    text += "\n{\"role\":\"user\",\"content\":\"Read the ledgers.\"}\n";
    for call in 0..calls {
        let part =
            json!({ "type": "tool_call", "id": format!("c{call}"), "name": "read", "arguments": { "at": call } });
        let context = 500 + call * (tokens + 40);
        let usage = json!({ "input": 3, "cache_read": context, "cache_write": 40, "output": 30 });
        writeln!(text, "{}", json!({ "role": "assistant", "content": [part], "usage": usage })).unwrap();
        let words: Vec<String> = (0..tokens / 3).map(|word| format!("entry{}", word * 7 + call)).collect();
        let result = json!({ "type": "tool_result", "id": format!("c{call}"), "content": words.join(" ") });
        writeln!(text, "{}", json!({ "role": "tool", "content": [result] })).unwrap();
    }
    text + "{\"role\":\"assistant\",\"content\":\"Done.\"}\n"
}

fn simulate(files: &[(&str, &str)], policy: &str, more: &[&str]) -> super::Output {
    let all: Vec<(&str, &str)> = files.iter().copied().chain([("p.trim", policy)]).collect();
    let folder = folder(&all);
    let recordings = files.iter().map(|(name, _)| *name);
    let run = Run::new(["simulate", "p.trim"].into_iter().chain(recordings).chain(more.iter().copied()));
    run.current_dir(folder.path()).output()
}

#[test]
fn the_verdict_says_which_calls_exceed_the_window_minus_the_reserve() {
    let policy = MASK.replace("policy m", "agent { reserve 1k tokens }\npolicy m");
    let text = session("big", 12, 600, 4_000);
    let output = simulate(&[("r.jsonl", &text)], &policy, &["--width", "200"]).exits_with(0);
    let over = output.out.lines().find(|line| line.starts_with("  over the window  ")).unwrap();
    assert!(over.contains("  9 → ") && over.ends_with(" calls, window minus the reserve"), "{over}");
    let json = simulate(&[("r.jsonl", &text)], &policy, &["--format", "json"]).json();
    let verdict = &json["transcripts"][0]["verdict"];
    assert_eq!(verdict["over_window"]["recorded"], 9);
    assert!(verdict["over_window"]["policy"].as_u64().unwrap() < 9, "{verdict}");
    let mut total = json["total"]["verdict"].clone();
    assert_eq!(total["hurts_most"].take()["id"], "r.jsonl");
    assert_eq!(&total, verdict);
}

#[test]
fn calls_that_a_stop_prevents_are_reported_and_save_nothing_in_any_format() {
    let text = session("a", 10, 300, 50_000);
    let files = [("a.jsonl", text.as_str())];
    let output = simulate(&files, STOP, &["--width", "300"]).exits_with(0);
    assert!(output.out.starts_with("Stops 1 transcript\ns, a.jsonl, 11 calls\n"), "{}", output.out);
    assert!(output.out.contains("  1 of 1 transcript, 8 of 11 calls not made, which cost $0.012\n"), "{}", output.out);
    let compared = |name: &str| {
        let line = output.out.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        line.ends_with(", of the calls made") && !line.contains('→')
    };
    assert!(compared("cost") && compared("tokens sent"), "{}", output.out);
    let json = simulate(&files, STOP, &["--format", "json"]).json();
    for one in [&json["transcripts"][0], &json["total"]] {
        assert_eq!(one["verdict"]["stopped"], json!({ "sessions": 1, "calls": 8, "cost": 0.012_078 }));
        assert_eq!(one["tokens_saved"], 0);
        assert_eq!(one["verdict"]["tokens"]["recorded"], one["verdict"]["tokens"]["policy"]);
        assert_eq!(one["verdict"]["cost"]["recorded"], one["verdict"]["cost"]["policy"]);
        assert_eq!((&one["rules"][0]["tokens_saved"], one["rules"][0]["cost_saved"].as_f64()), (&json!(0), Some(0.0)));
    }
    let csv = simulate(&files, STOP, &["--format", "csv"]).exits_with(0).out;
    let cells = |line: usize| csv.lines().nth(line).unwrap().split(',').collect::<Vec<_>>();
    let cell = |name: &str| cells(1)[cells(0).iter().position(|one| *one == name).unwrap()].to_owned();
    assert_eq!([cell("tokens_saved"), cell("cost_saved"), cell("calls_after_stop")], ["0", "0", "8"]);
    let markdown = simulate(&files, STOP, &["--format", "markdown"]).exits_with(0).out;
    assert!(markdown.contains("| calls prevented by stops |  | 8 |"), "{markdown}");
    assert!(markdown.contains("A call that a stop prevents is no saving"), "{markdown}");
    let asserted = simulate(&files, STOP, &["--assert", "tokens_saved > 0 tokens"]).exits_with(1);
    assert!(asserted.out.contains("it is 0 tokens"), "{}", asserted.out);
}

#[test]
fn a_sweep_prefers_the_value_that_stops_no_session() {
    let policy =
        "edition 2026\nlet most = 4\npolicy s { rule halt { when budget.calls >= most do stop \"enough\" } }\n";
    let names: Vec<String> = (0..20).map(|at| format!("r{at}.jsonl")).collect();
    let texts: Vec<String> = (0..20).map(|at| session(&format!("r{at}"), 8, 200, 50_000)).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    files.push(("p.trim", policy));
    let folder = folder(&files);
    let words = ["sweep", "p.trim", ".", "--vary", "most=2,3,6,30", "--format", "json"];
    let json = Run::new(words).current_dir(folder.path()).output().exits_with(0).json();
    let winner = usize::try_from(json["winner"].as_u64().unwrap()).unwrap();
    assert_eq!(json["combinations"][winner]["settings"]["most"], "30", "{json:#}");
    let costs = json["combinations"].as_array().unwrap().iter().map(|one| &one["tuning"]["means"]["cost"]);
    assert!(costs.clone().all(|cost| cost == &json["combinations"][0]["tuning"]["means"]["cost"]), "{json:#}");
    assert_eq!(json["combinations"][winner]["tuning"]["means"]["sessions-stopped"].as_f64(), Some(0.0));
}

#[test]
fn a_session_without_calls_changes_nothing() {
    let text = session("a", 12, 600, 16_000);
    let with: &[(&str, &str)] = &[("a.jsonl", &text), ("empty.jsonl", EMPTY)];
    let asserted = ["--assert", "peak context.ratio <= 99%", "--assert", "mean context.tokens < 20k tokens"];
    assert!(simulate(with, MASK, &asserted).exits_with(0).out.contains("4 of 4 expectations met"));
    let total = |files| simulate(files, MASK, &["--format", "json"]).json()["total"].clone();
    let (one, mut both) = (total(&with[..1]), total(with));
    // It counts as a session, whose cost is known.
    for key in ["sessions", "all_sessions"] {
        assert_eq!(both["verdict"]["priced"][key], 2);
        both["verdict"]["priced"][key] = 1.into();
    }
    for key in ["verdict", "money", "before", "after", "tokens_saved", "rules"] {
        assert_eq!(one[key], both[key], "{key}");
    }
    let alone = total(&with[1..]);
    assert_eq!(alone["money"]["before"]["cost"].as_f64(), Some(0.0));
    assert_eq!(alone["verdict"]["over_window"], json!({ "recorded": 0, "policy": 0 }));
}

#[test]
fn an_assertion_on_the_total_is_about_all_recordings_together() {
    let (long, short) = (session("long", 14, 600, 10_000), session("short", 2, 50, 10_000));
    let files: &[(&str, &str)] = &[("long.jsonl", &long), ("short.jsonl", &short)];
    simulate(files, MASK, &["--assert", "tokens_saved > 0 tokens"]).exits_with(1);
    let total = ["--assert", "total tokens_saved > 0 tokens"];
    let output = simulate(files, MASK, &total).exits_with(0);
    assert!(output.out.contains("✓ total tokens_saved > 0 tokens"), "{}", output.out);
    let json = simulate(files, MASK, &[total[0], total[1], "--format", "json"]).exits_with(0).json();
    let asserted = &json["total"]["assertions"][0];
    assert_eq!(
        (&asserted["is_met"], &asserted["value"]),
        (&json!(true), &json!(json["total"]["tokens_saved"].as_f64()))
    );
    simulate(files, MASK, &["--assert", "total calls == 3 calls", "--format", "jsonl"]).exits_with(1);
    let saved = simulate(files, MASK, &["--assert", "total cost_saved > $0", "--format", "json"]).json();
    let expected = saved["total"]["money"]["compared"]["cost"].as_f64().unwrap()
        - saved["total"]["money"]["after"]["cost"].as_f64().unwrap();
    let asserted = &saved["total"]["assertions"][0];
    // Costs are written in millionths of a dollar.
    assert!((asserted["value"].as_f64().unwrap() - expected).abs() < 2e-6, "{asserted}: {expected}");
    assert_eq!(asserted["is_met"], expected > 0.0);
    assert_eq!([&asserted["known"], &asserted["unknown"]], [2, 0]);
    let unpriced = short.replace("claude-sonnet-4-5", "a-model-of-our-own");
    let files: &[(&str, &str)] = &[("long.jsonl", &long), ("short.jsonl", &unpriced)];
    let partly =
        simulate(files, MASK, &["--assert", "total cost_saved < $100", "--assert", "cost_saved < $100"]).exits_with(1);
    assert!(
        partly.out.contains("✓ total cost_saved < $100") && partly.out.contains("unknown in 1 recording"),
        "{}",
        partly.out
    );
    assert!(partly.out.contains("✗ short.jsonl: cost_saved < $100"), "{}", partly.out);
    let wrong = simulate(files, MASK, &["--assert", "total failures > 1"]).exits_with(2);
    assert!(wrong.err.contains("a total after it"), "{}", wrong.err);
}

#[test]
fn ci_checks_expectations_on_totals() {
    let settings = |expected: &str| {
        format!(
            "[ci]\npaths = [\"p.trim\"]\n\n[lint]\nselect = [\"never-true\"]\n\n[[simulate]]\npolicy = \"p.trim\"\n\
             transcripts = [\"*.jsonl\"]\nexpect = [\"{expected}\"]\n"
        )
    };
    let (long, short) = (session("long", 14, 600, 10_000), session("short", 2, 50, 10_000));
    let policy = "edition 2026\n\npolicy m {\n  rule mask {\n    when context.ratio >= 50%\n    do mask results keep 2 results\n  }\n}\n";
    let ci = |expected: &str| {
        let files = [("long.jsonl", &long), ("short.jsonl", &short)].map(|(name, text)| (name, text.as_str()));
        let settings = settings(expected);
        let folder = folder(&[files[0], files[1], ("p.trim", policy), ("trimtab.toml", &settings)]);
        Run::line("ci --format json").current_dir(folder.path()).output().json()["parts"][3].clone()
    };
    assert_eq!(ci("total tokens_saved > 0 tokens")["result"], "fine");
    let part = ci("total tokens_saved < 0 tokens");
    assert!(
        part["troubles"][0]["message"].as_str().unwrap().contains("on all recordings: total tokens_saved"),
        "{part}"
    );
    assert_eq!(ci("tokens_saved > 0 tokens")["troubles"].as_array().map(Vec::len), Some(1));
}

#[test]
fn suggestions_suit_a_small_window() {
    let texts: Vec<String> = (0..3).map(|at| session(&format!("s{at}"), 16, 330, 6_000)).collect();
    let folder = folder(&[("a.jsonl", &texts[0]), ("b.jsonl", &texts[1]), ("c.jsonl", &texts[2])]);
    let json = Run::line("suggest . --format json").current_dir(folder.path()).output().exits_with(0).json();
    let simulated = &json["simulated"];
    let share = simulated["tokens_saved"].as_f64().unwrap() / simulated["recorded_tokens"].as_f64().unwrap();
    assert!(share > 0.15, "{json:#}");
    assert_eq!(json["objective"], "cost");
    let left_out = json["suggestions"].as_array().unwrap().iter().filter(|one| one["outcome"] != "kept");
    assert!(left_out.clone().all(|one| one["reason"].is_string()), "{json:#}");
    let text = Run::line("suggest . --width 120").current_dir(folder.path()).output().exits_with(0).out;
    assert!(text.contains("Rules are chosen by the cost saved, less the losses"), "{text}");
}

/// What a policy reads of a session whose replies name these models.
fn emitted(header: &Json, models: &[&str], policy: &str) -> Vec<Json> {
    let mut text = format!("{header}\n{{\"role\":\"user\",\"content\":\"Go.\"}}\n");
    for (call, model) in models.iter().enumerate() {
        let usage = json!({ "input": 100_000, "output": 10 });
        let part = json!({ "type": "tool_call", "id": format!("c{call}"), "name": "look", "arguments": call });
        let reply = json!({ "role": "assistant", "content": [part], "model": model, "usage": usage });
        let result = json!({ "type": "tool_result", "id": format!("c{call}"), "content": "x" });
        writeln!(text, "{reply}\n{}", json!({ "role": "tool", "content": [result] })).unwrap();
    }
    let folder = folder(&[("r.jsonl", &text), ("p.trim", policy)]);
    let run = Run::line("simulate p.trim r.jsonl --events -").current_dir(folder.path()).output().exits_with(0);
    run.lines().into_iter().filter(|event| event["event"] == "emit").map(|event| event["fields"].clone()).collect()
}

#[test]
fn window_and_prices_are_those_of_the_model_of_each_call() {
    let policy = "edition 2026\npolicy p { rule e { do emit c [context.ratio, session.cost] } }\n";
    let models = ["claude-opus-4-7", "claude-haiku-4-5", "who-knows", "claude-opus-4-7"];
    let read = emitted(&json!({ "trimtab": 1 }), &models, policy);
    let ratios: Vec<Option<f64>> = read.iter().map(|fields| fields["context.ratio"].as_f64()).collect();
    assert!(ratios[1].unwrap() > 0.4 && ratios[3].unwrap() < 0.2, "{ratios:?}");
    assert_eq!(ratios[2], None, "the window of an unknown model is unknown");
    let costs: Vec<Option<f64>> = read.iter().map(|fields| fields["session.cost"].as_f64()).collect();
    assert_eq!(costs[0], Some(0.0));
    assert!(costs[1] > costs[0] && costs[2] > costs[1], "{costs:?}");
    assert_eq!(costs[3], None, "one unknown price makes the sum unknown");
    // A window that the policy sets is that of every model.
    let fixed = emitted(
        &json!({ "trimtab": 1 }),
        &models,
        &policy.replace("policy p", "agent { window 400k tokens }\npolicy p"),
    );
    assert!(fixed.iter().skip(1).all(|fields| fields["context.ratio"].as_f64().is_some_and(|ratio| ratio < 0.3)));
    // A model that the policy names is that of every call.
    let named = policy.replace("policy p", "agent { model \"claude-haiku-4-5\" }\npolicy p");
    let named = emitted(&json!({ "trimtab": 1 }), &["gpt-5", "claude-opus-4-7"], &named);
    assert!(named[1]["context.ratio"].as_f64().unwrap() > 0.4, "{named:?}");
}

#[test]
fn reported_sizes_are_unknown_without_usage_and_a_pause_ends_at_the_call() {
    let line = |at: &str, json: Json| {
        let mut json = json;
        json["at"] = at.into();
        json.to_string() + "\n"
    };
    let call = |id: &str| json!({ "role": "assistant", "content": [{ "type": "tool_call", "id": id, "name": "look", "arguments": id }] });
    let result = |id: &str| json!({ "role": "tool", "content": [{ "type": "tool_result", "id": id, "content": "x" }] });
    let text = "{\"trimtab\":1,\"window\":9000}\n".to_owned()
        + &line("2026-01-01T10:00:00Z", json!({ "role": "user", "content": "Go." }))
        + &line("2026-01-01T10:00:10Z", call("a"))
        + &line("2026-01-01T10:00:15Z", result("a"))
        + &line("2026-01-01T10:20:10Z", call("b"));
    let policy = "edition 2026\npolicy p {\n  rule full { when (reported.tokens ?? 0 tokens) >= 1k tokens do notify \"full\" }\n  \
                  rule cold { when (idle ?? 0s) >= 20m do notify \"cold\" }\n}\n";
    let output =
        simulate(&[("r.jsonl", &text)], policy, &["--width", "200", "--assert", "cold only fires at 1"]).exits_with(0);
    let unknown = "`full`: `reported.tokens` was unknown at every call: no reply has recorded usage";
    assert!(output.out.contains(unknown), "{}", output.out);
}

/// Two calls of one reply ask again for what a rule removed, so a rule on misses fires twice in one call.
#[test]
fn expectations_count_firings_and_not_calls() {
    let line = |json: Json| json.to_string() + "\n";
    let call =
        |id: &str, of: &str| json!({ "type": "tool_call", "id": id, "name": "bash", "arguments": { "command": of } });
    let calls = |ids: [&str; 2]| json!({ "role": "assistant", "content": [call(ids[0], "a"), call(ids[1], "b")] });
    let result = |id: &str, of: &str| json!({ "type": "tool_result", "id": id, "content": format!("a line of {of} ").repeat(80) });
    let results = |ids: [&str; 2]| json!({ "role": "tool", "content": [result(ids[0], "a"), result(ids[1], "b")] });
    let text = line(json!({ "trimtab": 1 }))
        + &line(json!({ "role": "user", "content": "Go." }))
        + &line(calls(["a1", "b1"]))
        + &line(results(["a1", "b1"]))
        + &line(calls(["a2", "b2"]))
        + &line(results(["a2", "b2"]))
        + &line(json!({ "role": "assistant", "content": "Done." }));
    let policy = "edition 2026\npolicy p {\n  rule take { do mask results keep 0 results }\n  \
                  rule missed { on compaction_miss do notify \"a miss\" }\n}\n";
    for (times, code) in [(1, 1), (2, 0), (3, 1)] {
        let expectation = format!("missed fires {times} times");
        let output = simulate(&[("r.jsonl", &text)], policy, &["--assert", &expectation]).exits_with(code);
        assert!(output.out.contains("it fires 2 times, at 1"), "{}", output.out);
    }
}
