use serde_json::{Map, Value as Json};

use super::{SettingsError, SettingsHook, is_set};

const HOOK: SettingsHook = SettingsHook { event: "PostToolUse", client: "claude-code", name: None, timeout: 10 };
const COMMAND: &str = "trimtab hook claude-code '/p/a b.trim'";

/// Files of people, with comments and in many styles.
const FILES: &[&str] = &[
    "{}",
    "{\n}\n",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\"model\":\"opus\",\"env\":{\"A\":\"1\"}}",
    "{\n\t\"model\": \"opus\", // the large one\n\t/* none */\n\t\"hooks\": {},\n}\n",
    "// mine\n{\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}] // loud\n    }\n}\n",
    "{\r\n  \"hooks\": {\r\n    \"PostToolUse\": [\r\n      {\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"fmt\"}]}\r\n    ]\r\n  },\r\n  \"z\": 1\r\n}\r\n",
    "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      // first\n      {\"matcher\": \"Edit\", \"hooks\": []}, // an empty one\n    ],\n  },\n}\n",
    "{\n  \"a\": \"{ // not a comment\",\n  \"b\": [1, 2.5e3, true, null, \"\\\"\\u00e9\"]\n}",
    "\u{feff}{\n  \"hooks\": {\"PostToolUse\": []}\n}\n",
];

/// The value of a text without comments and trailing commas.
fn value(text: &str) -> Json {
    let mut plain = String::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let ends = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |(at, _)| at + 1)
            }
            '/' if rest.starts_with("//") => {
                rest = rest.find('\n').and_then(|at| rest.get(at..)).unwrap_or_default();
                continue;
            }
            '/' => {
                rest = rest.split_once("*/").map_or("", |(_, after)| after);
                continue;
            }
            _ => c.len_utf8(),
        };
        if matches!(c, '}' | ']') {
            plain = plain.trim_end().trim_end_matches(',').to_owned();
        }
        let (token, after) = rest.split_at(length);
        plain.push_str(token);
        rest = after;
    }
    serde_json::from_str(&plain).expect("JSON without comments")
}

/// The comments at the ends of lines.
fn comments(text: &str) -> Vec<&str> {
    text.split('\n').filter_map(|line| line.split_once("// ")).map(|(_, comment)| comment.trim_end()).collect()
}

/// A value without empty hooks.
fn pruned(mut value: Json) -> Json {
    if let Some(hooks) = value.get_mut("hooks").and_then(Json::as_object_mut) {
        hooks.retain(|_, groups| groups != &Json::Array(Vec::new()));
        if hooks.is_empty() {
            value.as_object_mut().expect("an object").remove("hooks");
        }
    }
    value
}

#[test]
fn a_hook_is_added_and_everything_else_stays() {
    for file in FILES {
        let installed = HOOK.install(file, COMMAND).expect("settings");
        assert_eq!(HOOK.installed(&installed), Ok(vec![COMMAND.to_owned()]), "{installed}");
        let mut expected = value(file);
        let group =
            serde_json::from_str::<Json>(&HOOK.example(COMMAND)).expect("JSON")["hooks"]["PostToolUse"][0].clone();
        let hooks =
            expected.as_object_mut().expect("an object").entry("hooks").or_insert_with(|| Json::Object(Map::new()));
        let groups =
            hooks.as_object_mut().expect("an object").entry("PostToolUse").or_insert_with(|| Json::Array(Vec::new()));
        groups.as_array_mut().expect("a list").push(group);
        assert_eq!(value(&installed), expected, "{installed}");
        assert_eq!(comments(&installed), comments(file), "{installed}");
        let lines = |text: &str| text.split('\n').filter(|line| line.ends_with('\r')).count();
        assert!(lines(file) == 0 || lines(&installed) == installed.matches('\n').count(), "{installed:?}");
    }
}

#[test]
fn a_hook_that_is_installed_again_changes_nothing_or_only_its_command() {
    for file in FILES {
        let installed = HOOK.install(file, COMMAND).expect("settings");
        assert_eq!(HOOK.install(&installed, COMMAND).expect("settings"), installed);
        let other = HOOK.install(&installed, "/bin/trimtab hook claude-code b.trim").expect("settings");
        assert_eq!(
            other,
            installed.replace("trimtab hook claude-code '/p/a b.trim'", "/bin/trimtab hook claude-code b.trim")
        );
    }
}

