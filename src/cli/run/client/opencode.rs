//! OpenCode. Its configuration in a variable wins over those in files.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};

use super::{Client, Pointed, Surroundings, read};

const VARIABLE: &str = "OPENCODE_CONFIG_CONTENT";

/// The packages that speak an interface of a provider.
const PACKAGES: [(&str, &str); 3] =
    [("@ai-sdk/anthropic", "anthropic"), ("@ai-sdk/openai", "openai"), ("@ai-sdk/openai-compatible", "openai")];

pub(super) static CLIENT: Client = Client {
    programs: &["opencode"],
    pointed: |surroundings, proxy| {
        let mut content: Json =
            surroundings.variable(VARIABLE).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        if !content.is_object() {
            content = json!({});
        }
        let configured = configured(surroundings);
        let upstreams: Vec<_> = configured.iter().map(|(_, kind, address)| (*kind, address.clone())).collect();
        let named = configured.into_iter().map(|(name, kind, _)| (name, kind));
        // Those that the user has not configured have the names of their providers.
        let usual =
            ["anthropic", "openai"].into_iter().filter(|kind| !upstreams.iter().any(|(known, _)| known == kind));
        for (name, kind) in named.chain(usual.map(|kind| (kind.to_owned(), kind))) {
            content["provider"][name]["options"]["baseURL"] = format!("{proxy}/{kind}/v1").into();
        }
        Pointed { variables: vec![(VARIABLE, content.to_string())], arguments: Vec::new(), upstreams }
    },
};

/// The configured providers with an address: their names, what they speak, and the address; of those that speak the same,
/// the one of the configured model.
fn configured(surroundings: &Surroundings) -> Vec<(String, &'static str, String)> {
    let folder = surroundings.variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| Some(surroundings.home.as_ref()?.join(".config")));
    let user = folder.and_then(|folder| read(&folder.join("opencode/opencode.json")));
    let named = surroundings.variable("OPENCODE_CONFIG").and_then(|path| read(Path::new(&path)));
    let project = surroundings.project.as_ref().and_then(|folder| read(&folder.join("opencode.json")));
    let (mut providers, mut model) = (Map::new(), String::new());
    for config in
        [user, named, project].into_iter().flatten().filter_map(|text| serde_json::from_str::<Json>(&text).ok())
    {
        providers.extend(config.get("provider").and_then(Json::as_object).cloned().unwrap_or_default());
        model = config.get("model").and_then(Json::as_str).map_or(model, str::to_owned);
    }
    let main = model.split('/').next().unwrap_or_default();
    let mut found: Vec<(String, &str, String)> = Vec::new();
    for (name, provider) in &providers {
        let address = provider.get("options").and_then(|options| options.get("baseURL")?.as_str());
        let package = provider.get("npm").and_then(Json::as_str).unwrap_or_default();
        let kind = PACKAGES.iter().find(|(known, _)| *known == package).map(|(_, kind)| *kind);
        let kind = kind.or_else(|| ["anthropic", "openai"].into_iter().find(|kind| kind == name));
        let (Some(address), Some(kind)) = (address, kind) else { continue };
        if name == main {
            found.retain(|(_, known, _)| *known != kind);
        }
        if !found.iter().any(|(_, known, _)| *known == kind) {
            found.push((name.clone(), kind, address.to_owned()));
        }
    }
    found
}
