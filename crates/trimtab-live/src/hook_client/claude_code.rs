//! Claude Code: `PostToolUse`, whose answer has the shape of the output of the tool. It ignores any other shape.

use serde_json::{Value as Json, json};
use smol_str::SmolStr;

use super::arrival::{self, Arrival, EventError, SessionSource};
use super::settings::{self, SettingsHook};
use super::{HookClient, HookSwitch, Installation, TIMEOUT_SECONDS, content};

/// The event.
const EVENT: &str = "PostToolUse";

/// Hooks of Claude Code.
pub(super) static CLIENT: HookClient = HookClient {
    name: "claude-code",
    title: "Claude Code",
    format: "claude_code",
    read,
    answer,
    unchanged: "",
    installation: Installation::Setting {
        user: ".claude/settings.json",
        project: ".claude/settings.json",
        hook: SettingsHook { event: EVENT, client: "claude-code", name: None, timeout: TIMEOUT_SECONDS },
    },
    switch: Some(HookSwitch { path: ".claude/settings.json", setting: "\"disableAllHooks\": true", is_in: is_off }),
    notes: &["Claude Code adds line numbers to files after the hook; lines after a cut are numbered from the cut"],
};

fn is_off(settings: &str) -> bool {
    settings::is_set(settings, &["disableAllHooks"], "true")
}

fn read(event: &Json) -> Result<Option<Arrival>, EventError> {
    if !arrival::is_named(event, EVENT)? {
        return Ok(None);
    }
    let output = event.get("tool_response").ok_or_else(|| EventError::missing("tool_response"))?;
    let Some(text) = Output::of(output).map(|found| found.text(output)) else { return Ok(None) };
    let mut arrival = arrival::of_command_hook(event, text)?;
    if let Some(agent) = event.get("agent_id").and_then(Json::as_str).filter(|agent| !agent.is_empty()) {
        // The id is part of the name of a file.
        if !agent.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            return Err(EventError::invalid("agent_id"));
        }
        arrival.agent = Some(SmolStr::new(agent));
        if let SessionSource::File(path) = &mut arrival.source
            && let Some(session) = path.strip_suffix(".jsonl")
        {
            *path = format!("{session}/subagents/agent-{agent}.jsonl");
        }
    }
    Ok(Some(arrival))
}

fn answer(event: &Json, text: &str) -> Json {
    let mut output = event["tool_response"].clone();
    if let Some(found) = Output::of(&output) {
        found.replace(&mut output, text);
    }
    json!({"hookSpecificOutput": {"hookEventName": EVENT, "updatedToolOutput": output}})
}

/// Where the output of a tool has its text.
#[derive(Clone, Copy, Debug)]
enum Output {
    /// `stdout` and `stderr` of a command.
    Command,
    /// `file.content` of a file that was read.
    File,
    /// A text at this key.
    Text(&'static str),
    /// Content blocks at this key.
    Blocks(&'static str),
    /// Content blocks of an MCP tool.
    List,
}

impl Output {
    /// None for outputs of other shapes, which have no text or are not known.
    fn of(output: &Json) -> Option<Self> {
        let is_text = |key: &str| output.get(key).is_some_and(Json::is_string);
        let is_kind = |key: &str, kind: &str| output.get(key).is_some_and(|found| found == kind);
        if is_text("stdout") && is_text("stderr") {
            // The text of an image is its data.
            return (output.get("isImage") == Some(&Json::Bool(false))).then_some(Self::Command);
        }
        if is_kind("type", "text") && output.pointer("/file/content").is_some_and(Json::is_string) {
            return Some(Self::File);
        }
        if is_kind("mode", "content") && is_text("content") {
            return Some(Self::Text("content"));
        }
        if is_text("url") && is_text("result") {
            return Some(Self::Text("result"));
        }
        if output.get("content").is_some_and(|blocks| content::text(blocks).is_some()) {
            return Some(Self::Blocks("content"));
        }
        content::text(output).map(|_| Self::List)
    }

    fn text(self, output: &Json) -> String {
        let text = |key: &str| output[key].as_str().unwrap_or_default();
        match self {
            Self::Command if text("stderr").is_empty() => text("stdout").to_owned(),
            Self::Command if text("stdout").is_empty() => text("stderr").to_owned(),
            Self::Command => format!("{}\n{}", text("stdout"), text("stderr")),
            Self::File => output["file"]["content"].as_str().unwrap_or_default().to_owned(),
            Self::Text(key) => text(key).to_owned(),
            Self::Blocks(key) => content::text(&output[key]).unwrap_or_default(),
            Self::List => content::text(output).unwrap_or_default(),
        }
    }

    fn replace(self, output: &mut Json, text: &str) {
        match self {
            Self::Command => {
                output["stdout"] = json!(text);
                output["stderr"] = json!("");
            }
            Self::File => output["file"]["content"] = json!(text),
            Self::Text(key) => output[key] = json!(text),
            Self::Blocks(key) => output[key] = content::with_text(&output[key], text),
            Self::List => *output = content::with_text(output, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(output: &Json) -> Json {
        json!({
            "hook_event_name": EVENT,
            "session_id": "s",
            "transcript_path": "/p/s.jsonl",
            "tool_name": "T",
            "tool_use_id": "c",
            "tool_response": output,
        })
    }

    #[test]
    fn an_answer_has_the_shape_of_the_output() {
        let cases = [
            (
                json!({"stdout": "long", "stderr": "e", "interrupted": false, "isImage": false}),
                "long\ne",
                json!({"stdout": "x", "stderr": "", "interrupted": false, "isImage": false}),
            ),
            (
                json!({"type": "text", "file": {"filePath": "f", "content": "long", "startLine": 1}}),
                "long",
                json!({"type": "text", "file": {"filePath": "f", "content": "x", "startLine": 1}}),
            ),
            (json!({"mode": "content", "content": "l"}), "l", json!({"mode": "content", "content": "x"})),
            (json!({"url": "u", "result": "l", "code": 200}), "l", json!({"url": "u", "result": "x", "code": 200})),
            (
                json!({"status": "completed", "content": [{"type": "text", "text": "l"}]}),
                "l",
                json!({"status": "completed", "content": [{"type": "text", "text": "x"}]}),
            ),
            (json!([{"type": "text", "text": "l"}]), "l", json!([{"type": "text", "text": "x"}])),
        ];
        for (output, text, expected) in cases {
            let event = event(&output);
            assert_eq!(read(&event).expect("an event").expect("a text").text, text, "{output}");
            assert_eq!(answer(&event, "x")["hookSpecificOutput"]["updatedToolOutput"], expected);
        }
    }

    #[test]
    fn outputs_of_other_shapes_are_left_alone() {
        let others = [
            json!("a plain text"),
            json!({"stdout": "data", "stderr": "", "isImage": true}),
            json!({"type": "image", "file": {"base64": "…"}}),
            json!({"mode": "files_with_matches", "filenames": ["a"], "content": ""}),
            json!({"filePath": "f", "newString": "…"}),
            json!(null),
        ];
        for other in others {
            assert_eq!(read(&event(&other)), Ok(None), "{other}");
        }
    }

    #[test]
    fn the_session_of_a_sub_agent_is_a_file_of_its_own() {
        let mut event = event(&json!({"url": "u", "result": "l"}));
        event["agent_id"] = json!("a1");
        let arrival = read(&event).expect("an event").expect("a text");
        assert_eq!(arrival.source, SessionSource::File("/p/s/subagents/agent-a1.jsonl".to_owned()));
        assert_eq!(arrival.agent.as_deref(), Some("a1"));
    }
}
