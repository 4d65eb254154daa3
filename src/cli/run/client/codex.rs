//! Codex. Its provider is the built-in one, or one of its configuration.

use std::path::PathBuf;

use serde_json::Value as Json;
use toml::{Table, Value};

use super::{Client, ProxySetup, read};

/// The address that Codex uses with a login instead of a key.
const CHATGPT: &str = "https://chatgpt.com/backend-api/codex";

pub(super) static CLIENT: Client = Client {
    programs: &["codex"],
    configure: |environment, proxy| {
        let own = environment.variable("CODEX_HOME").map(PathBuf::from);
        let folder = own.or_else(|| Some(environment.home.as_ref()?.join(".codex")));
        let text = |name: &str| folder.as_ref().and_then(|folder| read(&folder.join(name)));
        let table = |name: &str| -> Table { text(name).unwrap_or_default().parse().unwrap_or_default() };
        let mut config = table("config.toml");
        if let Some(profile) = after(&environment.arguments, &["-p", "--profile"]).last() {
            add(&mut config, table(&format!("{profile}.config.toml")));
        }
        let of_options = setting(&environment.arguments, "model_provider");
        let provider = of_options.as_deref().or_else(|| configured_provider(&config, &environment.arguments));
        let provider = provider.unwrap_or("openai");
        let own =
            config.get("model_providers").and_then(|providers| providers.get(provider)?.get("base_url")?.as_str());
        let (key, address) = if let Some(address) = own {
            (format!("model_providers.{provider}.base_url"), Some(address.to_owned()))
        } else {
            let address = config.get("openai_base_url").and_then(Value::as_str).map(str::to_owned);
            let login = || text("auth.json").is_some_and(|login| is_chatgpt(&login)).then(|| CHATGPT.to_owned());
            ("openai_base_url".to_owned(), address.or_else(login))
        };
        ProxySetup {
            arguments: vec!["-c".to_owned(), format!("{key}=\"{proxy}/v1\"")],
            upstreams: address.into_iter().map(|address| ("openai", address)).collect(),
            ..ProxySetup::default()
        }
    },
};

/// Adds a layer to a configuration, whose values win.
fn add(config: &mut Table, layer: Table) {
    for (key, value) in layer {
        match (config.get_mut(&key), value) {
            (Some(Value::Table(known)), Value::Table(layer)) => add(known, layer),
            (_, value) => {
                config.insert(key, value);
            }
        }
    }
}

/// The provider that the configuration names, in the chosen profile or outside of it.
fn configured_provider<'c>(config: &'c Table, arguments: &[String]) -> Option<&'c str> {
    let chosen = after(arguments, &["-p", "--profile"]).last();
    let profile = chosen.or_else(|| config.get("profile")?.as_str());
    let of_profile = profile.and_then(|name| config.get("profiles")?.get(name)?.get("model_provider"));
    of_profile.or_else(|| config.get("model_provider"))?.as_str()
}

/// The value of a setting in the options `-c NAME=VALUE`.
fn setting(arguments: &[String], name: &str) -> Option<String> {
    let pairs = after(arguments, &["-c", "--config"]).filter_map(|pair| pair.split_once('='));
    let values =
        pairs.filter(|(known, _)| known.trim() == name).map(|(_, value)| value.trim().trim_matches('"').to_owned());
    values.last()
}

/// The arguments after each of these options.
fn after<'a>(arguments: &'a [String], options: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let pairs = arguments.iter().zip(arguments.iter().skip(1));
    pairs.filter(|(option, _)| options.contains(&option.as_str())).map(|(_, value)| value.as_str())
}

/// Whether a login is not a key.
fn is_chatgpt(login: &str) -> bool {
    let login: Json = serde_json::from_str(login).unwrap_or_default();
    login.get("tokens").is_some_and(Json::is_object) && !login.get("OPENAI_API_KEY").is_some_and(Json::is_string)
}
