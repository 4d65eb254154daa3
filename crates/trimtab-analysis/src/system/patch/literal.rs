//! Values as they are written in a settings file.

use serde_json::Value as Json;

use crate::system::syntax::Syntax;

/// A value. JSON is YAML, too, and so are most of its values TOML.
pub(super) fn value(value: &Json, syntax: Syntax) -> String {
    match (value, syntax) {
        (Json::Object(map), Syntax::Toml) => {
            let entries =
                map.iter().map(|(key, value)| format!("{} = {}", self::key(key, syntax), self::value(value, syntax)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        (Json::Array(items), _) => {
            let items: Vec<String> = items.iter().map(|item| self::value(item, syntax)).collect();
            format!("[{}]", items.join(", "))
        }
        (Json::Object(map), _) => {
            let entries = map.iter().map(|(key, value)| format!("{}: {}", quoted(key), self::value(value, syntax)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        (other, _) => other.to_string(),
    }
}

/// A value in an environment.
pub(super) fn plain(value: &Json) -> String {
    match value {
        Json::Bool(flag) => u8::from(*flag).to_string(),
        other => other.to_string(),
    }
}

/// A key.
pub(super) fn key(key: &str, syntax: Syntax) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-'));
    if is_bare && syntax != Syntax::Json { key.to_owned() } else { quoted(key) }
}

fn quoted(text: &str) -> String {
    Json::String(text.to_owned()).to_string()
}
