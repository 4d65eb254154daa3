//! Codex. Its provider is the built-in one, or one of its configuration.

use std::path::PathBuf;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::{Client, Pointed, read};

/// The address that Codex uses with a login instead of a key.
const CHATGPT: &str = "https://chatgpt.com/backend-api/codex";

pub(super) static CLIENT: Client = Client {
    programs: &["codex"],
    pointed: |surroundings, proxy| {
        let own = surroundings.variable("CODEX_HOME").map(PathBuf::from);
        let folder = own.or_else(|| Some(surroundings.home.as_ref()?.join(".codex")));
        let text = |name: &str| folder.as_ref().and_then(|folder| read(&folder.join(name)));
        let config: Table = text("config.toml").unwrap_or_default().parse().unwrap_or_default();
        let provider = config.get("model_provider").and_then(Value::as_str).unwrap_or("openai");
        let own =
            config.get("model_providers").and_then(|providers| providers.get(provider)?.get("base_url")?.as_str());
        let (key, address) = if let Some(address) = own {
            (format!("model_providers.{provider}.base_url"), Some(address.to_owned()))
        } else {
            let address = config.get("openai_base_url").and_then(Value::as_str).map(str::to_owned);
            let login = || text("auth.json").is_some_and(|login| is_chatgpt(&login)).then(|| CHATGPT.to_owned());
            ("openai_base_url".to_owned(), address.or_else(login))
        };
        Pointed {
            arguments: vec!["-c".to_owned(), format!("{key}=\"{proxy}/v1\"")],
            upstreams: address.into_iter().map(|address| ("openai", address)).collect(),
            ..Pointed::default()
        }
    },
};

/// Whether a login is not a key.
fn is_chatgpt(login: &str) -> bool {
    let login: Json = serde_json::from_str(login).unwrap_or_default();
    login.get("tokens").is_some_and(Json::is_object) && !login.get("OPENAI_API_KEY").is_some_and(Json::is_string)
}
