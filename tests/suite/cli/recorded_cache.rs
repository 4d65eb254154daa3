//! What `transcript stat` and `ci` report of the prompt cache of recordings, of their tools and of their costs.

use super::{Run, folder};

/// A session of three calls: the second comes after the lifetime of the cache, the third is a miss.
fn broken(model: &str) -> String {
    let head = format!(
        r#"{{"trimtab":1,"model":"{model}","directory":"/shop","tools":[{{"name":"read","description":"Read a file.","schema":{{"type":"object"}}}},{{"name":"browse","description":"Open a page in a browser.","schema":{{"type":"object"}}}}]}}"#
    );
    let reply = |at: &str, read: u64, write: u64| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_call","id":"{at}","name":"read","arguments":{{}}}}],"at":"2026-03-02T{at}Z","usage":{{"input":5,"cache_read":{read},"cache_write":{write},"output":10}}}}"#
        )
    };
    let user = r#"{"role":"user","content":"go"}"#.to_owned();
    let lines = [head, user, reply("23:50:00", 0, 20_000), reply("23:59:00", 0, 21_000), reply("23:59:30", 0, 22_000)];
    lines.map(|line| line + "\n").concat()
}

fn stat(folder: &tempfile::TempDir, flags: &str) -> Run {
    Run::line(&format!("transcript stat . {flags}")).current_dir(folder.path())
}

#[test]
fn stat_sums_breaks_by_cause_and_misses_by_model_family() {
    let folder = folder(&[("a.jsonl", &broken("claude-sonnet-4-5")), ("b.jsonl", &broken("claude-haiku-4-5"))]);
    let json = stat(&folder, "--format json").output().exits_with(0).json();
    let cache = &json["cache"];
    assert_eq!((&cache["calls"], &cache["left_tokens"], &cache["read_tokens"]), (&4.into(), &82_000.into(), &0.into()));
    let lifetime = &cache["causes"]["lifetime"];
    assert_eq!((&lifetime["breaks"], &lifetime["tokens"], &lifetime["priced"]), (&2.into(), &40_000.into(), &2.into()));
    assert_eq!(cache["avoidable"], *lifetime);
    assert_eq!(cache["causes"]["unexplained"]["tokens"], 42_000);
    let claude = &cache["families"]["claude"];
    assert_eq!(
        (&claude["calls"], &claude["missed_calls"], &claude["missed_tokens"]),
        (&2.into(), &2.into(), &42_000.into())
    );
    let file = &json["files"][0]["cache"];
    // 20,000 tokens at $3.75 instead of $0.30 for a million.
    assert_eq!(file["causes"]["lifetime"]["cost"], 0.069);
    let text = stat(&folder, "--width 120").output().exits_with(0).out;
    for part in ["Prompt cache: 4 of 4 calls", "  lifetime", "Avoidable: 2 breaks, 40,000 tokens billed again, $0.092"]
    {
        assert!(text.contains(part), "{text}");
    }
    let markdown = stat(&folder, "--format markdown").output().exits_with(0).out;
    assert!(markdown.contains("| `lifetime` | 2 | 40,000 | $0.092 | the cached prefix had expired |"), "{markdown}");
}

#[test]
fn stat_lists_each_break_with_its_cause() {
    let folder = folder(&[("a.jsonl", &broken("claude-sonnet-4-5")), ("b.jsonl", &broken("my-own"))]);
    let json = stat(&folder, "--breaks --format json").output().exits_with(0).json();
    let breaks = json["breaks"].as_array().unwrap();
    let first = serde_json::json!({
        "transcript": "a.jsonl", "call": 1, "cause": "lifetime", "avoidable": true, "idle_seconds": 540,
        "tokens": 20_000, "cost": 0.069,
    });
    assert_eq!((breaks.len(), &breaks[0]), (4, &first));
    assert_eq!((&breaks[3]["cause"], &breaks[3]["cost"]), (&"unexplained".into(), &serde_json::Value::Null));
    assert_eq!(serde_json::json!(stat(&folder, "--breaks --format jsonl").output().lines()), json["breaks"]);
    stat(&folder, "--breaks --by day").output().exits_with(2);
}

