//! A project with one text in every field that an author, a recording, a file name or a setting can fill.

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// The folder of a project.
pub(super) struct Project {
    pub(super) folder: TempDir,
    /// The part of the names of its files that has the text.
    name: String,
}

impl Project {
    pub(super) fn new(text: &str) -> Self {
        // Neither a separator nor NUL can be in a name, and no file system has longer ones.
        let name = text.replace(['/', '\0'], "_").chars().take(60).collect();
        let project = Self { folder: tempfile::tempdir().unwrap(), name };
        let broken = format!("edition 2026\npolicy p {} {{ rule r {{ do nothing {} }} }}\n", trim(text), trim(text));
        let files = [
            ("P.trim", policy(text, "50%")),
            ("Q.trim", policy(text, "90%")),
            ("Pbad.trim", broken),
            ("P.jsonl", recording(text)),
            ("Pbad.jsonl", text.to_owned()),
            ("Pskipped.jsonl", skipped(text)),
            ("Pgood.yaml", yaml(text, "observation_mask")),
            ("Pbad.yaml", yaml(text, text)),
            ("Pbad.toml", settings(text) + &format!("[{}]\nx = {}\n", toml(text), toml(text))),
            ("trimtab.toml", settings(text)),
            ("book.json", playbook(text)),
        ];
        for (name, text) in files {
            std::fs::write(project.folder.path().join(project.argument(name)), text).unwrap();
        }
        project
    }

    /// An argument with the text for each `P` and `Q` that begins a file's name.
    pub(super) fn argument(&self, word: &str) -> String {
        match word.strip_prefix(['P', 'Q']) {
            Some(rest) if rest.contains('.') => format!("{}{}{rest}", &word[..1], self.name),
            _ => word.replace('@', " "),
        }
    }
}

/// A text between quotes, in policy text.
fn trim(text: &str) -> String {
    let text = text.replace('\r', " ").replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}

/// A text between quotes, in TOML.
fn toml(text: &str) -> String {
    let escape = |char: char| match char {
        '"' | '\\' => format!("\\{char}"),
        char if char.is_control() => format!("\\u{:04x}", u32::from(char)),
        char => char.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

fn policy(text: &str, limit: &str) -> String {
    let (quoted, comment) = (trim(text), text.replace(['\n', '\r'], " "));
    format!(
        r#"#: {comment}

edition 2026

agent {{
  window 4000 tokens
  tools [look, {quoted}]
  fact tier text default {quoted}
}}

prompt minutes {quoted}

# {comment}
policy p {quoted} {{
  #: {comment}
  rule tell {{ when context.ratio > 1% and (call.name ?? "") != {quoted} do inject {quoted} as user once }}
  rule warn {{ when context.messages > 3 do notify {quoted} once }}
  rule hide {{ when context.ratio > {limit} or iteration >= 1 do mask results keep 0 results placeholder {quoted} once }}
  rule sum {{ when context.messages > 4 do summarise older keep 1 messages using minutes on_failure keep once }}
  rule end {{ when context.messages > 7 do stop {quoted} once }}
}}

test {quoted} {{
  given user {quoted}
  given result of look 200 chars x3
  expect hide never fires
  expect final context contains {quoted} before "nowhere"
}}
"#
    )
}

fn recording(text: &str) -> String {
    let call =
        |id: &str| json!({"type": "tool_call", "id": format!("{text}{id}"), "name": text, "arguments": {text: text}});
    let result = |id: &str| {
        let content = format!("{text} {}", "word ".repeat(200));
        json!({"type": "tool_result", "id": format!("{text}{id}"), "content": content, "is_error": true})
    };
    let usage = json!({"input": 900, "output": 20, "cache_read": 0, "cache_write": 0});
    let mut lines = vec![
        json!({"trimtab": 1, "id": text, "model": text, "tools": ["look", text]}),
        json!({"role": "system", "content": text}),
        json!({"role": "user", "content": text, "origin": text}),
    ];
    for id in ["1", "2", "3", "4"] {
        let parts = json!([{"type": "thinking", "text": text}, {"type": "text", "text": text}, call(id)]);
        lines.push(json!({"role": "assistant", "content": parts, "usage": usage, "model": text}));
        lines.push(json!({"role": "tool", "content": [result(id)]}));
    }
    lines.push(json!({"role": "assistant", "content": text}));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A recording with records and parts of unknown kinds.
fn skipped(text: &str) -> String {
    let user = json!({"type": "user", "sessionId": text, "uuid": "1", "message": {"role": "user", "content": text}});
    let content = json!([{"type": text, "text": "x"}, {"type": "text", "text": text}]);
    let reply = json!({"type": "assistant", "sessionId": text, "uuid": "2", "parentUuid": "1",
        "message": {"id": text, "role": "assistant", "model": text, "content": content}});
    let other = json!({"type": text, "sessionId": text, "uuid": "3", "subtype": text});
    [user, reply, other].iter().map(|line| format!("{line}\n")).collect()
}

fn yaml(text: &str, kind: &str) -> String {
    let (text, kind) = (Json::from(text).to_string(), Json::from(kind).to_string());
    format!(
        "agents:\n  - name: {text}\n    model: {text}\n    effects:\n      - kind: {kind}\n        name: {text}\n        \
         params:\n          threshold: 0.6\n          recent_window: 2\n          {text}: {text}\n    {text}: {text}\n"
    )
}

fn settings(text: &str) -> String {
    let quoted = toml(text);
    let file = toml(&format!("P{}.trim", text.replace(['/', '\0'], "_").chars().take(60).collect::<String>()));
    let recording = toml(&format!("P{}.jsonl", text.replace(['/', '\0'], "_").chars().take(60).collect::<String>()));
    format!(
        "[profiles.{quoted}]\nwindow = \"4k tokens\"\ntools = [{quoted}]\n\n[ci]\npaths = [{file}]\n\n[[simulate]]\npolicy = \
         {file}\ntranscripts = [{recording}]\nprofile = {quoted}\nexpect = [\"peak context.ratio <= 1%\"]\n"
    )
}

fn playbook(text: &str) -> String {
    let strategy = json!({"id": "rea-00000", "category": "reading", "content": text});
    json!({"schema_version": 1, "strategies": [strategy, {"id": text}, {"id": "x", "category": text, "content": text}]})
        .to_string()
}
