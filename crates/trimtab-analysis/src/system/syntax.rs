//! How a settings file is written.

use trimtab_base::source::Source;

/// How a settings file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// JSON with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

impl Syntax {
    /// The syntax of a file with this name, or else with this text.
    pub(super) fn of(source: &Source) -> Self {
        let ending = source.name().rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "json" | "jsonc" => Self::Json,
            "toml" => Self::Toml,
            "yaml" | "yml" => Self::Yaml,
            _ if source.text().trim_start_matches('\u{FEFF}').trim_start().starts_with(['{', '/']) => Self::Json,
            _ if source.text().lines().any(|line| line.contains('=')) => Self::Toml,
            _ => Self::Yaml,
        }
    }
}
