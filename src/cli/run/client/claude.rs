//! Claude Code.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::{Client, Pointed, Surroundings, read};

const VARIABLE: &str = "ANTHROPIC_BASE_URL";

pub(super) static CLIENT: Client = Client {
    programs: &["claude"],
    pointed: |surroundings, proxy| {
        // Some of its requests, such as the one that warms up the connection, say nothing of their provider.
        let proxy = format!("{proxy}/anthropic");
        let mut pointed = Pointed::default();
        match settings(surroundings).iter().find_map(|path| address(path)) {
            // Settings win over variables, and this option wins over settings.
            Some(address) => {
                let option = json!({ "env": { VARIABLE: proxy } }).to_string();
                pointed.arguments = vec!["--settings".to_owned(), option];
                pointed.upstreams.push(("anthropic", address));
            }
            None => pointed.by_variable(surroundings, VARIABLE, "anthropic", proxy),
        }
        pointed
    },
};

/// The files with settings, those that win first: of the project, and of the user.
fn settings(surroundings: &Surroundings) -> Vec<PathBuf> {
    let project = surroundings.project.as_ref().map(|folder| folder.join(".claude"));
    let user = surroundings.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let user = user.or_else(|| Some(surroundings.home.as_ref()?.join(".claude")));
    let of_project = ["settings.local.json", "settings.json"].map(|name| Some(project.as_ref()?.join(name)));
    of_project.into_iter().chain([user.map(|folder| folder.join("settings.json"))]).flatten().collect()
}

/// The address that a file with settings names.
fn address(path: &Path) -> Option<String> {
    let settings: Json = serde_json::from_str(&read(path)?).ok()?;
    settings.get("env")?.get(VARIABLE)?.as_str().map(str::to_owned)
}
