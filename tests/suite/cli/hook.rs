//! `trimtab hook`: events of the clients, failures, and settings files.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::{Output, Run, folder};
use crate::golden::snapshot;

/// Cuts each new result, and masks everything when the session has three results.
const POLICY: &str = "edition 2026\n\npolicy short {\n  rule cut { do trim arrivals over 60 chars to 30 chars from tail }\n  \
    rule third { when context.results >= 3 do mask arrivals placeholder \"[gone]\" }\n  \
    rule old { when context.ratio > 50% do mask results keep 5 messages }\n}\n";

/// A folder with the policy and the files of a session.
struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = folder(&[("p.trim", POLICY)]);
        for (name, text) in files {
            fs::create_dir_all(place.path().join(name).parent().unwrap()).unwrap();
            fs::write(place.path().join(name), text).unwrap();
        }
        Self(place)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn run(&self, line: &str) -> Run {
        let state = self.path("state");
        Run::line(line).current_dir(self.0.path()).home(self.0.path()).env("XDG_STATE_HOME", &state)
    }

    /// The answer to an event, which never fails.
    fn event(&self, client: &str, event: &Json) -> Output {
        self.run(&format!("hook {client} p.trim")).input(event.to_string()).output().exits_with(0)
    }

    /// The answer to an event, which must not have failed.
    fn answer(&self, client: &str, event: &Json) -> Json {
        let output = self.event(client, event);
        assert_eq!(output.err, "");
        if output.out.is_empty() { Json::Null } else { output.json() }
    }
}

/// A line for each record of a session.
fn lines(records: &[Json]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// A session of Claude Code with a number of results, and then a call.
fn claude_session(results: usize) -> String {
    let mut records = vec![json!({
        "type": "user", "uuid": "u", "parentUuid": null, "sessionId": "s", "timestamp": "2026-11-01T10:00:00Z",
        "message": {"role": "user", "content": "Look around."},
    })];
    let mut parent = "u".to_owned();
    for at in 0..=results {
        let (call, result) = (format!("a{at}"), format!("r{at}"));
        records.push(json!({
            "type": "assistant", "uuid": call, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-11-01T10:00:01Z",
            "message": {"id": format!("m{at}"), "role": "assistant", "model": "claude-sonnet-4-5", "content": [
                {"type": "tool_use", "id": format!("c{at}"), "name": "Bash", "input": {"command": format!("ls {at}")}},
            ]},
        }));
        if at < results {
            records.push(json!({
                "type": "user", "uuid": result, "parentUuid": call, "sessionId": "s", "timestamp": "2026-11-01T10:00:02Z",
                "message": {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": format!("c{at}"), "content": "a file"},
                ]},
            }));
        }
        parent = result;
    }
    lines(&records)
}

fn claude_event(place: &Place, call: usize, stdout: &str) -> Json {
    json!({
        "session_id": "s", "transcript_path": place.path("s.jsonl"), "cwd": place.path(""), "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": {"command": format!("ls {call}")}, "tool_use_id": format!("c{call}"),
        "tool_response": {"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false},
    })
}

fn stdout(answer: &Json) -> &str {
    answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"].as_str().unwrap()
}

const LONG: &str = "one two three four five six seven eight nine ten eleven twelve thirteen";

#[test]
fn a_result_of_claude_code_is_changed_in_the_shape_of_its_tool() {
    let place = Place::new(&[("s.jsonl", &claude_session(0))]);
    let expected = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {
        "stdout": "one two three four five six se… [trimmed]", "stderr": "", "interrupted": false, "isImage": false,
    }}});
    assert_eq!(place.answer("claude-code", &claude_event(&place, 0, LONG)), expected);
    assert_eq!(place.answer("claude-code", &claude_event(&place, 0, "a short text")), Json::Null);
    let mut other = claude_event(&place, 0, LONG);
    other["tool_response"] = json!(LONG);
    assert_eq!(place.answer("claude-code", &other), Json::Null, "an unknown shape");
    other["hook_event_name"] = json!("PreToolUse");
    assert_eq!(place.answer("claude-code", &other), Json::Null, "another event");
}

#[test]
fn conditions_hold_on_the_session_in_the_transcript() {
    let place = Place::new(&[("s.jsonl", &claude_session(1))]);
    assert_eq!(place.answer("claude-code", &claude_event(&place, 1, "a short text")), Json::Null);
    place.write("s.jsonl", &claude_session(2));
    assert_eq!(stdout(&place.answer("claude-code", &claude_event(&place, 2, "a short text"))), "[gone]");
}

