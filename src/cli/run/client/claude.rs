//! Claude Code.

use serde_json::{Value as Json, json};

use super::{Client, Pointed};

const VARIABLE: &str = "ANTHROPIC_BASE_URL";

pub(super) static CLIENT: Client = Client {
    programs: &["claude"],
    pointed: |surroundings, proxy| {
        // Some of its requests, such as the one that warms up the connection, say nothing of their provider.
        let proxy = format!("{proxy}/anthropic");
        let settings = surroundings.file(".claude/settings.json");
        let settings: Option<Json> = settings.and_then(|text| serde_json::from_str(&text).ok());
        let address = settings.and_then(|settings| settings.get("env")?.get(VARIABLE)?.as_str().map(str::to_owned));
        let mut pointed = Pointed::default();
        match address {
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
