//! Copilot CLI with a provider of the user's own.

use super::{Client, ProxySetup};

const ADDRESS: &str = "COPILOT_PROVIDER_BASE_URL";
const KIND: &str = "COPILOT_PROVIDER_TYPE";

pub(super) static CLIENT: Client = Client {
    programs: &["copilot"],
    configure: |environment, proxy| {
        let (address, kind) = (environment.variable(ADDRESS), environment.variable(KIND));
        let mut setup = ProxySetup::default();
        match (kind.as_deref(), &address) {
            (None, None) => {
                setup.obstacle = Some(
                    "Copilot CLI sends its requests to GitHub unless COPILOT_PROVIDER_BASE_URL names a provider of \
                     your own; only those can go through a proxy",
                );
            }
            // Copilot adds `/openai/v1` to the address, of which the proxy takes `/openai` for the name of the provider.
            (Some("azure"), _) => {
                let address = address.map(|address| format!("{}/openai", address.trim_end_matches('/')));
                setup.upstreams.extend(address.map(|address| ("openai", address)));
                setup.variables.push((ADDRESS, proxy.to_owned()));
            }
            (Some("anthropic"), _) => {
                setup.redirect_variable(environment, ADDRESS, "anthropic", format!("{proxy}/anthropic"));
            }
            _ => setup.redirect_variable(environment, ADDRESS, "openai", format!("{proxy}/openai/v1")),
        }
        setup
    },
};