#[test]
fn a_result_that_no_rule_could_change_needs_no_session() {
    let place = Place::new(&[]);
    place.write("p.trim", "edition 2026\npolicy p { rule r { do trim arrivals over 60 chars to 30 chars } }\n");
    assert_eq!(place.answer("claude-code", &claude_event(&place, 0, "a short text")), Json::Null);
    assert!(place.event("claude-code", &claude_event(&place, 0, LONG)).err.contains("cannot read"));
}

#[test]
fn a_sub_agent_of_claude_code_has_a_session_of_its_own() {
    let own = claude_session(2).replace("\"sessionId\"", "\"isSidechain\":true,\"agentId\":\"a1\",\"sessionId\"");
    let place = Place::new(&[("s.jsonl", &claude_session(0)), ("s/subagents/agent-a1.jsonl", &own)]);
    let mut event = claude_event(&place, 2, "a short text");
    event["agent_id"] = json!("a1");
    assert_eq!(stdout(&place.answer("claude-code", &event)), "[gone]");
}

#[test]
fn a_transcript_that_lacks_the_call_or_the_end_of_a_line_is_read_as_far_as_it_goes() {
    let whole = claude_session(2);
    let without_call = whole.trim_end().rsplit_once('\n').unwrap().0;
    let half_a_line = whole.get(..whole.len() - 40).unwrap();
    let stored_already = claude_session(3);
    for session in [without_call, half_a_line, stored_already.as_str()] {
        let place = Place::new(&[("s.jsonl", session)]);
        assert_eq!(
            stdout(&place.answer("claude-code", &claude_event(&place, 2, "a short text"))),
            "[gone]",
            "{session}"
        );
    }
}

#[test]
fn a_result_of_codex_is_replaced_by_a_reason() {
    let session = lines(&[
        json!({"timestamp": "2026-11-01T10:00:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}}),
        json!({"timestamp": "2026-11-01T10:00:01Z", "type": "response_item", "payload":
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}]}}),
        json!({"timestamp": "2026-11-01T10:00:02Z", "type": "response_item", "payload":
            {"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls\"}", "call_id": "c0"}}),
    ]);
    let place = Place::new(&[("s.jsonl", &session)]);
    let event = |text: &str| {
        json!({
            "session_id": "s", "turn_id": "t", "transcript_path": place.path("s.jsonl"), "cwd": place.path(""),
            "hook_event_name": "PostToolUse", "model": "gpt-5.1-codex", "tool_name": "Bash", "tool_use_id": "c0",
            "tool_input": {"command": "ls"}, "tool_response": text,
        })
    };
    let reason = "one two three four five six se… [trimmed]";
    assert_eq!(place.answer("codex", &event(LONG)), json!({"decision": "block", "reason": reason}));
    assert_eq!(place.answer("codex", &event("a short text")), Json::Null);
}

#[test]
fn a_result_of_gemini_cli_is_denied_with_a_reason() {
    let session = lines(&[
        json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-11-01T10:00:00Z", "kind": "main"}),
        json!({"id": "1", "timestamp": "2026-11-01T10:00:01Z", "type": "user", "content": [{"text": "Look."}]}),
    ]);
    let place = Place::new(&[("s.jsonl", &session)]);
    let event = |text: &str| {
        json!({
            "session_id": "s", "transcript_path": place.path("s.jsonl"), "cwd": place.path(""), "hook_event_name": "AfterTool",
            "timestamp": "2026-11-01T10:00:03Z", "tool_name": "read_file", "tool_input": {"file_path": "f"},
            "tool_response": {"llmContent": text, "returnDisplay": ""},
        })
    };
    let reason = "one two three four five six se… [trimmed]";
    assert_eq!(place.answer("gemini", &event(LONG)), json!({"decision": "deny", "reason": reason}));
    assert_eq!(place.answer("gemini", &event("a short text")), json!({}));
}

#[test]
fn a_result_of_opencode_comes_with_its_session() {
    let place = Place::new(&[]);
    let event = |text: &str| {
        json!({
            "tool": "bash", "sessionID": "ses_1", "callID": "c0", "args": {"command": "ls"}, "output": text,
            "cwd": place.path(""),
            "session": {
                "info": {"id": "ses_1", "directory": "/w", "time": {"created": 1, "updated": 2}},
                "messages": [
                    {"info": {"id": "m1", "role": "user", "sessionID": "ses_1", "time": {"created": 1}},
                     "parts": [{"type": "text", "text": "Look."}]},
                    {"info": {"id": "m2", "role": "assistant", "sessionID": "ses_1", "time": {"created": 2},
                              "modelID": "claude-sonnet-4-5", "providerID": "anthropic"},
                     "parts": [{"type": "step-start"}, {"type": "tool", "callID": "c0", "tool": "bash",
                                "state": {"status": "running", "input": {"command": "ls"}, "time": {"start": 3}}}]},
                ],
            },
        })
    };
    assert_eq!(place.answer("opencode", &event(LONG)), json!({"output": "one two three four five six se… [trimmed]"}));
    assert_eq!(place.answer("opencode", &event("a short text")), Json::Null);
}

