//! OpenCode: a plugin with `tool.execute.after`, which sends the session with each result.

use serde_json::{Value as Json, json};

use super::arrival::{Arrival, EventError, SessionSource, text};
use super::{HookClient, Installation};

/// The plugin of OpenCode.
pub(super) static CLIENT: HookClient = HookClient {
    name: "opencode",
    title: "OpenCode",
    format: "opencode",
    read,
    answer,
    unchanged: "",
    installation: Installation::Plugin {
        user: ".config/opencode/plugin/trimtab.js",
        project: ".opencode/plugin/trimtab.js",
        template: include_str!("opencode/plugin.js"),
    },
    switch: None,
    notes: &[],
};

fn read(event: &Json) -> Result<Option<Arrival>, EventError> {
    let session = event.get("session").ok_or_else(|| EventError::missing("session"))?;
    Ok(Some(Arrival {
        session: text(event, "sessionID")?.to_owned(),
        agent: None,
        source: SessionSource::Event(session.to_string()),
        call: Some(text(event, "callID")?.into()),
        tool: text(event, "tool")?.into(),
        arguments: event.get("args").cloned().unwrap_or_default(),
        text: text(event, "output")?.to_owned(),
        is_error: false,
    }))
}

fn answer(_event: &Json, text: &str) -> Json {
    json!({"output": text})
}
