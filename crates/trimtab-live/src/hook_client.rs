//! Clients whose hooks give a tool result to a command before the model sees it.
//!
//! A client describes a new tool result as JSON, its event, and takes an answer with another content. [`HookClient`] says how
//! both are written and where the client has its settings. [`change_result`] runs the rules of a plan that change new
//! results, with the session so far as its history. This module reads no files and does not know the command line.
//!
//! A client is one file with a [`HookClient`], and two lines here: `mod` and its entry in [`HOOK_CLIENTS`].

mod claude_code;
mod codex;
mod gemini;
mod opencode;
mod pi;

mod arrival;
mod capability;
mod change_result;
mod content;
mod settings;

use serde_json::Value as Json;

pub use arrival::{Arrival, EventError, SessionSource};
pub use capability::{Capability, UnusedAction, capabilities, hook_plan, may_change};
pub use change_result::{ChangedResult, change_result};
pub use settings::{SettingsError, SettingsHook, commented_json};

/// When a client gives up waiting for an answer, in seconds.
const TIMEOUT_SECONDS: u32 = 10;

/// A client whose hooks can change a tool result.
#[derive(Debug)]
pub struct HookClient {
    /// Its name on the command line.
    pub name: &'static str,
    /// The name that people know it by.
    pub title: &'static str,
    /// The format of its sessions.
    pub format: &'static str,
    /// Reads an event. Returns `None` if it is about nothing that a rule could change.
    pub read: fn(&Json) -> Result<Option<Arrival>, EventError>,
    /// The answer that replaces the text of the result of an event.
    pub answer: fn(&Json, &str) -> Json,
    /// The answer that changes nothing.
    pub unchanged: &'static str,
    /// How a hook is installed.
    pub installation: Installation,
    /// The setting that turns all its hooks off.
    pub switch: Option<HookSwitch>,
    /// What whoever installs the hook should know.
    pub notes: &'static [&'static str],
}

/// A setting that turns the hooks of a client off.
#[derive(Debug)]
pub struct HookSwitch {
    /// The file, from the home directory of the user on.
    pub path: &'static str,
    /// The setting as it is written there.
    pub setting: &'static str,
    /// Whether it is in a file.
    pub is_in: fn(&str) -> bool,
}

/// How the hook of a client is installed. Paths begin in the home directory of the user, or at the root of a project.
#[derive(Debug)]
pub enum Installation {
    /// As a command in a settings file.
    Setting {
        /// The file for all projects.
        user: &'static str,
        /// The file for one project.
        project: &'static str,
        /// The entry.
        hook: SettingsHook,
    },
    /// As a file of its own, which the client loads.
    Plugin {
        /// The file for all projects.
        user: &'static str,
        /// The file for one project.
        project: &'static str,
        /// Its text. `ask` in it gives an event to Trimtab and returns the answer.
        template: &'static str,
    },
}

/// The function `ask` of plugins.
const ASK: &str = include_str!("hook_client/ask.js");

/// A plugin whose text calls `ask`, which runs this command.
pub fn plugin(template: &str, command: &[String]) -> String {
    let ask = ASK.replace("MILLISECONDS", &(1000 * TIMEOUT_SECONDS).to_string());
    format!("{template}\n{}", ask.replace("COMMAND", &Json::from(command).to_string()))
}

impl Installation {
    /// The file for all projects, or for one.
    pub const fn path(&self, is_project: bool) -> &'static str {
        let (Self::Setting { user, project, .. } | Self::Plugin { user, project, .. }) = self;
        if is_project { project } else { user }
    }
}

/// The clients, in the order of the help.
pub static HOOK_CLIENTS: &[&HookClient] =
    &[&claude_code::CLIENT, &codex::CLIENT, &gemini::CLIENT, &opencode::CLIENT, &pi::CLIENT];
