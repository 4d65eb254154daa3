use serde_json::json;

use super::*;

fn intent(name: &str, arguments: impl Into<Json>) -> Intent {
    classify(name, &arguments.into()).intent
}

#[test]
fn tools_are_told_by_the_words_of_their_names() {
    let file = || json!({"path": "a"});
    assert_eq!(intent("mcp__fs__read_text_file", file()), Intent::Read);
    assert_eq!(intent("ReadFile", file()), Intent::Read);
    assert_eq!(intent("NotebookEdit", file()), Intent::Write);
    assert_eq!(intent("list_files", file()), Intent::List);
    assert_eq!(intent("find_files", file()), Intent::List);
    assert_eq!(intent("Grep", file()), Intent::Search);
    assert_eq!(intent("execute_bash", json!({"command": "ls"})), Intent::Run);
    assert_eq!(intent("TodoWrite", json!({"todos": []})), Intent::Plan);
    assert_eq!(intent("write_plan", file()), Intent::Write);
    assert_eq!(intent("mcp__search__create_issue", json!({})), Intent::Write);
    assert_eq!(intent("get_user", json!({})), Intent::Look);
    for unknown in ["publish", "spread", "搜索", "book_reservation", ""] {
        assert_eq!(intent(unknown, json!({})), Intent::Unknown, "{unknown}");
    }
}

#[test]
fn the_action_of_an_editor_decides() {
    let editor = |command: &str| intent("str_replace_editor", json!({"command": command, "path": "a"}));
    assert_eq!(editor("view"), Intent::Read);
    assert_eq!(editor("undo_edit"), Intent::Write);
    assert_eq!(editor("find all"), Intent::Write, "more than a word is no action");
    assert_eq!(editor("run"), Intent::Write, "an unknown action says nothing");
    assert_eq!(intent("bash", json!({"command": "view", "path": "a"})), Intent::Run);
}

#[test]
fn a_call_that_may_change_something_is_told_from_one_that_looks() {
    let may_change = |name: &str, arguments: &Json| classify(name, arguments).may_change();
    assert!(!may_change("editor", &json!({"command": "view", "path": "a"})));
    assert!(may_change("editor", &json!({"command": "create", "path": "a"})));
    assert!(!may_change("bash", &json!({"command": "ls a"})));
    assert!(may_change("shell", &json!({"command": ["bash", "-lc", "make a"]})));
    assert!(may_change("bash", &json!({})), "what it runs is unknown");
    assert!(may_change("本", &json!("文")));
}

#[test]
fn files_and_lines_are_those_that_arguments_name() {
    let arguments = json!({"edits": ["x"], "files": ["a", "b"], "start_line": 2, "end_line": 4});
    let found = classify("read_files", &arguments);
    assert_eq!(found.paths, ["a", "b"]);
    assert_eq!(classify("read_file", &json!("a")).paths, ["a"]);
    let lines = json!({"path": "a", "start_line": 2, "endLine": 4});
    assert_eq!(classify("read", &lines).range, FileRange::Lines { first: 2, last: Some(4) });
}

#[test]
fn a_patch_writes_the_files_that_it_names() {
    let patch = "*** Begin Patch\n*** Update File: src/a b.rs\n+x\n*** Add File: c\n*** Update File: c\n*** End Patch";
    let arguments = json!({ "input": patch });
    let found = classify("apply_patch", &arguments);
    assert_eq!((found.intent, found.paths), (Intent::Write, vec!["src/a b.rs", "c"]));
}