#[test]
fn a_result_of_pi_comes_with_a_file_or_with_its_entries() {
    let session = lines(&[
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-01T10:00:00Z", "cwd": "/w"}),
        json!({"type": "message", "id": "1", "parentId": null, "timestamp": "2026-11-01T10:00:01Z",
            "message": {"role": "user", "content": [{"type": "text", "text": "Look."}], "timestamp": 1}}),
        json!({"type": "message", "id": "2", "parentId": "1", "timestamp": "2026-11-01T10:00:02Z", "message":
            {"role": "assistant", "provider": "anthropic", "model": "claude-sonnet-4-5", "stopReason": "toolUse", "timestamp": 2,
             "content": [{"type": "toolCall", "id": "c0", "name": "bash", "arguments": {"command": "ls"}}]}}),
    ]);
    let place = Place::new(&[("s.jsonl", &session)]);
    let event = |text: &str, (key, value): (&str, &str)| {
        json!({
            "toolName": "bash", "toolCallId": "c0", "input": {"command": "ls"}, "isError": false, "sessionId": "s",
            "content": [{"type": "text", "text": text}, {"type": "image", "data": "AA==", "mimeType": "image/png"}], key: value,
        })
    };
    let expected = json!({"content": [
        {"type": "text", "text": "one two three four five six se… [trimmed]"},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
    ]});
    for source in [("sessionFile", place.path("s.jsonl").as_str()), ("sessionEntries", session.trim_end())] {
        assert_eq!(place.answer("pi", &event(LONG, source)), expected, "{source:?}");
        assert_eq!(place.answer("pi", &event("a short text", source)), Json::Null);
    }
}

#[test]
fn the_client_must_be_known() {
    let output = Run::line("hook emacs p.trim").output().exits_with(2);
    assert!(output.err.contains("[possible values: claude-code, codex, gemini, opencode, pi]"), "{output:?}");
}

/// An output that leaves the result as it is, with this reason, which `--status` shows too.
fn assert_unchanged(place: &Place, client: &str, output: &Output, reason: &str) {
    let unchanged = if client == "gemini" { "{}\n" } else { "" };
    assert_eq!((output.code, output.out.as_str()), (0, unchanged), "{reason}");
    assert!(output.err.contains("the result stays as it is: ") && output.err.contains(reason), "{output:?}");
    let status = place.run(&format!("hook {client} --status")).output().exits_with(0).out;
    assert!(status.contains("last error: 20") && status.contains(reason), "{status}");
}

#[test]
fn a_failure_leaves_the_result_as_it_is() {
    for client in ["claude-code", "gemini"] {
        let place = Place::new(&[("s.jsonl", &claude_session(0)), ("wrong.trim", "policy {")]);
        let run = |line: &str, input: &str| place.run(&line.replace("CLIENT", client)).input(input).output();
        let good = claude_event(&place, 0, LONG).to_string().replace("PostToolUse", "AfterTool");
        let good = if client == "gemini" {
            good.replace("\"stdout\"", "\"llmContent\"")
        } else {
            claude_event(&place, 0, LONG).to_string()
        };
        let fails = |line: &str, input: &str, reason: &str| {
            assert_unchanged(&place, client, &run(line, input), reason);
        };
        fails("hook CLIENT p.trim", "", "the event is not JSON");
        fails("hook CLIENT p.trim", "{\"hook_event_name\": ", "the event is not JSON");
        fails("hook CLIENT p.trim", "[]", "the event has no `hook_event_name`");
        fails("hook CLIENT p.trim", &good.replace("session_id", "x"), "the event has no `session_id`");
        fails("hook CLIENT", &good, "the command of the hook names no policy");
        fails("hook CLIENT none.trim", &good, "cannot read none.trim");
        fails("hook CLIENT wrong.trim", &good, "wrong.trim has errors");
        fails("hook CLIENT p.trim", &good.replace("s.jsonl", "none.jsonl"), "none.jsonl");
        fails("hook CLIENT p.trim", &good.replace("s.jsonl", "p.trim"), "cannot read");
    }
}

