//! A rough look at a text, token by token, where the grammar has given up.
//!
//! In: a text and where to begin. Out: words, numbers, texts and signs; spaces and comments are stepped over.
//! It is used on broken stretches only and knows no grammar.

use memchr::{memchr, memmem};

use crate::source::{starting_at, up_to};

/// What a token looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A word, dots and hyphens included.
    Word,
    /// A number with what is glued to it.
    Number,
    /// A text or a block.
    Text,
    /// A text whose closing quote is missing; it takes the rest of its line.
    OpenText,
    /// A block whose closing quotes are missing: its opening quotes only.
    OpenBlock,
    /// Anything else, one or two characters.
    Sign,
}

/// A token and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lexeme<'t> {
    pub(super) shape: Shape,
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl Lexeme<'_> {
    /// One past its last byte.
    pub(super) const fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The first token at or behind a byte.
pub(super) fn next(text: &str, from: usize) -> Option<Lexeme<'_>> {
    let start = past_space(text, from);
    let rest = text.get(start..)?;
    let first = rest.chars().next()?;
    let run = |more: fn(char) -> bool| rest.find(|sign| !more(sign)).unwrap_or(rest.len());
    let (shape, length) = match first {
        '"' => quoted(rest),
        '0'..='9' | '$' => (Shape::Number, run(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '.' | '%' | '$'))),
        '_' => (Shape::Word, run(in_word)),
        _ if first.is_alphabetic() => (Shape::Word, run(in_word)),
        _ => (Shape::Sign, sign(rest, first)),
    };
    Some(Lexeme { shape, start, text: up_to(rest, length) })
}

/// All tokens of a text.
pub(super) fn all(text: &str) -> impl Iterator<Item = Lexeme<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let lexeme = next(text, at)?;
        at = lexeme.end();
        Some(lexeme)
    })
}

/// The byte behind spaces and comments.
pub(super) fn past_space(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\n' | b'\t' | b'\r' => at += 1,
            b'#' => at += memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at),
            _ => break,
        }
    }
    at
}

/// A text or block at the start of this one.
pub(super) fn quoted(text: &str) -> (Shape, usize) {
    let bytes = text.as_bytes();
    if bytes.starts_with(b"\"\"\"") {
        return match memmem::find(&bytes[3..], b"\"\"\"") {
            Some(end) => (Shape::Text, end + 6),
            None => (Shape::OpenBlock, 3),
        };
    }
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return (Shape::Text, at + 1),
            b'\n' => break,
            b'\\' if bytes.get(at + 1).is_some_and(|next| *next != b'\n') => {
                at += 1 + starting_at(text, at + 1).chars().next().map_or(0, char::len_utf8);
            }
            _ => at += 1,
        }
    }
    (Shape::OpenText, up_to(text, at.min(text.len())).trim_end().len())
}

fn in_word(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '.' | '-')
}

/// How long a sign is: pairs that mean one thing here or in other languages stay together.
fn sign(rest: &str, first: char) -> usize {
    const PAIRS: [&str; 14] = [">=", "<=", "==", "!=", "??", "&&", "||", "//", "/*", "=>", "->", "..", "=<", "<>"];
    PAIRS.iter().find(|pair| rest.starts_with(**pair)).map_or(first.len_utf8(), |pair| pair.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_tokens() {
        let text = "when a.b >= 80% # no\n&& \"x}\" é \"open }";
        let found: Vec<_> = all(text).map(|one| (one.shape, one.text)).collect();
        let expected = [
            (Shape::Word, "when"),
            (Shape::Word, "a.b"),
            (Shape::Sign, ">="),
            (Shape::Number, "80%"),
            (Shape::Sign, "&&"),
            (Shape::Text, "\"x}\""),
            (Shape::Word, "é"),
            (Shape::OpenText, "\"open }"),
        ];
        assert_eq!(found, expected);
    }
}
