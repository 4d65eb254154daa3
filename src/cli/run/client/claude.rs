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
        let of_user = user_folder(surroundings).and_then(|folder| address(&folder.join("settings.json")));
        let of_project = project_files(surroundings).iter().find_map(|path| address(path));
        // Settings win over variables, and this option wins over settings.
        if of_user.is_some() || of_project.is_some() {
            let option = json!({ "env": { VARIABLE: proxy } }).to_string();
            pointed.arguments = vec!["--settings".to_owned(), option];
            let own = of_user.or_else(|| surroundings.variable(VARIABLE));
            pointed.upstreams.extend(own.map(|address| ("anthropic", address)));
            pointed.of_project.extend(of_project.map(|address| ("anthropic", address)));
        } else {
            pointed.by_variable(surroundings, VARIABLE, "anthropic", proxy);
        }
        pointed
    },
};

/// The folder with the settings of the user.
fn user_folder(surroundings: &Surroundings) -> Option<PathBuf> {
    let own = surroundings.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    own.or_else(|| Some(surroundings.home.as_ref()?.join(".claude")))
}

/// The files with settings of the project, those that win first.
fn project_files(surroundings: &Surroundings) -> Vec<PathBuf> {
    let folder = surroundings.project.as_ref().map(|folder| folder.join(".claude"));
    folder
        .into_iter()
        .flat_map(|folder| ["settings.local.json", "settings.json"].map(|name| folder.join(name)))
        .collect()
}

/// The address that a file with settings names.
fn address(path: &Path) -> Option<String> {
    let settings: Json = serde_json::from_str(&read(path)?).ok()?;
    settings.get("env")?.get(VARIABLE)?.as_str().map(str::to_owned)
}
