//! Gemini CLI: `AfterTool`, whose answer denies the result and gives a reason, which the model sees as an error.

use serde_json::{Value as Json, json};

use super::arrival::{self, Arrival, EventError};
use super::settings::{self, SettingsHook};
use super::{HookClient, HookSwitch, Installation, TIMEOUT_SECONDS};

/// The event.
const EVENT: &str = "AfterTool";

/// Hooks of Gemini CLI.
pub(super) static CLIENT: HookClient = HookClient {
    name: "gemini",
    title: "Gemini CLI",
    format: "gemini_chat",
    read,
    answer,
    unchanged: "{}",
    installation: Installation::Setting {
        user: ".gemini/settings.json",
        project: ".gemini/settings.json",
        hook: SettingsHook { event: EVENT, client: "gemini", name: Some("trimtab"), timeout: 1000 * TIMEOUT_SECONDS },
    },
    switch: Some(HookSwitch {
        path: ".gemini/settings.json",
        setting: "\"hooksConfig\": {\"enabled\": false}",
        is_in: is_off,
    }),
    notes: &[
        "Gemini CLI gives the model a changed result as an error, so the model may believe that the tool has failed",
    ],
};

fn is_off(settings: &str) -> bool {
    settings::is_set(settings, &["hooksConfig", "enabled"], "false")
}

fn read(event: &Json) -> Result<Option<Arrival>, EventError> {
    if !arrival::is_named(event, EVENT)? {
        return Ok(None);
    }
    let response = event.get("tool_response").ok_or_else(|| EventError::missing("tool_response"))?;
    // A failure has no other text than its error, and a list has images or files.
    let text = response.get("llmContent").and_then(Json::as_str);
    let text = text.filter(|_| response.get("error").is_none_or(Json::is_null));
    text.map(|text| arrival::of_command_hook(event, text.to_owned())).transpose()
}

fn answer(_event: &Json, text: &str) -> Json {
    json!({"decision": "deny", "reason": text})
}