#[test]
fn a_state_that_cannot_be_written_leaves_the_result_as_it_is() {
    let place = Place::new(&[("s.jsonl", &claude_session(0)), ("state", "a file")]);
    let output = place.event("claude-code", &claude_event(&place, 0, LONG));
    assert_eq!(output.out, "");
    assert!(output.err.contains("the result stays as it is: cannot"), "{output:?}");
}

/// The files of the state of a client.
fn state_files(place: &Place, client: &str) -> Vec<std::path::PathBuf> {
    let folder = Path::new(&place.path("state")).join("trimtab/hooks").join(client);
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|end| end == "jsonl")).collect()
}

#[test]
fn what_was_changed_counts_for_guards_even_if_the_state_is_damaged_elsewhere() {
    let place = Place::new(&[("s.jsonl", &claude_session(0))]);
    place.write(
        "p.trim",
        "edition 2026\npolicy p { rule r { do trim arrivals over 60 chars to 30 chars from tail once } }\n",
    );
    let first = place.answer("claude-code", &claude_event(&place, 0, LONG));
    // The client records the changed result.
    place.write("s.jsonl", &claude_session(1).replace("a file", stdout(&first)));
    assert_eq!(place.answer("claude-code", &claude_event(&place, 1, LONG)), Json::Null, "once");
    let [state] = state_files(&place, "claude-code").try_into().unwrap();
    let saved = fs::read_to_string(&state).unwrap();
    fs::write(&state, format!("{{\"half\": {saved}\u{0}not JSON\n")).unwrap();
    assert_eq!(place.event("claude-code", &claude_event(&place, 1, LONG)).code, 0);
    fs::write(&state, format!("half a line{saved}not JSON")).unwrap();
    assert_eq!(place.answer("claude-code", &claude_event(&place, 1, LONG)), Json::Null, "once");
    fs::remove_file(&state).unwrap();
    assert_ne!(place.answer("claude-code", &claude_event(&place, 1, LONG)), Json::Null, "nothing is known");
}

#[cfg(unix)]
#[test]
fn the_state_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(&[("s.jsonl", &claude_session(0))]);
    place.answer("claude-code", &claude_event(&place, 0, LONG));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in state_files(&place, "claude-code") {
        assert_eq!(mode(&file), 0o600);
    }
    for folder in ["state/trimtab", "state/trimtab/hooks", "state/trimtab/hooks/claude-code"] {
        assert_eq!(mode(Path::new(&place.path(folder))), 0o700, "{folder}");
    }
}

#[test]
fn a_relative_policy_is_searched_from_the_folder_of_the_session_up_to_its_repository() {
    let place = Place::new(&[("s.jsonl", &claude_session(0)), (".git/HEAD", ""), ("a/b/x", "")]);
    let mut event = claude_event(&place, 0, LONG);
    event["cwd"] = json!(place.path("a/b"));
    let elsewhere = tempfile::tempdir().unwrap();
    let run = place.run("hook claude-code p.trim").current_dir(elsewhere.path());
    let output = run.input(event.to_string()).output().exits_with(0);
    assert!(stdout(&output.json()).ends_with("[trimmed]"));
}