#[test]
fn stat_names_the_tools_that_are_never_called() {
    let folder = folder(&[("a.jsonl", &broken("claude-sonnet-4-5"))]);
    let json = stat(&folder, "--format json").output().exits_with(0).json();
    let tools = &json["tools"];
    assert_eq!(
        (&tools["calls"], &tools["sent_tokens"], &tools["unused"][0]["name"]),
        (&3.into(), &63_015.into(), &"browse".into())
    );
    let tokens = tools["unused"][0]["tokens"].as_u64().unwrap();
    assert_eq!((tools["unused_tokens"].as_u64(), tokens > 10), (Some(3 * tokens), true));
    assert!(stat(&folder, "").output().out.contains("tokens sent (0.1%) are of tools that were never called"));
}

#[test]
fn stat_groups_costs_and_counts_what_has_no_price() {
    let folder = folder(&[("a.jsonl", &broken("claude-sonnet-4-5")), ("b.jsonl", &broken("my-own"))]);
    let by = |what: &str| stat(&folder, &format!("--by {what} --format json")).output().exits_with(0).json();
    let models = by("model");
    let named: Vec<_> =
        models["groups"].as_array().unwrap().iter().map(|group| group["group"].as_str().unwrap()).collect();
    assert_eq!(named, ["claude-sonnet-4-5", "my-own"]);
    assert_eq!((&models["groups"][1]["cost"], &models["groups"][1]["priced"]), (&serde_json::Value::Null, &0.into()));
    for (what, group) in [("day", "2026-03-02"), ("project", "/shop")] {
        let json = by(what);
        assert_eq!((&json["by"], &json["groups"][0]["group"]), (&what.into(), &group.into()));
        let total = &json["total"];
        assert_eq!((&total["units"], &total["priced_units"]), (&2.into(), &1.into()));
        assert_eq!((&total["calls"], &total["priced"]), (&6.into(), &3.into()));
        assert_eq!(json["total"]["cost"], models["groups"][0]["cost"]);
    }
    assert_eq!(by("task")["groups"][0]["group"], "a.jsonl");
    let text = stat(&folder, "--by model --width 100").output().exits_with(0).out;
    assert!(text.contains("3 of 6 calls priced; the others are in no cost"), "{text}");
}

