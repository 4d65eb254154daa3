//! Images and other data in recordings: measured, never kept.

mod header;

use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::conversation::Body;

/// Strings shorter than this stay in parts that are kept as recorded.
const DATA: usize = 512;

/// The type of an image when the recording does not say it.
pub(super) const ANY: &str = "image/*";

/// Bytes that base64 text decodes to.
pub(super) fn decoded_size(base64: &str) -> u64 {
    let digits = base64.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count();
    digits as u64 * 3 / 4
}

/// An image from its base64 data.
pub(super) fn from_data(media_type: &str, data: &str) -> Body {
    Body::Image { media_type: SmolStr::new(media_type), bytes: decoded_size(data), size: header::size(data) }
}

/// An image of which nothing but perhaps its type is known.
pub(super) fn unknown(media_type: &str) -> Body {
    Body::Image { media_type: SmolStr::new(media_type), bytes: 0, size: None }
}

/// An image from its URL: a `data:` URL is measured, of any other the size is unknown.
pub(super) fn from_url(url: &str) -> Body {
    data_url(url).map_or_else(|| unknown(ANY), |(media_type, data)| from_data(media_type, data))
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
    use crate::conversation::ImageSize;

    #[test]
    fn base64_is_measured_without_padding_and_line_breaks() {
        assert_eq!([decoded_size("TQ=="), decoded_size("TWE="), decoded_size("TW\nFu")], [1, 2, 3]);
    }

    #[test]
    fn a_data_url_is_measured_and_another_is_not() {
        let body = |kind: &str, bytes| Body::Image { media_type: kind.into(), bytes, size: None };
        assert_eq!(from_url("data:image/png;base64,TWFu"), body("image/png", 3));
        assert_eq!(from_url("https://example.org/a.png"), body("image/*", 0));
    }

    #[test]
    fn the_dimensions_of_a_data_url_are_read() {
        let url = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAASwAAADICAYAAABS39xV";
        let size = ImageSize { width: 300, height: 200 };
        assert!(matches!(from_url(url), Body::Image { size: Some(read), .. } if read == size));
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
