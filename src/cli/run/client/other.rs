//! Agents that have no entry of their own.

use super::{Client, Pointed};

/// The variables that agents and libraries read: the name, the provider, and what follows the address.
const VARIABLES: [(&str, &str, &str); 4] = [
    ("ANTHROPIC_BASE_URL", "anthropic", "/anthropic"),
    ("OPENAI_BASE_URL", "openai", "/v1"),
    ("OPENAI_API_BASE", "openai", "/v1"),
    ("GOOGLE_GEMINI_BASE_URL", "gemini", ""),
];

pub(super) static CLIENT: Client = Client {
    programs: &[],
    pointed: |surroundings, proxy| {
        let mut pointed = Pointed::default();
        for (name, provider, path) in VARIABLES {
            pointed.by_variable(surroundings, name, provider, format!("{proxy}{path}"));
        }
        pointed
    },
};
