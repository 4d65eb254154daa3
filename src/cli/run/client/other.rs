//! Agents that have no entry of their own.

use super::{Client, ProxySetup};

/// The variables that agents and libraries read: the name, the provider, and what follows the address.
const VARIABLES: [(&str, &str, &str); 4] = [
    ("ANTHROPIC_BASE_URL", "anthropic", "/anthropic"),
    ("OPENAI_BASE_URL", "openai", "/v1"),
    ("OPENAI_API_BASE", "openai", "/v1"),
    ("GOOGLE_GEMINI_BASE_URL", "gemini", ""),
];

pub(super) static CLIENT: Client = Client {
    programs: &[],
    configure: |environment, proxy| {
        let mut setup = ProxySetup::default();
        for (name, provider, path) in VARIABLES {
            setup.redirect_variable(environment, name, provider, format!("{proxy}{path}"));
        }
        setup
    },
};
