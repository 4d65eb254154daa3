//! Codex: `PostToolUse`, whose answer blocks the result and gives a reason, which the model sees in its place.

use serde_json::{Value as Json, json};

use super::arrival::{self, Arrival, EventError};
use super::settings::SettingsHook;
use super::{HookClient, HookSwitch, Installation, TIMEOUT_SECONDS, content};

/// The event.
const EVENT: &str = "PostToolUse";

/// Hooks of Codex.
pub(super) static CLIENT: HookClient = HookClient {
    name: "codex",
    title: "Codex",
    format: "codex",
    read,
    answer,
    unchanged: "",
    installation: Installation::Setting {
        user: ".codex/hooks.json",
        project: ".codex/hooks.json",
        hook: SettingsHook { event: EVENT, client: "codex", name: None, timeout: TIMEOUT_SECONDS },
    },
    switch: Some(HookSwitch { path: ".codex/config.toml", setting: "hooks = false", is_in: is_off }),
    notes: &[
        "Codex runs a new hook only after you have reviewed it: open `/hooks` in Codex once",
        "Codex logs an error for each result that a rule changes; the model sees the text alone",
    ],
};

/// Whether the table `features` of a configuration has `hooks = false`.
fn is_off(config: &str) -> bool {
    let mut table = String::new();
    config.lines().map(|line| line.split('#').next().unwrap_or_default().replace(' ', "")).any(|line| {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table = format!("{name}.");
        }
        format!("{table}{line}") == "features.hooks=false"
    })
}

fn read(event: &Json) -> Result<Option<Arrival>, EventError> {
    if !arrival::is_named(event, EVENT)? {
        return Ok(None);
    }
    let output = event.get("tool_response").ok_or_else(|| EventError::missing("tool_response"))?;
    let text = match output {
        Json::String(text) => Some(text.clone()),
        // Only texts can be replaced by a reason.
        Json::Object(_) => output.get("content").filter(|blocks| is_all_text(blocks)).and_then(content::text),
        _ => None,
    };
    text.map(|text| arrival::of_command_hook(event, text)).transpose()
}

fn is_all_text(blocks: &Json) -> bool {
    blocks.as_array().is_some_and(|blocks| blocks.iter().all(|block| block["type"] == "text"))
}

fn answer(_event: &Json, text: &str) -> Json {
    json!({"decision": "block", "reason": text})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_off_if_the_feature_is() {
        assert!(is_off("model = \"m\"\n[features]\nweb = true\nhooks = false # for now\n"));
        assert!(is_off("features.hooks=false\n[features]\n"));
        for on in ["[features]\nhooks = true\n", "[other]\nhooks = false\n", "# features.hooks = false\n", ""] {
            assert!(!is_off(on), "{on}");
        }
    }

    #[test]
    fn only_texts_are_replaced() {
        let text = |output: Json| {
            let event = json!({
                "hook_event_name": EVENT,
                "session_id": "s",
                "transcript_path": "/s.jsonl",
                "tool_name": "Bash",
                "tool_response": output,
            });
            read(&event).expect("an event").map(|arrival| arrival.text)
        };
        assert_eq!(text(json!("output")).as_deref(), Some("output"));
        assert_eq!(text(json!({"content": [{"type": "text", "text": "a"}]})).as_deref(), Some("a"));
        let image = json!({"content": [{"type": "text", "text": "a"}, {"type": "image"}]});
        assert_eq!([text(image), text(json!({"success": true})), text(json!(7))], [None, None, None]);
    }
}
