//! pi: an extension with `tool_result`, which names the file of the session, or sends its entries if there is no file.

use serde_json::{Value as Json, json};

use super::arrival::{Arrival, EventError, SessionSource, text};
use super::{HookClient, Installation, content};

/// The extension of pi.
pub(super) static CLIENT: HookClient = HookClient {
    name: "pi",
    title: "pi",
    format: "pi",
    read,
    answer,
    unchanged: "",
    installation: Installation::Plugin {
        user: ".pi/agent/extensions/trimtab.ts",
        project: ".pi/extensions/trimtab.ts",
        template: include_str!("pi/extension.ts"),
    },
    switch: None,
    notes: &[],
};

fn read(event: &Json) -> Result<Option<Arrival>, EventError> {
    let Some(result) = event.get("content").and_then(content::text) else { return Ok(None) };
    let source = match event.get("sessionFile").and_then(Json::as_str) {
        Some(path) => SessionSource::File(path.to_owned()),
        None => SessionSource::Event(text(event, "sessionEntries")?.to_owned()),
    };
    Ok(Some(Arrival {
        session: text(event, "sessionId")?.to_owned(),
        agent: None,
        source,
        call: Some(text(event, "toolCallId")?.into()),
        tool: text(event, "toolName")?.into(),
        arguments: event.get("input").cloned().unwrap_or_default(),
        text: result,
        is_error: event.get("isError").and_then(Json::as_bool).unwrap_or_default(),
    }))
}

fn answer(event: &Json, text: &str) -> Json {
    json!({"content": content::with_text(&event["content"], text)})
}