#[test]
fn a_cost_that_lacks_the_price_of_a_call_says_so() {
    let session = broken("claude-sonnet-4-5");
    let whole = folder(&[("a.jsonl", &session)]);
    let fast = session.replacen(r#""output":10"#, r#""output":10,"speed":"fast""#, 1);
    assert_ne!(fast, session);
    let partial = folder(&[("a.jsonl", &fast)]);
    let cost = |folder: &tempfile::TempDir, flags: &str| {
        let json = stat(folder, &format!("{flags} --format json")).output().exits_with(0).json();
        let one = if flags.is_empty() { json["files"][0].clone() } else { json["groups"][0].clone() };
        (one["priced"].as_u64().unwrap(), one["cost"].as_f64().unwrap())
    };
    for flags in ["", "--by day", "--by project", "--by model", "--by task"] {
        let ((all, sum), (priced, known)) = (cost(&whole, flags), cost(&partial, flags));
        assert_eq!((all, priced), (3, 2), "{flags}");
        assert!(0.0 < known && known < sum, "{flags}: {known} of {sum}");
    }
    let text = stat(&partial, "--width 150").output().exits_with(0).out;
    assert!(text.contains(" (2 of 3 priced)") && text.contains("\n2 of 3 calls priced\n"), "{text}");
    let text = stat(&partial, "--by model --width 100").output().exits_with(0).out;
    for part in
        [" (2 of 3 priced)", "2 of 3 calls priced; the others are in no cost, and a transcript with such a call"]
    {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_session_without_calls_costs_nothing() {
    let folder = folder(&[("a.jsonl", "{\"trimtab\":1}\n{\"role\":\"user\",\"content\":\"go\"}\n")]);
    let file = &stat(&folder, "--format json").output().exits_with(0).json()["files"][0];
    assert_eq!((&file["cost"], &file["tokens"], &file["priced"]), (&0.0.into(), &0.into(), &0.into()));
    let json = stat(&folder, "--by day --format json").output().exits_with(0).json();
    assert_eq!((&json["total"]["cost"], &json["without_usage"]), (&0.0.into(), &0.into()));
}

const SETTINGS: &str = "[[recordings]]\ntranscripts = [\"*.jsonl\"]\nmax_avoidable_cost = \"$0.10\"\n";

fn ci(settings: &str, recordings: &[&str], code: i32) -> (serde_json::Value, String) {
    let policy =
        "edition 2026\n\npolicy p {\n  rule only {\n    when context.results > 9\n    do notify \"x\"\n  }\n}\n";
    let names: Vec<String> = (0..recordings.len()).map(|at| format!("{at}.jsonl")).collect();
    let mut files = vec![("p.trim", policy), ("trimtab.toml", settings)];
    files.extend(names.iter().map(String::as_str).zip(recordings.iter().copied()));
    let folder = folder(&files);
    let json = Run::line("ci --format json").current_dir(folder.path()).output().exits_with(code).json();
    let part = json["parts"].as_array().unwrap().iter().find(|part| part["name"] == "recordings").cloned();
    let part = part.unwrap_or_default();
    let message = part["troubles"][0]["message"].as_str().unwrap_or_default().to_owned();
    (part, message)
}

#[test]
fn ci_limits_the_cost_of_avoidable_breaks() {
    let (claude, own) = (broken("claude-sonnet-4-5"), broken("my-own"));
    let (part, _) = ci(SETTINGS, &[&claude], 0);
    assert_eq!(part["summary"], "1 transcript: 1 avoidable cache break, 20,000 tokens billed again, $0.069");
    let (part, message) = ci(SETTINGS, &[&claude, &claude], 1);
    let expected =
        "avoidable cache breaks cost $0.138, more than $0.1 (lifetime $0.138); run `trimtab transcript stat --breaks`";
    assert_eq!((message.as_str(), &part["troubles"][0]["line"]), (expected, &3.into()));
    // What has no price may exceed any limit.
    let (_, message) = ci(SETTINGS, &[&claude, &own], 2);
    assert!(message.starts_with("1 avoidable cache break without a known price"), "{message}");
    let priced = format!("{SETTINGS}\n[models.my-own]\nlike = \"claude-haiku-4-5\"\n");
    ci(&priced, &[&claude, &own], 0);
    let (_, message) = ci(SETTINGS, &[], 2);
    assert!(message.contains("matches no recording"), "{message}");
}

#[test]
fn branches_that_a_conversation_has_left_have_a_line_of_their_own() {
    let call =
        r#"{"harness_call":{"usage":{"input":100000,"cache_read":0,"cache_write":0,"output":0},"kind":"branch"}}"#;
    let session = format!("{}{call}\n{}\n", broken("claude-sonnet-4-5"), call.replace("branch", "summary"));
    let plain = folder(&[("a.jsonl", &broken("claude-sonnet-4-5"))]);
    let branched = folder(&[("a.jsonl", &session)]);
    let json = stat(&branched, "--format json").output().exits_with(0).json();
    // A million tokens cost $3.
    let sum = serde_json::json!({ "calls": 1, "priced": 1, "tokens": 100_000, "cost": 0.3 });
    assert_eq!(json["harness_calls"], serde_json::json!({ "branch": sum, "summary": sum }));
    assert_eq!(json["files"][0]["harness_calls"], json["harness_calls"]);
    let before = stat(&plain, "--format json").output().exits_with(0).json();
    assert_eq!(json["files"][0]["cost"], before["files"][0]["cost"]);
    let text = |folder: &tempfile::TempDir| stat(folder, "--width 120").output().exits_with(0).out;
    let line = "Besides these, branches that the conversations have left: 1 call, 100,000 tokens, $0.300";
    assert_eq!([text(&branched), text(&plain)].map(|text| text.contains(line)), [true, false]);
    let policy = "edition 2026\npolicy p { rule r { on request do inject \"Read the notes.\" as user once } }\n";
    std::fs::write(branched.path().join("p.trim"), policy).unwrap();
    let simulate = |more: &str| {
        let line = format!("simulate p.trim a.jsonl --isolated {more}");
        Run::line(&line).current_dir(branched.path()).output().exits_with(0)
    };
    let text = simulate("--width 120").out;
    for line in [
        "The recorded cost includes $0.300 for 1 call that the harness made for itself.",
        "The recorded cost includes $0.300 for 1 call on branches that the conversation has left.",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let money = &simulate("--format json").json()["transcripts"][0]["money"];
    assert_eq!([&money["harness"]["cost"], &money["branches"]["cost"]], [0.3, 0.3]);
}
