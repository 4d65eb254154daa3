//! A scanner for tokens and brackets, used where the grammar gives no nodes.
//!
//! Recovery scans the regions that could not be parsed; before parsing, the whole text is scanned for brackets that
//! nest too deep, so that no text can exhaust the stack.

use memchr::{memchr, memmem};
use trimtab_base::source::{starting_at, up_to};

/// How deep brackets may nest.
pub(super) const MAX_NESTING: usize = 32;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A word, including dots and hyphens.
    Word,
    /// A number with everything attached to it.
    Number,
    /// A text or a block of text.
    Text,
    /// A text without a closing quote; it ends with its line.
    OpenText,
    /// The opening quotes of a block that is never closed.
    OpenBlock,
    /// Anything else: one character, or two that form an operator here or in another language.
    Symbol,
}

/// A token and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl Token<'_> {
    /// The offset of its end.
    pub(super) const fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The first token at or after an offset.
pub(super) fn next(text: &str, from: usize) -> Option<Token<'_>> {
    let start = skip_space(text, from);
    let rest = text.get(start..)?;
    let first = rest.chars().next()?;
    let run = |more: fn(char) -> bool| rest.find(|char| !more(char)).unwrap_or(rest.len());
    let (kind, length) = match first {
        '"' => quoted(rest),
        '0'..='9' | '$' => {
            (TokenKind::Number, run(|char| char.is_alphanumeric() || matches!(char, '_' | '.' | '%' | '$')))
        }
        '_' => (TokenKind::Word, run(in_word)),
        _ if first.is_alphabetic() => (TokenKind::Word, run(in_word)),
        _ => (TokenKind::Symbol, symbol(rest, first)),
    };
    Some(Token { kind, start, text: up_to(rest, length) })
}

/// All tokens of a text.
pub(super) fn all(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let token = next(text, at)?;
        at = token.end();
        Some(token)
    })
}

/// The offset after white space and comments.
pub(super) fn skip_space(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' => at += 1,
            b'#' => at += comment_length(&bytes[at..]),
            _ => break,
        }
    }
    at
}

/// The offset of the first bracket that nests deeper than [`MAX_NESTING`].
pub(super) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(&byte) = bytes.get(at) {
        let mut length = 1;
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'#' => length = comment_length(&bytes[at..]),
            b'"' => length = quoted(starting_at(text, at)).1,
            _ => {}
        }
        if depth > MAX_NESTING {
            return Some(at);
        }
        at += length;
    }
    None
}

/// The length of the comment that these bytes begin with.
fn comment_length(bytes: &[u8]) -> usize {
    memchr(b'\n', bytes).unwrap_or(bytes.len())
}

/// The kind and the length of the quoted text that this begins with.
pub(super) fn quoted(text: &str) -> (TokenKind, usize) {
    let bytes = text.as_bytes();
    if bytes.starts_with(b"\"\"\"") {
        return match memmem::find(&bytes[3..], b"\"\"\"") {
            Some(end) => (TokenKind::Text, end + 6),
            None => (TokenKind::OpenBlock, 3),
        };
    }
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return (TokenKind::Text, at + 1),
            b'\n' => break,
            b'\\' if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => {
                at += 1 + starting_at(text, at + 1).chars().next().map_or(0, char::len_utf8);
            }
            _ => at += 1,
        }
    }
    (TokenKind::OpenText, up_to(text, at.min(text.len())).trim_end().len())
}

fn in_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '.' | '-')
}

/// The length of the operator or other symbol that a text begins with.
fn symbol(rest: &str, first: char) -> usize {
    const PAIRS: [&str; 14] = [">=", "<=", "==", "!=", "??", "&&", "||", "//", "/*", "=>", "->", "..", "=<", "<>"];
    PAIRS.iter().find(|pair| rest.starts_with(**pair)).map_or(first.len_utf8(), |pair| pair.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_tokens() {
        let text = "when a.b >= 80% # no\n&& \"x}\" é \"open }";
        let found: Vec<_> = all(text).map(|token| (token.kind, token.text)).collect();
        let expected = [
            (TokenKind::Word, "when"),
            (TokenKind::Word, "a.b"),
            (TokenKind::Symbol, ">="),
            (TokenKind::Number, "80%"),
            (TokenKind::Symbol, "&&"),
            (TokenKind::Text, "\"x}\""),
            (TokenKind::Word, "é"),
            (TokenKind::OpenText, "\"open }"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn brackets_in_texts_and_comments_are_not_counted() {
        let many = "(".repeat(MAX_NESTING + 1);
        assert_eq!(too_deep(&many), Some(MAX_NESTING));
        assert_eq!(too_deep(&format!("\"{many}\" # {many}\n\"\"\"{many}\n\"\"\"")), None);
        assert_eq!(too_deep(&format!("\"open {many}\n(")), None);
        assert_eq!(too_deep(&format!("\"é\\é\" {many}")), Some(8 + MAX_NESTING));
    }

    #[test]
    fn closed_brackets_are_not_counted() {
        assert_eq!(too_deep(&"([{}])".repeat(1000)), None);
    }
}
