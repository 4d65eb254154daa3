//! What an observation of the SDK is to the model. The SDK records its fields, and puts the text together when it sends it.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;

use crate::transcript::wire::{Content, Flag, Raw, Str};

/// What the SDK sends before the text of a failed observation.
const ERROR_HEADER: &str = "[An error occurred during execution.]\n";

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Observation<'a> {
    #[serde(borrow)]
    kind: Str<'a>,
    pub(super) content: Content<'a>,
    pub(super) output: Content<'a>,
    is_error: Flag,
    exit_code: Option<Raw<'a>>,
    #[serde(deserialize_with = "crate::transcript::wire::lenient")]
    metadata: Metadata<'a>,
}

/// What the terminal states besides the output of a command.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Metadata<'a> {
    #[serde(borrow)]
    exit_code: Option<Raw<'a>>,
    prefix: Str<'a>,
    suffix: Str<'a>,
    working_dir: Str<'a>,
    #[serde(rename = "py_interpreter_path")]
    interpreter: Str<'a>,
}

impl Observation<'_> {
    /// Whether the call failed. The exit code -1 means that the command still runs.
    pub(super) fn has_failed(&self) -> bool {
        let code: Option<i64> = self.exit_code.and_then(Raw::parse);
        self.is_error.0 || code.is_some_and(|code| code != 0 && code != -1)
    }

    /// The text that the model sees, made of the recorded one.
    pub(super) fn sent_text(&self, recorded: Arc<str>) -> Arc<str> {
        let is_terminal = self.kind.as_str() == "TerminalObservation";
        match (is_terminal, self.is_error.0) {
            (false, false) => recorded,
            (false, true) => format!("{ERROR_HEADER}{recorded}").into(),
            (true, is_error) => {
                let header = if is_error { ERROR_HEADER } else { "" };
                format!("{header}{}", self.metadata.terminal_text(&recorded)).into()
            }
        }
    }
}

impl Metadata<'_> {
    fn terminal_text(&self, output: &str) -> String {
        let mut text = format!("{}{output}{}", self.prefix.as_str(), self.suffix.as_str());
        for (name, value) in
            [("Current working directory", &self.working_dir), ("Python interpreter", &self.interpreter)]
        {
            if let Some(value) = value.get().filter(|value| !value.is_empty()) {
                let _ = write!(text, "\n[{name}: {value}]");
            }
        }
        if let Some(code) = self.exit_code.and_then(Raw::parse::<i64>).filter(|code| *code != -1) {
            let _ = write!(text, "\n[Command finished with exit code {code}]");
        }
        text
    }
}
