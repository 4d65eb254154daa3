//! OpenCode. Its configuration in a variable wins over those in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use trimtab_live::hook_client::commented_json;

use super::{AgentEnvironment, Client, ProxySetup, read};

const VARIABLE: &str = "OPENCODE_CONFIG_CONTENT";

/// The packages that speak an interface of a provider.
const PACKAGES: [(&str, &str); 3] =
    [("@ai-sdk/anthropic", "anthropic"), ("@ai-sdk/openai", "openai"), ("@ai-sdk/openai-compatible", "openai")];

pub(super) static CLIENT: Client = Client {
    programs: &["opencode"],
    configure: |environment, proxy| {
        let mut content: Json =
            environment.variable(VARIABLE).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        if !content.is_object() {
            content = json!({});
        }
        let configured = configured(environment);
        let named = configured.iter().map(|provider| (provider.name.as_str(), provider.kind));
        // Those that are not configured have the names of their providers.
        let usual =
            ["anthropic", "openai"].into_iter().filter(|kind| !configured.iter().any(|known| known.kind == *kind));
        for (name, kind) in named.chain(usual.map(|kind| (kind, kind))) {
            content["provider"][name]["options"]["baseURL"] = format!("{proxy}/{kind}/v1").into();
        }
        let (of_project, of_user): (Vec<_>, Vec<_>) = configured.into_iter().partition(|known| known.is_of_project);
        let addresses = |known: Vec<Configured>| known.into_iter().map(|known| (known.kind, known.address)).collect();
        let variables = vec![(VARIABLE, content.to_string())];
        ProxySetup {
            variables,
            upstreams: addresses(of_user),
            project_upstreams: addresses(of_project),
            ..ProxySetup::default()
        }
    },
};

/// A configured provider with an address.
struct Configured {
    name: String,
    /// What it speaks.
    kind: &'static str,
    address: String,
    /// Whether a file of the project names the address.
    is_of_project: bool,
}

/// The configured providers with an address; of those that speak the same, the one of the configured model.
fn configured(environment: &AgentEnvironment) -> Vec<Configured> {
    let folder = environment.variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let folder = folder.or_else(|| Some(environment.home.as_ref()?.join(".config")));
    let in_folder = |folder: Option<&Path>, names: &[&str]| -> Vec<PathBuf> {
        folder.into_iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect()
    };
    let user =
        in_folder(folder.as_deref(), &["opencode/config.json", "opencode/opencode.json", "opencode/opencode.jsonc"]);
    let named = environment.variable("OPENCODE_CONFIG").map(PathBuf::from);
    let project = in_folder(
        environment.project.as_deref(),
        &["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
    );
    let of_user = user.into_iter().chain(named).map(|path| (path, false));
    let (mut providers, mut model): (BTreeMap<String, (Json, bool)>, String) = Default::default();
    // Later files win.
    for (path, is_of_project) in of_user.chain(project.into_iter().map(|path| (path, true))) {
        let config = read(&path).and_then(|text| commented_json(&text)).unwrap_or_default();
        let own = config.get("provider").and_then(Json::as_object).into_iter().flatten();
        providers.extend(own.map(|(name, provider)| (name.clone(), (provider.clone(), is_of_project))));
        model = config.get("model").and_then(Json::as_str).map_or(model, str::to_owned);
    }
    let main = model.split('/').next().unwrap_or_default();
    let mut found: Vec<Configured> = Vec::new();
    for (name, (provider, is_of_project)) in &providers {
        let address = provider.get("options").and_then(|options| options.get("baseURL")?.as_str());
        let package = provider.get("npm").and_then(Json::as_str).unwrap_or_default();
        let kind = PACKAGES.iter().find(|(known, _)| *known == package).map(|(_, kind)| *kind);
        let kind = kind.or_else(|| ["anthropic", "openai"].into_iter().find(|kind| kind == name));
        let (Some(address), Some(kind)) = (address, kind) else { continue };
        if name == main {
            found.retain(|known| known.kind != kind);
        }
        if !found.iter().any(|known| known.kind == kind) {
            let (name, address, is_of_project) = (name.clone(), address.to_owned(), *is_of_project);
            found.push(Configured { name, kind, address, is_of_project });
        }
    }
    found
}
