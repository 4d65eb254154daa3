//! What the arguments of a call say.

use serde_json::Value as Json;
use trimtab_base::conversation::Arguments;
use trimtab_base::tool_use::{classify, command_text, is_path_key, main_part};

use super::path::{paths, walk};
use super::plan::Plan;
use super::quote::first_line;

/// The longest name of a tool in characters, as OpenAI and Anthropic allow.
const MAX_TOOL: usize = 64;
/// The longest subject in characters: a command or a path on a line.
const MAX_SUBJECT: usize = 120;
/// The most texts in a subject, for calls with names and dates.
const MAX_TEXTS: usize = 3;
/// How deep the subject is searched.
const MAX_DEPTH: usize = 3;

/// Keys whose values say what a call does. Other texts of a call describe it or are content.
const SUBJECT_KEYS: &[&str] = &["command", "cmd", "script", "code", "query", "pattern", "url", "name", "title"];

/// A call, without its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The tool, with its action if it has several.
    pub tool: String,
    /// What it was called on: a path, the first line of a command, or another text. May be empty.
    pub subject: String,
    pub paths: Vec<String>,
    /// Whether it may have changed something.
    pub changes: bool,
    /// The list of tasks that it set.
    pub plan: Option<Plan>,
}

impl Call {
    pub(super) fn read(name: &str, arguments: &Arguments) -> Self {
        let json = &*arguments.json();
        let names_file = names_file(json);
        let plan = Plan::in_call(json, names_file);
        // Tasks mention files that the call does not touch.
        let paths = if plan.is_some() && !names_file { Vec::new() } else { paths(json) };
        let found = classify(name, json);
        let command = command_text(json).filter(|_| found.action.is_none());
        let subject = match &command {
            // The tasks stand in sections of their own.
            _ if plan.is_some() => String::new(),
            Some(command) => first_line(main_part(command), MAX_SUBJECT),
            None => subject(json, &paths),
        };
        let tool = found.action.map_or_else(|| tool_name(name), |action| format!("{} {action}", tool_name(name)));
        Self { tool, subject, changes: found.may_change() && plan.is_none(), paths, plan }
    }

    /// The call on one line.
    pub(super) fn title(&self) -> String {
        title(&self.tool, &self.subject)
    }
}

/// The name of a tool without characters that separate tools in a summary. No provider allows them.
fn tool_name(name: &str) -> String {
    let name: String = name.chars().take(MAX_TOOL).collect();
    let name = name.replace(|c: char| !c.is_alphanumeric() && !"_-./:".contains(c), "_");
    if name.is_empty() { "tool".to_owned() } else { name }
}

/// Whether a field of a call names a file.
fn names_file(json: &Json) -> bool {
    json.as_object().is_some_and(|fields| fields.keys().any(|key| is_path_key(key)))
}

/// A call on one line.
pub(super) fn title(tool: &str, subject: &str) -> String {
    if subject.is_empty() { tool.to_owned() } else { format!("{tool}: {subject}") }
}

/// What a call without a command is about: its path, a text with a well-known key, or its first texts.
fn subject(json: &Json, paths: &[String]) -> String {
    let (mut known, mut has_path, mut texts) = (None, false, Vec::new());
    walk("", json, MAX_DEPTH, &mut |key, text| {
        has_path |= is_path_key(key);
        if text.trim().is_empty() {
        } else if SUBJECT_KEYS.contains(&key) {
            known.get_or_insert(text);
        } else if texts.len() < MAX_TEXTS {
            texts.push(text);
        }
    });
    match (paths.first().filter(|_| has_path), known) {
        (Some(path), _) => path.clone(),
        (None, Some(text)) => first_line(text, MAX_SUBJECT),
        (None, None) => {
            let is_short = |text: &&str| text.len() <= MAX_SUBJECT / MAX_TEXTS;
            let texts = if texts.iter().all(is_short) { texts.join(", ") } else { texts[0].to_owned() };
            first_line(&texts, MAX_SUBJECT)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, arguments: Json) -> Call {
        Call::read(name, &Arguments::from(arguments))
    }

    #[test]
    fn the_subject_is_a_path_a_command_or_another_text() {
        let titles = [
            call("edit", json!({"new": "x = 1", "path": "a.rs"})).title(),
            call("bash", json!({"description": "d", "command": "cd /x && cargo test\nls"})).title(),
            call("shell", json!({"command": ["bash", "-lc", "make 目标"]})).title(),
            call("book", json!({"user": "mia", "query": "出发"})).title(),
            call("editor", json!({"command": "view", "path": "a.rs"})).title(),
            call("go", json!({})).title(),
            call("book", json!({"from": "JFK", "to": "东京", "on": "2026-05-20", "user": "mia"})).title(),
            call("plan", json!([{"step": "a", "status": "done"}])).title(),
        ];
        let expected = [
            "edit: a.rs",
            "bash: cargo test…",
            "shell: make 目标",
            "book: 出发",
            "editor view: a.rs",
            "go",
            "book: JFK, 东京, 2026-05-20",
            "plan",
        ];
        assert_eq!(titles, expected);
        assert_eq!(Call::read("f", &Arguments::Text("not JSON\n2".into())).title(), "f: not JSON…");
    }

    #[test]
    fn a_call_that_only_reads_changes_nothing() {
        assert!(!call("editor", json!({"command": "view", "path": "a"})).changes);
        assert!(call("editor", json!({"command": "create", "path": "a"})).changes);
        assert!(!call("bash", json!({"command": "ls a"})).changes);
        assert!(call("bash", json!({"command": "make a"})).changes);
        assert!(call("本", json!("文")).changes);
    }

    #[test]
    fn long_arguments_are_read_once() {
        let content = "let x = \"src/a.rs\";\n".repeat(60_000);
        let text = json!({"path": "src/b.rs", "content": content}).to_string();
        let read = Call::read("write", &Arguments::Text(text.into()));
        assert_eq!((read.paths, read.changes), (vec!["src/b.rs".to_owned()], true));
    }
}
