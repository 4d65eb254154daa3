//! What `trimtab simulate` reports of prices and costs.

use super::{Run, folder};

const POLICY: &str = "policies/stuck_agent.trim";

/// A recording of three calls, whose replies have these models.
fn recording(models: [&str; 3]) -> String {
    let reply = |at: usize, model: &str| {
        format!(
            "{{\"role\":\"assistant\",\"model\":\"{model}\",\"content\":[{{\"type\":\"tool_call\",\"id\":\"{at}\",\"name\":\"ls\",\"arguments\":{{}}}}],\
             \"usage\":{{\"input\":1000,\"cache_read\":{},\"output\":10}}}}\n{{\"role\":\"tool\",\"content\":[{{\"type\":\"tool_result\",\"id\":\"{at}\",\"content\":\"x\"}}]}}\n",
            at * 1000
        )
    };
    let replies: String = models.iter().enumerate().map(|(at, model)| reply(at, model)).collect();
    format!("{{\"trimtab\":1,\"model\":\"{}\"}}\n{{\"role\":\"user\",\"content\":\"go\"}}\n{replies}", models[0])
}

fn simulated(recordings: &[(&str, String)], more: &str) -> (String, serde_json::Value) {
    let files: Vec<(&str, &str)> = recordings.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder(&files);
    let folder = folder.path().display();
    let run = |more: &str| Run::line(&format!("simulate {POLICY} {folder} --isolated {more}")).output().exits_with(0);
    let text = run(&format!("{more} --width 200")).out;
    (text, run(&format!("{more} --format json")).json())
}

#[test]
fn models_without_a_price_are_named() {
    let acme = recording(["acme-9"; 3]);
    let (text, json) = simulated(&[("a.jsonl", acme.clone())], "");
    assert!(text.contains("`acme-9` has no known price: add it to `[models]`"), "{text}");
    assert!(text.contains("0 of 3 calls priced"), "{text}");
    assert_eq!(json["transcripts"][0]["money"]["unpriced"], serde_json::json!([{ "model": "acme-9", "calls": 3 }]));

    let (text, json) = simulated(&[("a.jsonl", recording(["gpt-5", "acme-9", "gpt-5"]))], "");
    assert!(text.contains("2 of 3 calls priced"), "{text}");
    assert!(json["transcripts"][0]["money"]["before"]["cost"].as_f64() > Some(0.0));
    assert_eq!(
        (&json["total"]["verdict"]["priced"]["calls"], &json["total"]["verdict"]["priced"]["all_calls"]),
        (&2.into(), &3.into())
    );

    let known = recording(["gpt-5"; 3]);
    let (text, _) = simulated(&[("a.jsonl", acme), ("b.jsonl", known.clone())], "");
    assert!(text.contains("1 of 2 transcripts priced") && text.contains("`acme-9` has no known price"), "{text}");
    let (text, json) = simulated(&[("b.jsonl", known)], "");
    assert!(text.contains("  cost ") && !text.contains("has no known price"), "{text}");
    assert_eq!(json["transcripts"][0]["money"]["unpriced"], serde_json::json!([]));
}

#[test]
fn a_rule_has_its_part_of_a_known_cost() {
    let policy = "edition 2026\npolicy p { rule r { on request do inject \"Read the notes first.\" as user once } }\n";
    let output = |models| {
        let folder = folder(&[("p.trim", policy), ("a.jsonl", &recording(models))]);
        let run = Run::line("simulate p.trim a.jsonl --isolated --width 200").current_dir(folder.path());
        run.output().exits_with(0).out
    };
    let part = "a r: added under $0.001";
    assert!(output(["gpt-5", "acme-9", "gpt-5"]).contains(part), "{}", output(["gpt-5", "acme-9", "gpt-5"]));
    let (known, unknown) = (output(["gpt-5"; 3]), output(["acme-9"; 3]));
    assert!(known.contains("a r: added under $0.001") && !unknown.contains("a r: "), "{known}\n{unknown}");
}

#[test]
fn prices_without_a_cache_are_named() {
    let known = [("a.jsonl", recording(["gpt-5"; 3]))];
    let (text, json) = simulated(&known, "--no-cache");
    assert!(text.contains("All input is priced as uncached (--no-cache)."), "{text}");
    assert_eq!(json["transcripts"][0]["money"]["without_cache"], true);
    let (text, json) = simulated(&known, "");
    assert!(!text.contains("--no-cache"), "{text}");
    assert_eq!(json["transcripts"][0]["money"]["without_cache"], false);
}

