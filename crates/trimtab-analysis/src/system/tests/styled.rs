//! Settings files as people write them: with comments, line breaks, indentation and tables of each kind.

use serde_json::Value as Json;

use super::generated::{put, toml};
use crate::system::{Syntax, System};

/// How a file is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) has_mark: bool,
    pub(super) has_carriage_returns: bool,
    /// In JSON, a comma after the last entry; in TOML, tables without headers; in YAML, elements that are indented.
    pub(super) is_other: bool,
}

/// The text of a file with these values. After each value that is alone on its line follows a note with a number.
pub(super) fn styled(system: &System, values: &[(&str, Json)], style: Style) -> String {
    let mut root = Json::Object(serde_json::Map::new());
    for (path, value) in values {
        put(&mut root, path, value.clone());
    }
    let mut writer = Writer { out: String::new(), notes: 0, style };
    match system.syntax {
        Syntax::Json => {
            writer.json(&root, 0);
            writer.out += "\n";
        }
        Syntax::Toml => writer.toml(&root, ""),
        Syntax::Yaml => writer.yaml(&root, 0),
    }
    let text = if style.has_carriage_returns { writer.out.replace('\n', "\r\n") } else { writer.out };
    format!("{}{text}", if style.has_mark { "\u{FEFF}" } else { "" })
}

/// The numbers of the notes, in order.
pub(super) fn notes(text: &str) -> Vec<&str> {
    text.split("note:").skip(1).map(|rest| rest.split(char::is_whitespace).next().unwrap_or_default()).collect()
}

struct Writer {
    out: String,
    notes: usize,
    style: Style,
}

impl Writer {
    fn note(&mut self, sign: &str) {
        self.notes += 1;
        self.out += &format!(" {sign} note:{}\n", self.notes);
    }

    fn json(&mut self, value: &Json, depth: usize) {
        let indent = "\t".repeat(depth + 1);
        let (open, close, items): (_, _, Vec<(String, &Json)>) = match value {
            Json::Object(map) => ("{", "}", map.iter().map(|(key, value)| (format!("{key:?}: "), value)).collect()),
            Json::Array(items) if items.iter().any(Json::is_object) => {
                ("[", "]", items.iter().map(|value| (String::new(), value)).collect())
            }
            leaf => return self.out += &leaf.to_string(),
        };
        self.out += open;
        self.note("//");
        for (at, (key, value)) in items.iter().enumerate() {
            self.out += &format!("{indent}{key}");
            self.json(value, depth + 1);
            self.out += if at + 1 < items.len() || self.style.is_other { "," } else { "" };
            self.note("//");
        }
        self.out += &format!("{}{close}", "\t".repeat(depth));
    }

    fn toml(&mut self, value: &Json, path: &str) {
        let map = value.as_object().unwrap();
        let is_table = |value: &Json| value.is_object() && !self.style.is_other;
        let (tables, leaves): (Vec<_>, Vec<_>) = map.iter().partition(|(_, value)| is_table(value));
        for (key, value) in leaves {
            self.out += &format!("{key:?} = {}", toml(value));
            self.note("#");
        }
        for (key, value) in tables {
            let path = if path.is_empty() { format!("{key:?}") } else { format!("{path}.{key:?}") };
            self.out += &format!("\n[{path}]");
            self.note("#");
            self.toml(value, &path);
        }
    }

    fn yaml(&mut self, value: &Json, depth: usize) {
        let indent = "  ".repeat(depth);
        for (key, value) in value.as_object().unwrap() {
            self.out += &format!("{indent}{key:?}:");
            match value {
                Json::Object(map) if !map.is_empty() => {
                    self.note("#");
                    self.yaml(value, depth + 1);
                }
                Json::Array(items) if items.iter().any(Json::is_object) => {
                    self.note("#");
                    let deeper = depth + usize::from(self.style.is_other);
                    for item in items {
                        let start = self.out.len();
                        self.yaml(item, deeper + 1);
                        let dash = start + deeper * 2;
                        self.out.replace_range(dash..=dash, "-");
                    }
                }
                leaf => {
                    self.out += &format!(" {leaf}");
                    self.note("#");
                }
            }
        }
    }
}
