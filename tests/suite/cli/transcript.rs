//! `trimtab transcript` and its sub-verbs.

use super::{Run, folder, recording};

#[test]
fn stat_counts_what_each_file_holds() {
    let chat = r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]"#;
    let folder = folder(&[("b.jsonl", &recording()), ("a.json", chat), ("c.json", "no recording")]);
    let run = |more: &str| Run::line(&format!("transcript stat . {more}")).current_dir(folder.path()).output();
    let output = run("--format json").exits_with(0);
    let json = output.json();
    let files: Vec<_> = json["files"].as_array().unwrap().iter().map(|file| file["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["a.json", "b.jsonl"]);
    let file = &json["files"][1];
    assert_eq!([&file["messages"], &file["calls"], &file["results"], &file["errors"]], [7, 2, 2, 1]);
    assert_eq!((&file["format"], &file["window"]), (&"trimtab".into(), &4000.into()));
    assert_eq!(json["errors"][0]["file"], "c.json");
    assert!(output.err.starts_with("error: c.json: unrecognised recording format"), "{}", output.err);
    let lines = run("--format jsonl").exits_with(0).lines();
    assert_eq!(serde_json::json!(lines), json["files"]);
    run("--format json --strict").exits_with(2);
}

#[test]
fn stat_shows_what_each_transcript_used() {
    let line = |id: &str, input: u64| {
        let usage = format!(r#"{{"input":{input},"cache_read":500,"cache_write":0,"output":10}}"#);
        format!(
            "{{\"trimtab\":1,\"id\":\"{id}\",\"model\":\"claude-sonnet-4-5\"}}\n\
             {{\"role\":\"user\",\"content\":\"go\"}}\n\
             {{\"role\":\"assistant\",\"content\":\"done\",\"usage\":{usage}}}\n"
        )
    };
    let folder = folder(&[("a.jsonl", &line("a", 1000)), ("b.jsonl", &line("b", 4000))]);
    let run = |more: &str| Run::line(&format!("transcript stat . {more}")).current_dir(folder.path()).output();
    let files = run("--per-transcript --format json").exits_with(0).json()["files"].clone();
    assert_eq!([&files[0]["tokens"], &files[1]["tokens"]], [1510, 4510]);
    assert_eq!([&files[0]["peak_tokens"], &files[1]["peak_tokens"]], [1500, 4500]);
    assert!(files[0]["cost"].as_f64().unwrap() < files[1]["cost"].as_f64().unwrap(), "{files}");
    let out = run("--per-transcript --width 60").exits_with(0).out;
    assert!(out.contains("\na.jsonl       0      1   1,510  1,500  "), "{out}");
    assert!(out.contains("\nModel: claude-sonnet-4-5\nFormat: trimtab\n"), "{out}");
}

#[test]
fn stat_sums_files_by_format() {
    let folder = folder(&[("a.jsonl", &recording()), ("b.jsonl", &recording())]);
    let run = |more: &str| Run::line("transcript stat . --by-format").arg(more).current_dir(folder.path()).output();
    let json = run("--format=json").exits_with(0).json();
    assert_eq!(json["formats"][0]["files"], 2);
    assert_eq!(json["formats"][0]["calls"], 4);
    let plain = run("--format=plain").exits_with(0).out;
    let line =
        "format: trimtab; files: 2; conversations: 2; messages: 14; tool calls: 4; results: 4; errors: 2; usage: 0\n";
    assert_eq!(plain, line);
}

#[test]
fn errors_are_inferred_on_request_and_keep_their_label() {
    let dir = folder(&[("a.json", include_str!("../../../docs/transcripts/build.json"))]);
    let run = |line: &str| Run::line(line).current_dir(dir.path()).output().exits_with(0);
    let counts =
        |json: &serde_json::Value| [&json["errors"], &json["inferred_errors"]].map(|count| count.as_u64().unwrap());
    assert_eq!(counts(&run("transcript stat a.json --format json").json()["files"][0]), [0, 0]);
    assert_eq!(counts(&run("transcript stat a.json --infer-errors --format json").json()["files"][0]), [0, 1]);
    let shown = run("transcript show a.json --infer-errors --format json").json();
    let calls: Vec<_> = shown["transcripts"][0]["calls"].as_array().unwrap().iter().map(counts).collect();
    assert_eq!(calls, [[0, 0], [1, 1], [0, 0]]);
    assert!(run("transcript show a.json --infer-errors").out.contains("1 inferred"));
    let converted = run("transcript convert a.json --infer-errors --to trimtab -o b.jsonl");
    assert!(converted.out.is_empty());
    assert_eq!(counts(&run("transcript stat b.jsonl --format json").json()["files"][0]), [0, 1]);
}

#[test]
fn rules_see_inferred_errors() {
    let policy = "edition 2026\npolicy p { rule r { when failures >= 1 do notify \"failed\" } }";
    let dir = folder(&[("a.json", include_str!("../../../docs/transcripts/build.json")), ("p.trim", policy)]);
    let fired = |more: &str| {
        let output =
            Run::line(&format!("simulate p.trim a.json --format json {more}")).current_dir(dir.path()).output();
        let replay = output.exits_with(0).json()["transcripts"][0].clone();
        (replay["rules"][0]["fired"].as_u64().unwrap(), replay["inferred_errors"].as_u64().unwrap())
    };
    assert_eq!(fired(""), (0, 0));
    assert_eq!(fired("--infer-errors").1, 1);
    assert!(fired("--infer-errors").0 > 0);
}

#[test]
fn stat_without_a_readable_recording_fails() {
    let folder = folder(&[("a.json", "nothing")]);
    let run = |line: &str| Run::line(line).current_dir(folder.path()).output();
    run("transcript stat a.json").exits_with(2);
    std::fs::remove_file(folder.path().join("a.json")).unwrap();
    assert!(run("transcript stat .").exits_with(2).err.contains("--allow-empty"));
    run("transcript stat . --allow-empty").exits_with(0);
    Run::line("transcript").output().exits_with(2);
}

#[test]
fn stat_reads_standard_input_in_a_given_format() {
    let run = |format: &str| {
        let line = format!("transcript stat - --stdin-filename in.json --input-format {format} --format json");
        Run::line(&line).input(r#"[{"role":"user","content":"hi"}]"#).output()
    };
    assert_eq!(run("openai_chat").exits_with(0).json()["files"][0]["file"], "in.json");
    run("claude_code").exits_with(2);
}

/// A recording with a compaction, a cleared result and a result that is an error.
const EDITED: &str = r#"{"trimtab":1,"window":9000}
{"role":"user","content":"Look at both files."}
{"role":"assistant","content":[{"type":"tool_call","id":"1","name":"read","arguments":{"path":"a"}},{"type":"tool_call","id":"2","name":"read","arguments":{"path":"b"}}]}
{"role":"tool","content":[{"type":"tool_result","id":"1","content":"a text of some length that is cleared later, with more words than the placeholder has"}]}
{"role":"tool","content":[{"type":"tool_result","id":"2","content":"missing","is_error":true}]}
{"role":"assistant","content":[{"type":"tool_call","id":"3","name":"list","arguments":{}}],"cleared":{"results":["1"]}}
{"role":"tool","content":[{"type":"tool_result","id":"3","content":"a"}]}
{"role":"user","content":"A summary.","resets":true,"compaction":{"automatic":true,"tokens":8000}}
{"role":"assistant","content":"Done."}
"#;

fn shown(more: &str) -> crate::cli::Output {
    Run::line(&format!("transcript show - --stdin-filename in.jsonl --width 120 {more}")).input(EDITED).output()
}

#[test]
fn show_has_a_line_for_each_call_with_its_tools_and_the_edits_of_the_harness() {
    let out = shown("").exits_with(0).out;
    assert!(out.starts_with("in.jsonl: 3 model calls, the context peaks at "), "{out}");
    for text in [
        "1 user message; calls read ×2",
        "1 RESULT CLEARED; 1 reply, 2 results; calls list",
        "AUTOMATIC COMPACTION at 8,000 tokens",
    ] {
        assert!(out.contains(text), "{text}\n{out}");
    }
    let json = shown("--format json").exits_with(0).json();
    let calls = json["transcripts"][0]["calls"].as_array().unwrap().clone();
    assert_eq!(calls.len(), 3);
    assert_eq!(
        (&calls[1]["errors"], &calls[1]["cleared"], &calls[2]["reset"]),
        (&1.into(), &1.into(), &"compaction".into())
    );
    assert_eq!(shown("--format jsonl").exits_with(0).lines()[0], json["transcripts"][0]);
}

#[test]
fn show_lists_the_content_of_a_call_the_tools_and_the_largest_parts() {
    let content = shown("--call 1").exits_with(0).out;
    assert!(content.contains("results of") && content.contains("tool result (read)"), "{content}");
    assert!(shown("--call 7").exits_with(2).err.contains("there is no call 7: in.jsonl has 3 model calls"));
    let tools = shown("--tools --format json").exits_with(0).json()["transcripts"][0]["tools"].clone();
    assert_eq!((&tools[0]["name"], &tools[0]["calls"], &tools[0]["errors"]), (&"read".into(), &2.into(), &1.into()));
    let largest = shown("--largest 1 --format json").exits_with(0).json()["transcripts"][0]["largest"].clone();
    assert_eq!(largest.as_array().unwrap().len(), 1);
    assert_eq!((&largest[0]["message"], &largest[0]["calls"]), (&2.into(), &0.into()));
    shown("--tools --call 1").exits_with(2);
}

#[test]
fn show_keeps_to_the_width() {
    for (width, more) in [(60, ""), (80, ""), (60, "--tools"), (72, "--largest 3"), (80, "--call 40")] {
        let line =
            format!("transcript show policies/coding_agent.jsonl policies/stuck_agent.jsonl --width {width} {more}");
        let out = Run::line(&line).output().exits_with(0).out;
        assert!(out.lines().all(|line| line.chars().count() <= width), "{line}\n{out}");
    }
    let out = Run::line("transcript show policies/coding_agent.jsonl --width 80").output().exits_with(0).out;
    assert!(out.lines().all(|line| line.trim().parse::<usize>().is_err()), "a call number alone: {out}");
}

#[test]
fn a_format_in_which_the_calls_are_lost_is_an_error() {
    for format in ["codex", "vercel", "openai_responses", "openai_chat"] {
        let run = Run::line(&format!("transcript stat --input-format {format} policies/stuck_agent.jsonl"));
        let error = run.output().exits_with(2).err;
        assert!(error.contains("the file looks like `trimtab` (Trimtab JSONL)"), "{error}");
    }
}

#[test]
fn show_selects_a_conversation_by_its_id() {
    let two = format!("{{\"trimtab\":1,\"id\":\"x\"}}\n{{\"role\":\"user\",\"content\":\"hi\"}}\n{}", recording());
    let run = |id: &str| Run::line(&format!("transcript show - --format json --id {id}")).input(&two).output();
    let json = run("hand").exits_with(0).json();
    assert_eq!(json["transcripts"].as_array().unwrap().len(), 1);
    assert_eq!(json["transcripts"][0]["id"], "<stdin>#hand");
    run("nobody").exits_with(2);
}

/// A conversation that goes on with a model whose window is smaller.
const TWO_MODELS: &str = r#"{"trimtab":1,"model":"claude-opus-5"}
{"role":"user","content":"Go."}
{"role":"assistant","content":"Yes.","model":"claude-opus-5","usage":{"input":240000,"output":10}}
{"role":"user","content":"And now?"}
{"role":"assistant","content":"Yes.","model":"claude-haiku-4-5","usage":{"input":241000,"output":10}}
"#;

#[test]
fn a_context_is_compared_with_the_window_of_its_call() {
    let run = |verb: &str| Run::line(&format!("transcript {verb} - --width 120")).input(TWO_MODELS).output();
    let out = run("show").exits_with(0).out;
    assert!(out.contains("peaks at 241,000 tokens (120.5% of 200,000), claude-opus-5, claude-haiku-4-5"), "{out}");
    let json = Run::line("transcript show - --format json").input(TWO_MODELS).output().exits_with(0).json();
    let windows = json["transcripts"][0]["calls"].as_array().unwrap().iter().map(|call| call["window"].clone());
    assert_eq!(windows.collect::<Vec<_>>(), [1_000_000, 200_000]);
    let out = run("validate").exits_with(1).out;
    assert!(out.contains("above-window"), "{out}");
}

#[test]
fn validate_reports_problems_and_exits_with_1() {
    let run = |text: &str, more: &str| Run::line(&format!("transcript validate - {more}")).input(text).output();
    let output = run(EDITED, "").exits_with(0);
    assert_eq!(output.out, "1 transcript checked, no problems found\n");
    let broken = EDITED.replace(r#""id":"3","content":"a""#, r#""id":"4","content":"a""#);
    let json = run(&broken, "--format json").exits_with(1).json();
    let kinds: Vec<_> = json["problems"].as_array().unwrap().iter().map(|problem| problem["problem"].clone()).collect();
    assert_eq!(kinds, ["orphan-result", "unanswered-call"]);
    assert_eq!(json["problems"][0]["messages"], serde_json::json!([5]));
    assert!(run(&broken, "").exits_with(1).out.contains("orphan-result"));
    run("nothing", "").exits_with(2);
}

#[test]
fn redact_keeps_what_a_simulation_reads_and_removes_names() {
    let text = EDITED.replace("missing", "no such file: /home/marla/b, ask marla@corp.example");
    let run = |more: &str| Run::line(&format!("transcript redact - {more}")).input(text.clone()).output().exits_with(0);
    let (secrets, all) = (run(""), run("--all-text"));
    assert!(!secrets.out.contains("marla") && secrets.out.contains("Look at both files."), "{}", secrets.out);
    assert!(secrets.err.contains("read the output before you share it"), "{}", secrets.err);
    assert!(
        !all.out.contains("Look") && !all.out.contains("summary") && all.out.contains("\"name\":\"read\""),
        "{}",
        all.out
    );
    let phone = |more: &str| {
        let recording = text.replace("marla@corp.example", "+49 30 1234567");
        Run::line(&format!("transcript redact - {more}")).input(recording).output().exits_with(0).out
    };
    assert!(phone("").contains("1234567") && !phone("--personal-numbers").contains("1234567"));
    let shape = |text: &str| {
        let json = Run::line("transcript stat - --format json").input(text).output().exits_with(0).json();
        json["files"][0].clone()
    };
    assert_eq!(shape(&secrets.out), shape(&text));
    assert_eq!(shape(&all.out), shape(&text));
    assert!(Run::line("transcript redact --help").output().exits_with(0).out.contains("are not recognised"));
}

#[test]
fn convert_writes_other_formats_and_lists_what_is_lost() {
    let run = |to: &str| Run::line(&format!("transcript convert - --to {to}")).input(EDITED).output().exits_with(0);
    let chat = run("openai_chat");
    assert_eq!(chat.json()["messages"].as_array().unwrap().len(), 8);
    assert!(chat.err.contains("lost: compactions and clearings (2)"), "{}", chat.err);
    assert!(chat.err.contains("lost: error marks of tool results (1)"), "{}", chat.err);
    let own = run("trimtab");
    assert_eq!(own.err, "");
    let again = Run::line("transcript convert - --to trimtab").input(&own.out).output().exits_with(0);
    assert_eq!(again.out, own.out);
    Run::line("transcript convert - --to word").input(EDITED).output().exits_with(2);
}

#[test]
fn a_storage_folder_of_opencode_holds_a_recording_for_each_session() {
    let part = |kind: &str, more: &str| format!(r#"{{"id":"p","type":"{kind}"{more}}}"#);
    let step = part("step-finish", r#","tokens":{"input":9,"output":2,"cache":{"read":0,"write":0}}"#);
    let call = r#","callID":"c1","tool":"bash","state":{"status":"error","input":{},"error":"no"}"#;
    let dir = folder(&[
        ("storage/session/p1/ses_1.json", r#"{"id":"ses_1","time":{"created":1}}"#),
        ("storage/session/p1/ses_2.json", r#"{"id":"ses_2","parentID":"ses_1"}"#),
        ("storage/message/ses_1/msg_1.json", r#"{"id":"msg_1","role":"user"}"#),
        ("storage/message/ses_1/msg_2.json", r#"{"id":"msg_2","role":"assistant","modelID":"m"}"#),
        ("storage/message/ses_2/msg_3.json", r#"{"id":"msg_3","role":"user"}"#),
        ("storage/part/msg_1/prt_1.json", &part("text", r#","text":"go""#)),
        ("storage/part/msg_2/prt_1.json", &part("tool", call)),
        ("storage/part/msg_2/prt_2.json", &step),
        ("storage/part/msg_2/prt_3.json", "{\"type\":\"te"),
        ("storage/part/msg_3/prt_1.json", &part("text", r#","text":"look""#)),
        ("storage/project/p1.json", r#"{"id":"p1"}"#),
        ("storage/session_diff/ses_1.json", "[]"),
    ]);
    let stat = |path: &str| {
        let run = Run::line(&format!("transcript stat {path} --format json")).current_dir(dir.path());
        let json = run.output().exits_with(0).json();
        assert_eq!(json["errors"].as_array().map(Vec::len), Some(0));
        json["files"].as_array().unwrap().clone()
    };
    for path in [".", "storage", "storage/session"] {
        let messages: Vec<_> = stat(path).iter().map(|file| file["messages"].as_u64().unwrap()).collect();
        assert_eq!(messages, [3, 1], "{path}");
    }
    let one = &stat("storage/session/p1/ses_1.json")[0];
    assert_eq!((&one["format"], &one["usage"], &one["errors"]), (&"opencode".into(), &1.into(), &1.into()));
    assert_eq!(one["skipped"]["broken file"], 1);
}

#[test]
fn a_conversation_folder_of_openhands_is_one_recording_with_the_usage_of_its_state() {
    let message = |source: &str, text: &str| {
        format!(
            r#"{{"kind":"MessageEvent","source":"{source}","llm_response_id":"r1","llm_message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let state = r#"{"id":"c1","agent":{"llm":{"model":"m"}},"workspace":{},"stats":{"usage_to_metrics":{"agent":
        {"token_usages":[{"response_id":"r1","prompt_tokens":9,"completion_tokens":2}]}}}}"#;
    let dir = folder(&[
        ("a/base_state.json", state),
        ("a/events/event-00010-bb.json", &message("agent", "ok")),
        ("a/events/event-00009-aa.json", &message("user", "go")),
        ("a/events/event-100000-cc.json", "{\"ki"),
        ("a/events/.eventlog.lock", ""),
    ]);
    for path in [".", "a", "a/base_state.json"] {
        let run = Run::line(&format!("transcript stat {path} --format json")).current_dir(dir.path());
        let json = run.output().exits_with(0).json();
        let [file] = json["files"].as_array().unwrap().as_slice() else { panic!("{path}: {json}") };
        assert_eq!((&file["format"], &file["messages"], &file["usage"]), (&"openhands".into(), &2.into(), &1.into()));
        assert_eq!(file["skipped"]["record without events"], 1, "{path}");
    }
}

#[test]
fn histories_of_aider_are_found_in_folders_though_they_are_hidden_and_ignored() {
    let history = "# aider chat started at 2026-03-01 10:00:00\n\n#### hi\n\nhello\n";
    let dir = folder(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", ".aider*\n"),
        (".aider.chat.history.md", history),
        ("shop/.aider.chat.history.md", history),
        ("shop/.other.md", history),
    ]);
    let json = Run::line("transcript stat . --format json").current_dir(dir.path()).output().exits_with(0).json();
    let files: Vec<_> = json["files"].as_array().unwrap().iter().map(|file| file["file"].clone()).collect();
    assert_eq!(files, [".aider.chat.history.md", "shop/.aider.chat.history.md"]);
}

#[test]
fn redacted_files_are_one_stream_that_is_read_again() {
    let chat = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}"#;
    let dir = folder(&[("a.jsonl", &recording()), ("b.jsonl", &[chat, chat].join("\n")), ("c.jsonl", &recording())]);
    let run = |line: &str| Run::line(line).current_dir(dir.path()).output().exits_with(0);
    let counts = |json: serde_json::Value| {
        ["conversations", "messages", "calls"]
            .map(|key| json["files"].as_array().unwrap().iter().map(|file| file[key].as_u64().unwrap()).sum::<u64>())
    };
    let before = counts(run("transcript stat a.jsonl b.jsonl c.jsonl --format json").json());
    run("transcript redact a.jsonl b.jsonl c.jsonl -o all.jsonl");
    assert_eq!(counts(run("transcript stat all.jsonl --format json").json()), before);
    assert_eq!(before[0], 4);
    let ids: Vec<_> =
        run("transcript show all.jsonl --format jsonl").lines().iter().map(|one| one["id"].to_string()).collect();
    assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 4, "{ids:?}");
}

#[test]
fn find_lists_the_recordings_below_the_home_directory() {
    let home = folder(&[(".claude/projects/-a/1.jsonl", "{}"), (".pi/agent/sessions/--a--/2.jsonl", "{}\n")]);
    let run = |more: &str, home: &std::path::Path| {
        let run = Run::line(&format!("transcript find {more}")).home(home);
        let run = run
            .env("CLAUDE_CONFIG_DIR", "")
            .env("CODEX_HOME", "")
            .env("XDG_DATA_HOME", "")
            .env("PI_CODING_AGENT_DIR", "");
        run.output().exits_with(0)
    };
    let json = run("--format json", home.path()).json();
    let tools: Vec<_> =
        json["tools"].as_array().unwrap().iter().map(|tool| (tool["tool"].clone(), tool["bytes"].clone())).collect();
    assert_eq!(tools, [("Claude Code".into(), 2.into()), ("pi".into(), 3.into())]);
    assert!(json["tools"][0]["newest"].as_str().unwrap().ends_with('Z'));
    let empty = folder(&[]);
    assert!(run("", empty.path()).out.starts_with("Found no recordings of Claude Code, Codex CLI"));
}
