//! The HTML document: the data, the style and the script, and a policy that permits nothing else.

use askama::Template;
use sha2::{Digest, Sha256};
use trimtab_base::source::sanitize::{REPLACEMENT, replaced};

const STYLE: &str = include_str!("page.css");

/// What the pages of one kind have in common.
#[derive(Debug)]
pub(in super::super) struct PageKind {
    /// The heading of the page.
    pub(in super::super) title: &'static str,
    /// The parts of the script, in the order in which they use each other.
    pub(in super::super) scripts: &'static [&'static str],
    /// Styles in addition to those of all pages; they come first.
    pub(in super::super) style: &'static str,
}

#[derive(Template)]
#[template(path = "page/page.html")]
struct Document<'a> {
    title: &'a str,
    script: Hashed,
    style: Hashed,
    data: &'a str,
}

/// A text that the content security policy permits by its hash.
struct Hashed {
    text: String,
    hash: String,
}

impl Hashed {
    fn new(text: String) -> Self {
        Self { hash: base64(&Sha256::digest(&text)), text }
    }
}

impl PageKind {
    /// The page with this JSON data.
    pub(in super::super) fn document(&self, data: &str) -> String {
        let script = Hashed::new(format!("(() => {{\n\"use strict\";\n{}}})();\n", self.scripts.concat()));
        let style = Hashed::new(format!("{}\n{STYLE}", self.style));
        // A template whose values are all texts cannot fail to be filled.
        Document { title: self.title, script, style, data: &escaped(data) }.render().unwrap_or_default()
    }
}

/// JSON without characters that mean something in HTML, and without those that a reader of the page would not see. JSON in
/// one line has control characters only as escapes.
fn escaped(json: &str) -> String {
    let json = replaced(json, |out, _, _| out.push(REPLACEMENT));
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for char in json.chars() {
        match char {
            '<' | '>' | '&' => out += &format!("\\u{:04x}", u32::from(char)),
            char => out.push(char),
        }
    }
    out
}

/// The base64 form of some bytes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            let digit = DIGITS[bits >> (18 - 6 * at) & 63];
            out.push(if at <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_base64() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn data_cannot_end_its_element() {
        let json = serde_json::json!({ "a": "</script><!--<script>&amp;\n" }).to_string();
        let escaped = escaped(&json);
        assert!(!escaped.contains(['<', '>', '&']), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).expect("JSON").to_string(), json);
    }
}
