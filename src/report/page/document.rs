//! The HTML document: the data, the style and the scripts, and a policy that permits nothing else.

use askama::Template;
use sha2::{Digest, Sha256};

/// The chart library with its licence, as published in the npm registry.
const CHARTS: [&str; 2] = [include_str!("vendor/uPlot-1.6.32.iife.min.js"), include_str!("vendor/LICENSE")];

/// The scripts of the page, in the order in which they use each other.
const SCRIPTS: [&str; 8] = [
    include_str!("script/data.js"),
    include_str!("script/element.js"),
    include_str!("script/table.js"),
    include_str!("script/chart.js"),
    include_str!("script/summary.js"),
    include_str!("script/inspector.js"),
    include_str!("script/session.js"),
    include_str!("script/main.js"),
];

const STYLES: [&str; 2] = [include_str!("vendor/uPlot-1.6.32.min.css"), include_str!("page.css")];

#[derive(Template)]
#[template(path = "page/page.html")]
struct Document<'a> {
    charts: String,
    script: String,
    style: String,
    /// The hashes of the scripts and of the style.
    hashes: [String; 3],
    data: &'a str,
}

/// The document with this JSON data.
pub(super) fn document(data: &str) -> String {
    let [library, licence] = CHARTS;
    let charts = format!("/*\n{licence}\n*/\n{library}");
    let script = format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat());
    let style = STYLES.join("\n");
    let hashes = [&charts, &script, &style].map(|text| base64(&Sha256::digest(text)));
    let data = escaped(data);
    // A template whose values are all texts cannot fail to be filled.
    Document { charts, script, style, hashes, data: &data }.render().unwrap_or_default()
}

/// JSON without characters that mean something in HTML or end a line of a script.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for char in json.chars() {
        match char {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out += &format!("\\u{:04x}", u32::from(char)),
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
        let json = serde_json::json!({ "a": "</script><!--<script>&amp;\u{2028}" }).to_string();
        let escaped = escaped(&json);
        assert!(!escaped.contains(['<', '>', '&', '\u{2028}']), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).expect("JSON").to_string(), json);
    }
}