#[test]
fn a_hook_is_removed_and_everything_else_stays() {
    for file in FILES {
        let installed = HOOK.install(file, COMMAND).expect("settings");
        let left = HOOK.uninstall(&installed).expect("settings");
        let expected = pruned(value(file));
        match left {
            Some(left) => {
                assert_eq!(pruned(value(&left)), expected, "{left}");
                assert_eq!(comments(&left), comments(file), "{left}");
                assert_eq!(HOOK.installed(&left), Ok(Vec::new()));
                assert_eq!(HOOK.uninstall(&left), Ok(Some(left.clone())));
            }
            None => assert_eq!(expected, Json::Object(Map::new()), "{file}"),
        }
        assert_eq!(HOOK.uninstall(file), Ok(Some((*file).to_owned())), "nothing to remove");
    }
}

#[test]
fn a_file_in_the_usual_style_is_the_same_after_removal() {
    for file in ["{\n  \"model\": \"opus\"\n}\n", FILES[5], FILES[6]] {
        let installed = HOOK.install(file, COMMAND).expect("settings");
        assert_eq!(HOOK.uninstall(&installed).expect("settings").as_deref(), Some(file));
    }
}

#[test]
fn hooks_of_others_beside_it_stay() {
    let file = r#"{"hooks": {"PostToolUse": [{"matcher": "*", "hooks": [
        {"type": "command", "command": "trimtab hook claude-code a.trim"},
        {"type": "command", "command": "trimtab hook codex a.trim"},
        {"type": "command", "command": "mytrimtab hook claude-code"},
        {"type": "command", "command": "'C:\\x\\trimtab.exe' hook claude-code b.trim"}
    ]}]}}"#;
    assert_eq!(HOOK.installed(file).expect("settings").len(), 2);
    let left = value(&HOOK.uninstall(file).expect("settings").expect("something is left"));
    let hooks = left["hooks"]["PostToolUse"][0]["hooks"].as_array().expect("a list");
    let commands: Vec<_> = hooks.iter().map(|hook| hook["command"].as_str().expect("a text")).collect();
    assert_eq!(commands, ["trimtab hook codex a.trim", "mytrimtab hook claude-code"]);
    let again = HOOK.install(file, COMMAND).expect("settings");
    assert_eq!(HOOK.installed(&again).expect("settings"), [COMMAND]);
}

#[test]
fn files_that_cannot_be_understood_are_refused() {
    let error = |text: &str| HOOK.install(text, COMMAND).expect_err("it is refused");
    assert_eq!(error("{\n  \"a\": 1\n  \"b\": 2\n}"), SettingsError::Syntax(3));
    assert_eq!(error("{\"a\": tru}"), SettingsError::Syntax(1));
    assert_eq!(error("{} {}"), SettingsError::Syntax(1));
    assert_eq!(error("{\"a\": /* "), SettingsError::Syntax(1));
    assert_eq!(error(&"[".repeat(5000)), SettingsError::Syntax(1));
    assert_eq!(error("[]"), SettingsError::Type("settings".to_owned(), "an object"));
    assert_eq!(error("{\"hooks\": []}"), SettingsError::Type("hooks".to_owned(), "an object"));
    let groups = error("{\"hooks\": {\"PostToolUse\": {}}}");
    assert_eq!(groups, SettingsError::Type("hooks.PostToolUse".to_owned(), "a list"));
    assert_eq!(error("{\"hooks\": {}, \"hooks\": {}}"), SettingsError::Repeated("hooks".to_owned()));
}

#[test]
fn an_empty_file_gets_the_hook_alone() {
    let installed = HOOK.install("", COMMAND).expect("settings");
    assert_eq!(value(&installed)["hooks"]["PostToolUse"][0]["hooks"][0]["timeout"], 10);
    assert_eq!(HOOK.uninstall(&installed), Ok(None));
}

#[test]
fn a_setting_is_found_by_its_path() {
    let settings = "{\"a\": {\"b\": true}, /* \"c\": true */ \"d\": false}";
    assert!(is_set(settings, &["a", "b"], "true") && is_set(settings, &["d"], "false"));
    assert!(
        !is_set(settings, &["c"], "true")
            && !is_set(settings, &["a", "b", "c"], "true")
            && !is_set("{", &["a"], "true")
    );
}
