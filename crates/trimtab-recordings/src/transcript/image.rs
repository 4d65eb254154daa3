//! Images and other base64 data in recordings. Their type and size are kept, the data is not.

mod header;

use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::conversation::Body;

/// The length from which a string in an unknown part may be base64 data.
const MIN_DATA_LENGTH: usize = 512;

/// The media type of an image for which none is recorded.
pub(super) const ANY_TYPE: &str = "image/*";

/// The number of bytes that base64 text decodes to.
fn decoded_size(base64: &str) -> u64 {
    let digits = base64.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count();
    digits as u64 * 3 / 4
}

/// An image with this base64 data.
pub(super) fn from_data(media_type: &str, data: &str) -> Body {
    Body::Image { media_type: SmolStr::new(media_type), bytes: decoded_size(data), size: header::size(data) }
}

/// An image of unknown size.
pub(super) fn without_size(media_type: &str) -> Body {
    Body::Image { media_type: SmolStr::new(media_type), bytes: 0, size: None }
}

/// An image at this URL. Its size is known only for a `data:` URL.
pub(super) fn from_url(url: &str) -> Body {
    split_data_url(url).map_or_else(|| without_size(ANY_TYPE), |(media_type, data)| from_data(media_type, data))
}

/// Splits a base64 `data:` URL into media type and data.
fn split_data_url(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.split(';').next().filter(|kind| !kind.is_empty()).unwrap_or("text/plain");
    Some((media_type, data))
}

/// Replaces base64 data anywhere in a value with its size in bytes.
pub(super) fn without_data(json: Json) -> Json {
    match json {
        Json::String(text) if is_base64_data(&text) => {
            let data = split_data_url(&text).map_or(text.as_str(), |(_, data)| data);
            serde_json::json!({ "bytes": decoded_size(data) })
        }
        Json::Array(items) => items.into_iter().map(without_data).collect(),
        Json::Object(map) => Json::Object(map.into_iter().map(|(key, item)| (key, without_data(item))).collect()),
        other => other,
    }
}

fn is_base64_data(text: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_\r\n".contains(&byte);
    text.len() >= MIN_DATA_LENGTH && (split_data_url(text).is_some() || text.bytes().all(is_base64))
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::ImageSize;

    use super::*;

    #[test]
    fn padding_and_line_breaks_do_not_count_as_data() {
        assert_eq!([decoded_size("TQ=="), decoded_size("TWE="), decoded_size("TW\nFu")], [1, 2, 3]);
    }

    #[test]
    fn only_a_data_url_has_a_known_size() {
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
    fn base64_data_in_an_unknown_part_is_replaced_with_its_size() {
        let json = serde_json::json!({"type": "document", "source": {"data": "QUJD".repeat(200), "note": "short"}});
        let kept = serde_json::json!({"type": "document", "source": {"data": {"bytes": 600}, "note": "short"}});
        assert_eq!(without_data(json), kept);
        let words = Json::String("a long text, with blanks. ".repeat(40));
        assert_eq!(without_data(words.clone()), words);
    }
}
