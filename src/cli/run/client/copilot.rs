//! Copilot CLI with a provider of the user's own.

use super::{Client, Pointed};

pub(super) static CLIENT: Client = Client {
    programs: &["copilot"],
    pointed: |surroundings, proxy| {
        let kind = surroundings.variable("COPILOT_PROVIDER_TYPE");
        let (provider, path) = match kind.as_deref() {
            Some("anthropic") => ("anthropic", "/anthropic"),
            _ => ("openai", "/openai/v1"),
        };
        let mut pointed = Pointed::default();
        pointed.by_variable(surroundings, "COPILOT_PROVIDER_BASE_URL", provider, format!("{proxy}{path}"));
        pointed
    },
};