#[test]
fn every_format_has_the_cost() {
    let run = |line: &str| Run::line(line).output().exits_with(0).out;
    let pair = "policies/coding_agent.jsonl policies/stuck_agent.jsonl";
    let several = run(&format!("simulate policies/coding_agent.trim {pair}"));
    for part in ["uncached input", "written to cache", "read from cache", "\n  cost  "] {
        assert!(several.contains(part), "{part}: {several}");
    }
    let compared = run(&format!("simulate --verbose --policies policies/coding_agent.trim {POLICY} -- {pair}"));
    let markdown = run(&format!("simulate policies/coding_agent.trim {pair} --format markdown"));
    for part in
        ["uncached input", "read from cache", "cost", "cache breaks", "repeated tool calls", "quoting tool calls"]
    {
        assert!(compared.contains(part) && markdown.contains(part), "{part}: {compared}\n{markdown}");
    }
    assert!(markdown.contains("| cost saved | cost caused | cache breaks |"), "{markdown}");

    let csv = run("simulate policies/coding_agent.trim policies/coding_agent.jsonl --format csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let cell = |name: &str| rows[1][rows[0].iter().position(|head| *head == name).expect("a column")];
    let json =
        Run::line("simulate policies/coding_agent.trim policies/coding_agent.jsonl --format json").output().json();
    let money = &json["transcripts"][0]["money"];
    for (column, value) in
        [("cost_before", &money["before"]["cost"]), ("cache_read_after", &money["after"]["cache_read"])]
    {
        assert_eq!(cell(column).parse::<f64>().ok(), value.as_f64(), "{column}");
    }
}

#[test]
fn the_figures_of_each_call_add_up_to_the_money() {
    for pair in ["policies/coding_agent.jsonl", "policies/coding_agent.jsonl policies/stuck_agent.jsonl"] {
        let line = format!("simulate policies/coding_agent.trim {pair} --format json");
        let run = |more: &str| Run::line(&format!("{line} {more}")).output().exits_with(0).json();
        assert!(run("")["transcripts"][0].get("per_call").is_none());
        for transcript in run("--per-call")["transcripts"].as_array().expect("transcripts") {
            let calls = transcript["per_call"].as_array().expect("calls");
            assert_eq!(calls.len() as u64, transcript["calls"].as_u64().expect("a number"));
            for (side, usage) in [("before", "usage_before"), ("after", "usage_after")] {
                for key in ["uncached_input", "cache_write", "cache_read", "output"] {
                    let sum: u64 = calls.iter().filter_map(|call| call[usage][key].as_u64()).sum();
                    assert_eq!(Some(sum), transcript["money"][side][key].as_u64(), "{pair} {side} {key}");
                }
                let cost: f64 = calls.iter().filter_map(|call| call[usage]["cost"].as_f64()).sum();
                let all = transcript["money"][side]["cost"].as_f64().expect("a cost");
                assert!((cost - all).abs() < 0.0001, "{pair} {side}: {cost} {all}");
            }
            let peak = calls.iter().filter_map(|call| call["before"].as_u64()).max();
            assert_eq!(peak, transcript["before"]["peak_tokens"].as_u64());
            assert!(calls.iter().all(|call| call["recorded"] == call["before"]), "{pair}");
        }
    }
}

/// A call of a model whose prices were lowered, after one of another model.
fn repriced() -> String {
    let reply = |model: &str| {
        format!(
            "{{\"role\":\"assistant\",\"model\":\"{model}\",\"content\":[{{\"type\":\"tool_call\",\"id\":\"{model}\",\"name\":\"ls\",\"arguments\":{{}}}}],\
             \"usage\":{{\"input\":0,\"cache_write\":200000,\"output\":0}}}}\n"
        )
    };
    format!(
        "{{\"trimtab\":1}}\n{{\"role\":\"user\",\"content\":\"go\"}}\n{}",
        reply("claude-opus-5") + &reply("gpt-5.6-sol")
    )
}

#[test]
fn every_verb_that_states_costs_can_use_the_prices_of_a_day() {
    // The second call costs $1.25 at the former prices and $1 at the current ones, the first one $1.25 in both.
    let rule = |limit: &str| {
        format!(
            "edition 2026\n\npolicy p {{\n  rule r {{\n    when (budget.cost ?? $0) >= {limit}\n    do stop \"enough\"\n  }}\n}}\n"
        )
    };
    let settings = "[[recordings]]\ntranscripts = [\"*.jsonl\"]\nmax_avoidable_cost = \"$1\"\n\n\
                    [[simulate]]\npolicy = \"old.trim\"\ntranscripts = [\"*.jsonl\"]\nexpect = [\"r never fires\"]\n";
    let folder = folder(&[
        ("old.trim", &rule("$2.40")),
        ("new.trim", &rule("$9")),
        ("a.jsonl", &format!("{}{{\"role\":\"assistant\",\"content\":\"done\"}}\n", repriced())),
        ("trimtab.toml", settings),
    ]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    let cost = |day: &str| {
        let json = run(&format!("transcript stat a.jsonl --format json {day}")).exits_with(0).json();
        let by = run(&format!("transcript stat a.jsonl --by model --format json {day}")).exits_with(0).json();
        assert_eq!(json["files"][0]["cost"], by["total"]["cost"]);
        json["files"][0]["cost"].clone()
    };
    assert_eq!(
        [cost(""), cost("--prices-of 2026-08-01"), cost("--prices-of 2026-08-21")],
        [2.25, 2.5, 2.25].map(serde_json::Value::from)
    );
    let changed = |day: &str| {
        let line = format!("diff old.trim new.trim --on a.jsonl --format json {day}");
        run(&line).exits_with(0).json()["replays"]["changed"].as_array().unwrap().len()
    };
    assert_eq!([changed(""), changed("--prices-of 2026-08-01"), changed("--prices-of 2026-08-21")], [0, 1, 0]);
    assert!(run("diff old.trim new.trim --prices-of 2026-08-01").exits_with(2).err.contains("--on"));
    let failing = |day: &str| {
        let json = run(&format!("ci --format json {day}")).json();
        let parts = json["parts"].as_array().unwrap();
        let failed = parts.iter().filter(|part| part["result"] == "findings").map(|part| part["name"].clone());
        failed.collect::<Vec<_>>()
    };
    assert_eq!(failing("--prices-of 2026-08-21"), Vec::<serde_json::Value>::new());
    assert_eq!(failing("--prices-of 2026-08-01"), ["simulate", "recordings"]);
    assert!(run("transcript stat a.jsonl --prices-of august").exits_with(2).err.contains("expected a date"));
}