/// The settings file or plugin of each client in a project.
const FILES: &[(&str, &str)] = &[
    ("claude-code", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("gemini", ".gemini/settings.json"),
    ("opencode", ".opencode/plugin/trimtab.js"),
    ("pi", ".pi/extensions/trimtab.ts"),
];

#[test]
fn a_hook_is_installed_shown_and_removed() {
    for (client, file) in FILES {
        let place = Place::new(&[(".git/HEAD", "")]);
        let run = |options: &str| place.run(&format!("hook {client} {options} --project")).output().exits_with(0);
        let dry = run("p.trim --install --dry-run");
        assert!(!Path::new(&place.path(file)).exists());
        let installed = run("p.trim --install");
        assert_eq!(installed.out, dry.out);
        snapshot("hook", &client.replace('-', "_"), &(installed.out + &installed.err));
        let text = place.read(file);
        let again = run("p.trim --install");
        assert!(again.err.contains("the hook is installed already") && !again.out.contains("+++"), "{again:?}");
        assert_eq!(place.read(file), text);
        let status = run("--status").out;
        assert!(status.contains(&format!("trimtab hook {client} p.trim\n")), "{status}");
        assert!(run("--uninstall").err.contains("the hook is removed"));
        assert!(!Path::new(&place.path(file)).exists());
        assert!(run("--uninstall").err.contains("the hook is not installed"));
        assert!(run("--status").out.contains("not installed"));
    }
}

#[test]
fn the_settings_of_the_user_name_program_and_policy_by_their_paths() {
    let place = Place::new(&[]);
    place.run("hook claude-code p.trim --policy short --install").output().exits_with(0);
    let settings: Json = serde_json::from_str(&place.read(".claude/settings.json")).unwrap();
    let command = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    let words: Vec<&str> = command.split_whitespace().collect();
    let [program, "hook", "claude-code", policy, "--policy", "short"] = words.as_slice() else { panic!("{command}") };
    assert!(Path::new(program).is_absolute() && fs::canonicalize(policy).unwrap().ends_with("p.trim"), "{command}");
}

#[test]
fn other_settings_keep_their_bytes() {
    let settings = "{\n  // mine\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n  },\n  \"env\": {\"B\": \"2\", \"A\": \"1\"}\n}\n";
    let place = Place::new(&[(".git/HEAD", ""), (".claude/settings.json", settings)]);
    let installed = place.run("hook claude-code p.trim --install --project").output().exits_with(0);
    snapshot("hook", "beside_settings", &installed.out);
    place.run("hook claude-code --uninstall --project").output().exits_with(0);
    assert_eq!(place.read(".claude/settings.json"), settings);
}

#[test]
fn settings_that_cannot_be_understood_are_left_alone_with_what_to_do_by_hand() {
    for settings in ["{\"model\": }", "{\"hooks\": []}", "{\"hooks\": {}, \"hooks\": {}}"] {
        let place = Place::new(&[(".git/HEAD", ""), (".claude/settings.json", settings)]);
        let output = place.run("hook claude-code p.trim --install --project").output().exits_with(2);
        assert!(
            output.err.contains("do it by hand: add\n") && output.err.contains("trimtab hook claude-code p.trim"),
            "{output:?}"
        );
        assert_eq!(place.read(".claude/settings.json"), settings);
        place.run("hook claude-code --status --project").output().exits_with(2);
    }
    let place = Place::new(&[(".git/HEAD", ""), (".opencode/plugin/trimtab.js", "// mine\n")]);
    for line in ["p.trim --install", "--uninstall"] {
        place.run(&format!("hook opencode {line} --project")).output();
        assert_eq!(place.read(".opencode/plugin/trimtab.js"), "// mine\n");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_read_only_files_are_left_alone() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new(&[("dotfiles/settings.json", "{\n  \"model\": \"opus\"\n}\n"), (".claude/x", "")]);
    symlink(place.path("dotfiles/settings.json"), place.path(".claude/settings.json")).unwrap();
    place.run("hook claude-code p.trim --install").output().exits_with(0);
    assert!(Path::new(&place.path(".claude/settings.json")).is_symlink());
    assert!(place.read("dotfiles/settings.json").contains("hook claude-code"));
    let before = place.read("dotfiles/settings.json");
    fs::set_permissions(place.path("dotfiles/settings.json"), fs::Permissions::from_mode(0o444)).unwrap();
    let output = place.run("hook claude-code --uninstall").output().exits_with(2);
    assert!(output.err.contains("read-only"), "{output:?}");
    assert_eq!(place.read("dotfiles/settings.json"), before);
}

#[test]
fn a_setting_that_turns_hooks_off_is_reported() {
    let off = [
        ("claude-code", ".claude/settings.json", "{\"disableAllHooks\": true}"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ("gemini", ".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}"),
    ];
    for (client, file, settings) in off {
        let place = Place::new(&[(file, settings)]);
        let installed = place.run(&format!("hook {client} p.trim --install")).output().exits_with(0);
        assert!(installed.err.contains(&format!("are off: ~/{file} has")), "{installed:?}");
        assert!(place.run(&format!("hook {client} --status")).output().exits_with(0).out.contains("are off"));
    }
}

#[test]
fn installs_at_the_same_time_lose_nothing() {
    let place = Place::new(&[(".git/HEAD", ""), (".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| place.run("hook claude-code p.trim --install --project").output().exits_with(0));
        }
    });
    let settings: Json = serde_json::from_str(&place.read(".claude/settings.json")).unwrap();
    assert_eq!((&settings["model"], settings["hooks"]["PostToolUse"].as_array().unwrap().len()), (&json!("opus"), 1));
}

#[test]
fn a_policy_without_rules_for_a_hook_is_not_installed() {
    let place = Place::new(&[(".git/HEAD", "")]);
    place.write("p.trim", "edition 2026\npolicy p {\n  rule old { do mask results keep 5 messages }\n  rule away { do offload arrivals over 9 chars }\n  rule end { when context.ratio > 90% do stop \"full\" }\n}\n");
    let output = place.run("hook codex p.trim --install --project").output().exits_with(1);
    snapshot("hook", "other_rules", &(output.out + &output.err));
    assert!(!Path::new(&place.path(".codex")).exists());
}
