//! Images and other data in recordings: measured, never kept.

use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::conversation::Body;

/// Strings shorter than this stay in parts that are kept as recorded.
const DATA: usize = 512;

/// Bytes that base64 text decodes to.
pub(super) fn decoded_size(base64: &str) -> u64 {
    let digits = base64.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count();
    digits as u64 * 3 / 4
}

/// An image from its URL: a `data:` URL is measured, of any other the size is unknown.
pub(super) fn from_url(url: &str) -> Body {
    let (media_type, bytes) = match data_url(url) {
        Some((media_type, data)) => (media_type, decoded_size(data)),
        None => ("image/*", 0),
    };
    Body::Image { media_type: SmolStr::new(media_type), bytes }
}

/// Media type and data of a base64 `data:` URL.
fn data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.split(';').next().filter(|kind| !kind.is_empty()).unwrap_or("text/plain");
    Some((media_type, data))
}

/// Replaces base64 data anywhere in a value by its size.
pub(super) fn without_data(json: Json) -> Json {
    match json {
        Json::String(text) if is_data(&text) => {
            let data = data_url(&text).map_or(text.as_str(), |(_, data)| data);
            serde_json::json!({ "bytes": decoded_size(data) })
        }
        Json::Array(items) => items.into_iter().map(without_data).collect(),
        Json::Object(map) => Json::Object(map.into_iter().map(|(key, item)| (key, without_data(item))).collect()),
        other => other,
    }
}

fn is_data(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(&byte);
    text.len() >= DATA && (data_url(text).is_some() || text.bytes().all(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_measured_without_padding_and_line_breaks() {
        assert_eq!([decoded_size("TQ=="), decoded_size("TWE="), decoded_size("TW\nFu")], [1, 2, 3]);
    }

    #[test]
    fn a_data_url_is_measured_and_another_is_not() {
        let body = |kind: &str, bytes| Body::Image { media_type: kind.into(), bytes };
        assert_eq!(from_url("data:image/png;base64,TWFu"), body("image/png", 3));
        assert_eq!(from_url("https://example.org/a.png"), body("image/*", 0));
    }

    #[test]
    fn data_in_a_kept_part_gives_way_to_its_size() {
        let json = serde_json::json!({"type": "document", "source": {"data": "QUJD".repeat(200), "note": "short"}});
        let kept = serde_json::json!({"type": "document", "source": {"data": {"bytes": 600}, "note": "short"}});
        assert_eq!(without_data(json), kept);
        let words = Json::String("a long text, with blanks. ".repeat(40));
        assert_eq!(without_data(words.clone()), words);
    }
}
