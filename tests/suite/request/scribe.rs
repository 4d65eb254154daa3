//! JSON as clients write it.

use std::fmt::Write;

use serde_json::{Value as Json, json};

/// Writes JSON with the white space, key orders and escapes of real clients.
pub(crate) struct Scribe<'h> {
    choices: std::iter::Cycle<std::slice::Iter<'h, u8>>,
}

impl<'h> Scribe<'h> {
    pub(crate) fn new(choices: &'h [u8]) -> Self {
        Self { choices: choices.iter().cycle() }
    }

    pub(crate) fn choice(&mut self, one_in: u8) -> bool {
        self.next().is_multiple_of(one_in)
    }

    pub(crate) fn next(&mut self) -> u8 {
        *self.choices.next().expect("a cycle")
    }

    pub(crate) fn space(&mut self) -> &'static str {
        ["", "", "", " ", "  ", "\n", "\t", "\r\n "][usize::from(self.next() % 8)]
    }

    pub(crate) fn write(&mut self, json: &Json, out: &mut String) {
        match json {
            Json::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    *out += if at > 0 { "," } else { "" };
                    *out += self.space();
                    self.write(item, out);
                    *out += self.space();
                }
                out.push(']');
            }
            Json::Object(map) => {
                let mut keys: Vec<&String> = map.keys().collect();
                if self.choice(2) {
                    keys.reverse();
                }
                out.push('{');
                // Strange keys are sometimes repeated.
                let repeated =
                    if self.choice(3) { keys.iter().find(|key| key.starts_with("x_")).copied() } else { None };
                for (at, key) in keys.into_iter().chain(repeated).enumerate() {
                    *out += if at > 0 { "," } else { "" };
                    *out += self.space();
                    self.text(key, out);
                    *out += self.space();
                    out.push(':');
                    *out += self.space();
                    self.write(&map[key], out);
                    *out += self.space();
                }
                out.push('}');
            }
            Json::String(text) => self.text(text, out),
            Json::Number(number) => *out += &number.to_string(),
            other => *out += &other.to_string(),
        }
    }

    fn text(&mut self, text: &str, out: &mut String) {
        let (escapes, slashes) = (self.choice(3), self.choice(3));
        out.push('"');
        for c in text.chars() {
            match c {
                '/' if slashes => *out += "\\/",
                c if escapes && !c.is_ascii() => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(out, "\\u{unit:04X}").expect("a string");
                    }
                }
                c => {
                    let literal = Json::from(c.to_string()).to_string();
                    *out += &literal[1..literal.len() - 1];
                }
            }
        }
        out.push('"');
    }

    /// Adds keys that no reader knows.
    pub(crate) fn strange(&mut self, mut json: Json) -> Json {
        if self.choice(5)
            && let Some(map) = json.as_object_mut()
        {
            map.insert("x_é".to_owned(), json!([1.0, { "a": null, "b": "\u{1f980}" }]));
        }
        json
    }

    /// Adds a mark for the prompt cache.
    pub(crate) fn marked(&mut self, mut json: Json) -> Json {
        if self.choice(5) {
            json["cache_control"] = json!({ "type": "ephemeral" });
        }
        json
    }
}
