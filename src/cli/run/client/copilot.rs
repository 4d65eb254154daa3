//! Copilot CLI with a provider of the user's own.

use super::{Client, Pointed};

const ADDRESS: &str = "COPILOT_PROVIDER_BASE_URL";
const KIND: &str = "COPILOT_PROVIDER_TYPE";

pub(super) static CLIENT: Client = Client {
    programs: &["copilot"],
    pointed: |surroundings, proxy| {
        let (address, kind) = (surroundings.variable(ADDRESS), surroundings.variable(KIND));
        let mut pointed = Pointed::default();
        match (kind.as_deref(), &address) {
            (None, None) => {
                pointed.obstacle = Some(
                    "Copilot CLI sends its requests to GitHub unless COPILOT_PROVIDER_BASE_URL names a provider of \
                     your own; only those can go through a proxy",
                );
            }
            // Copilot adds `/openai/v1` to the address, of which the proxy takes `/openai` for the name of the provider.
            (Some("azure"), _) => {
                let address = address.map(|address| format!("{}/openai", address.trim_end_matches('/')));
                pointed.upstreams.extend(address.map(|address| ("openai", address)));
                pointed.variables.push((ADDRESS, proxy.to_owned()));
            }
            (Some("anthropic"), _) => {
                pointed.by_variable(surroundings, ADDRESS, "anthropic", format!("{proxy}/anthropic"));
            }
            _ => pointed.by_variable(surroundings, ADDRESS, "openai", format!("{proxy}/openai/v1")),
        }
        pointed
    },
};
