//! The format of a source, decided once by its file name.

/// The name of a project's settings file.
pub const SETTINGS_NAME: &str = "trimtab.toml";

/// How the text of a source is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFormat {
    /// The policy language, as in `.trim` files; also used for every unknown extension.
    Policy,
    /// A YAML list of effects: `.yaml` or `.yml`.
    Yaml,
    /// Project settings: `trimtab.toml`.
    Settings,
    /// Settings of another system: `.json`, `.jsonc` or another `.toml`. Those in YAML are told from effects by their content.
    SystemSettings,
}

impl SourceFormat {
    /// The format of a file with this name or path.
    pub fn from_name(name: &str) -> Self {
        if name.rsplit(['/', '\\']).next() == Some(SETTINGS_NAME) {
            return Self::Settings;
        }
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_one_of = |endings: &[&str]| endings.iter().any(|ending| extension.eq_ignore_ascii_case(ending));
        match () {
            () if is_one_of(&["yaml", "yml"]) => Self::Yaml,
            () if is_one_of(&["json", "jsonc", "toml"]) => Self::SystemSettings,
            () => Self::Policy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides() {
        for name in ["a.yaml", "a.yml", "dir.trim/A.YAML", ".yml"] {
            assert_eq!(SourceFormat::from_name(name), SourceFormat::Yaml, "{name}");
        }
        for name in ["a.trim", "yaml", "a.yaml.bak", "", "a.yamls", "trimtab.toml.trim"] {
            assert_eq!(SourceFormat::from_name(name), SourceFormat::Policy, "{name}");
        }
        for name in ["config.toml", "a/opencode.json", "x.JSONC", "trimtab.json"] {
            assert_eq!(SourceFormat::from_name(name), SourceFormat::SystemSettings, "{name}");
        }
        for name in ["trimtab.toml", "a/trimtab.toml", "a\\trimtab.toml"] {
            assert_eq!(SourceFormat::from_name(name), SourceFormat::Settings, "{name}");
        }
    }
}
