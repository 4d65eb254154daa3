//! How deep brackets nest, found before parsing, so that no text can exhaust the stack.
//!
//! In: a text. Out: the first bracket that is nested too deep. It knows texts and comments, and no grammar.

use memchr::{memchr, memmem};

/// How deep brackets may nest.
pub(super) const MOST: usize = 32;

/// The byte at which brackets nest deeper than [`MOST`].
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => at += memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at),
            b'"' => {
                at = past_text(bytes, at);
                continue;
            }
            _ => {}
        }
        if depth > MOST {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Where the text that starts here ends; an open one ends with its line.
fn past_text(bytes: &[u8], start: usize) -> usize {
    if bytes[start..].starts_with(b"\"\"\"") {
        return memmem::find(&bytes[start + 3..], b"\"\"\"").map_or(start + 3, |end| start + end + 6);
    }
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_and_comments_do_not_count() {
        let many = "(".repeat(MOST + 1);
        assert_eq!(too_deep(&many), Some(MOST));
        assert_eq!(too_deep(&format!("\"{many}\" # {many}\n\"\"\"{many}\n\"\"\"")), None);
        assert_eq!(too_deep(&format!("\"open {many}\n(")), None);
    }

    #[test]
    fn closed_brackets_do_not_add_up() {
        assert_eq!(too_deep(&"([{}])".repeat(1000)), None);
    }
}
