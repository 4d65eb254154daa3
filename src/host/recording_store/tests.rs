use trimtab_recordings::transcript;

use super::*;

fn home(files: &[&str]) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a temporary directory");
    for file in files {
        let path = home.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        std::fs::write(path, "not read").expect("written");
    }
    home
}

fn found(home: &Path, variable: Option<(&str, &Path)>) -> Vec<(&'static str, usize, Option<usize>, String)> {
    let value = |name: &str| variable.filter(|(own, _)| *own == name).map(|(_, path)| path.as_os_str().to_owned());
    let found = find_recordings_in(Some(home), value);
    found.into_iter().map(|one| (one.store.agent, one.count, one.projects, one.place)).collect()
}

#[test]
fn recordings_are_found_where_each_agent_stores_them() {
    let home = home(&[
        ".claude/projects/-a/1.jsonl",
        ".claude/projects/-a/2.jsonl",
        ".claude/projects/-b/3.jsonl",
        ".claude/projects/-b/notes.md",
        ".claude/projects/-b/3/subagents/agent-4.jsonl",
        ".config/claude/projects/-c/5.jsonl",
        ".codex/sessions/2026/11/02/rollout-1.jsonl",
        ".codex/sessions/2026/11/02/other.jsonl",
        ".local/share/opencode/storage/session/p/ses_1.json",
        ".local/share/opencode/storage/message/ses_1/msg_1.json",
    ]);
    let expected = [
        ("Claude Code", 4, Some(3), "~/.claude/projects/*/*.jsonl".to_owned()),
        ("Codex CLI", 1, None, "~/.codex/sessions/*/*/*/rollout-*.jsonl".to_owned()),
        ("OpenCode", 1, None, "~/.local/share/opencode/storage/session/*/ses_*.json".to_owned()),
    ];
    assert_eq!(found(home.path(), None), expected);
}

#[test]
fn a_thorough_look_has_every_agent_with_sizes_and_times() {
    let home = home(&[
        ".claude/projects/-a/1.jsonl",
        ".copilot/session-state/1/events.jsonl",
        ".copilot/session-state/1/other.jsonl",
        ".gemini/tmp/a1/chats/session-1.json",
        ".pi/agent/sessions/--a--/1.jsonl",
        ".qwen/projects/-a/chats/1.jsonl",
        ".factory/sessions/-a/1.jsonl",
        ".factory/sessions/-a/1.settings.json",
        ".local/share/amp/threads/T-1.json",
        ".continue/sessions/1-2.json",
        ".continue/sessions/sessions.json",
        ".openhands/conversations/1/base_state.json",
        ".openhands/conversations/1/events/event-00000-1.json",
        ".hermes/state.db",
        "code/shop/.aider.chat.history.md",
        "notes/.aider.chat.history.md",
    ]);
    let found = find_in(Some(home.path()), |_| None, THOROUGH);
    let shown: Vec<_> = found.iter().map(|one| (one.store.agent, one.count, one.bytes)).collect();
    let once = [
        "Claude Code",
        "Gemini CLI",
        "Qwen Code",
        "Copilot CLI",
        "pi",
        "Factory Droid",
        "Amp",
        "Continue",
        "OpenHands",
        "Hermes Agent",
    ];
    let once = once.into_iter().map(|agent| (agent, 1, 8));
    assert_eq!(shown, once.chain([("Aider", 2, 16)]).collect::<Vec<_>>());
    assert!(found.iter().all(|one| one.newest.is_some() && !one.is_partial));
}

#[test]
fn an_environment_variable_names_another_place() {
    let elsewhere = home(&["projects/-a/1.jsonl", "opencode/opencode.db"]);
    let home = home(&[".claude/projects/-b/2.jsonl"]);
    let place = elsewhere.path().join("projects/*/*.jsonl").display().to_string();
    let claude = found(home.path(), Some(("CLAUDE_CONFIG_DIR", elsewhere.path())));
    assert_eq!(claude, [("Claude Code", 1, Some(1), place)]);
    let all = found(home.path(), Some(("XDG_DATA_HOME", elsewhere.path())));
    assert_eq!(all.iter().map(|one| (one.0, one.1)).collect::<Vec<_>>(), [("Claude Code", 1), ("OpenCode", 1)]);
    // A relative path cannot be meant.
    assert_eq!(found(home.path(), Some(("CLAUDE_CONFIG_DIR", Path::new("x")))).len(), 1);
}

#[test]
fn counting_ends_at_a_limit() {
    let home = home(&[]);
    let project = home.path().join(".claude/projects/-a");
    std::fs::create_dir_all(&project).expect("created");
    for number in 0..=MAX_RECORDINGS {
        std::fs::write(project.join(format!("{number}.jsonl")), "").expect("written");
    }
    let found = find_recordings_in(Some(home.path()), |_| None);
    assert_eq!((found[0].count, found[0].is_partial), (MAX_RECORDINGS, true));
}

#[test]
fn no_home_directory_and_no_recordings_are_no_error() {
    assert!(find_recordings_in(None, |_| None).is_empty());
    assert!(find_recordings_in(Some(Path::new("relative")), |_| None).is_empty());
    assert!(found(home(&[".claude", ".codex/sessions/2026"]).path(), None).is_empty());
}

#[test]
fn each_store_has_a_format_that_is_read() {
    for store in RECORDING_STORES {
        assert!(transcript::find(store.format).is_some(), "{}", store.agent);
    }
}

#[test]
fn sessions_that_have_moved_to_a_database_are_not_counted_twice() {
    let home = home(&[
        ".local/share/opencode/opencode.db",
        ".local/share/opencode/storage/session/p/ses_1.json",
        ".local/share/opencode/storage/message/ses_1/msg_1.json",
    ]);
    let expected = [("OpenCode", 1, None, "~/.local/share/opencode/opencode.db".to_owned())];
    assert_eq!(found(home.path(), None), expected);
}
