//! Builds the values of numbers and texts, and the pieces of texts with interpolation.
//!
//! A block loses its first line break, the indentation that its lines share and the line break before the closing quotes.
//! The line of the closing quotes counts for the indentation if it contains nothing else. A block has no escape sequences
//! and no interpolation.

use pest::Parser;
use trimtab_base::source::{slice, starting_at, up_to};

use super::build::Builder;
use super::cursor::Cursor;
use super::error;
use super::grammar::{Grammar, Pair, Rule};
use super::literal::{self, NumberError};
use super::tree::{Expr, Number, Text, TextPiece};

impl Builder<'_> {
    /// The value of a number; reports a number without one.
    pub(super) fn number(&mut self, pair: &Pair<'_>) -> Option<Number> {
        let (written, span) = (pair.as_str(), self.span(pair));
        let problem = match literal::number(written) {
            Ok(number) => return Some(number),
            Err(problem) => problem,
        };
        match (problem == NumberError::Suffix).then(|| literal::with_known_suffix(written)).flatten() {
            Some(instead) => {
                self.report_recoverable(error::foreign_number(span, written, "unknown suffix", &instead));
            }
            None => self.diagnostics.push(error::bad_number(span, written, problem)),
        }
        self.has_bad_literal = true;
        None
    }

    /// A text, a block, or a text in escaped quotes inside an interpolation.
    pub(super) fn text(&mut self, pair: &Pair<'_>) -> Text {
        let (span, written) = (self.span(pair), pair.as_str());
        let (mut value, mut pieces, block) = (String::new(), Vec::new(), pair.as_rule() == Rule::block);
        match pair.as_rule() {
            Rule::block => value = dedented(slice(written, 3..written.len() - 3)),
            Rule::escaped_text => slice(written, 2..written.len() - 2).clone_into(&mut value),
            _ => {
                let inside = slice(written, 1..written.len() - 1);
                if memchr::memchr3(b'\\', b'{', b'}', inside.as_bytes()).is_none() {
                    inside.clone_into(&mut value);
                } else {
                    let first = pair.as_span().start() + 1;
                    let start = self.place(first, first).start as usize;
                    let mut reading = Reading { inside, start, at: 0, value: String::new(), literal: String::new() };
                    pieces = self.read(&mut reading);
                    value = reading.value;
                }
            }
        }
        Text { value, pieces, block, span }
    }

    /// Reads the inside of a text; returns its pieces if it has interpolation and braces.
    fn read(&mut self, reading: &mut Reading<'_>) -> Vec<TextPiece> {
        let (mut pieces, mut braces) = (Vec::new(), false);
        while let Some(char) = reading.rest().chars().next() {
            match char {
                '\\' => self.escape(reading),
                '{' | '}' if self.interpolates => {
                    braces = true;
                    if let Some(value) = self.brace(reading, char) {
                        reading.close(&mut pieces);
                        pieces.push(TextPiece::Interpolation(value));
                    }
                }
                _ => reading.plain(),
            }
        }
        reading.close(&mut pieces);
        if braces { pieces } else { Vec::new() }
    }

    fn escape(&mut self, reading: &mut Reading<'_>) {
        let escaped = starting_at(reading.rest(), 1).chars().next();
        let value = match escaped {
            Some(char @ ('"' | '\\')) => Some(char),
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            _ => None,
        };
        let length = 1 + escaped.map_or(0, char::len_utf8);
        if let Some(char) = value {
            reading.push(char);
        } else {
            let start = reading.start + reading.at;
            let span = self.at(start, start + length);
            self.diagnostics.push(error::bad_escape(span, up_to(reading.rest(), length)));
        }
        reading.at += length;
    }

    /// A brace in a text with interpolation: doubled, the start of an interpolation, or single.
    fn brace(&mut self, reading: &mut Reading<'_>, brace: char) -> Option<Expr> {
        let rest = reading.rest();
        let start = reading.start + reading.at;
        if starting_at(rest, 1).starts_with(brace) {
            reading.value.extend([brace, brace]);
            reading.literal.push(brace);
            reading.at += 2;
            return None;
        }
        let length = if brace == '{' { interpolation_length(rest) } else { None };
        let Some(length) = length else {
            let place = self.at(start, start + 1);
            self.diagnostics.push(error::lone_brace(place, brace));
            reading.push(brace);
            reading.at += 1;
            return None;
        };
        reading.value += &up_to(rest, length).replace("\\\"", "\"");
        reading.at += length;
        self.parse_interpolation(slice(rest, 1..length - 1), start + 1)
    }

    /// Parses the inside of an interpolation, which starts at this offset.
    fn parse_interpolation(&mut self, inside: &str, start: usize) -> Option<Expr> {
        let Ok(mut pairs) = Grammar::parse(Rule::interpolation, inside) else {
            let span = self.at(start - 1, start + inside.len() + 1);
            self.diagnostics.push(error::bad_interpolation(span, inside));
            return None;
        };
        let outside = (self.base, self.interpolates);
        (self.base, self.interpolates) = (Some(start), false);
        let value = pairs.next().and_then(|pair| self.interpolation(&mut Cursor::inside(pair)));
        (self.base, self.interpolates) = outside;
        value
    }
}

/// A text that is being read.
struct Reading<'t> {
    inside: &'t str,
    /// The offset of the inside in the file.
    start: usize,
    at: usize,
    /// The value so far.
    value: String,
    /// The literal piece so far.
    literal: String,
}

impl<'t> Reading<'t> {
    fn rest(&self) -> &'t str {
        starting_at(self.inside, self.at)
    }

    fn push(&mut self, char: char) {
        self.value.push(char);
        self.literal.push(char);
    }

    /// Takes everything up to the next backslash or brace, including a brace at the start.
    fn plain(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let more = memchr::memchr3(b'\\', b'{', b'}', &rest.as_bytes()[first..]);
        let taken = up_to(rest, more.map_or(rest.len(), |more| first + more));
        self.value += taken;
        self.literal += taken;
        self.at += taken.len();
    }

    /// Ends the current literal piece.
    fn close(&mut self, pieces: &mut Vec<TextPiece>) {
        if !self.literal.is_empty() {
            pieces.push(TextPiece::Literal(std::mem::take(&mut self.literal)));
        }
    }
}

/// The length of the interpolation that a text begins with, including its braces.
fn interpolation_length(text: &str) -> Option<usize> {
    let mut pairs = Grammar::parse(Rule::interpolation_span, text).ok()?;
    pairs.next().map(|pair| pair.as_str().len())
}

/// The value of a block, given the text between its quotes.
fn dedented(inside: &str) -> String {
    let inside = inside.replace("\r\n", "\n");
    let opening = inside.find('\n').filter(|&end| up_to(&inside, end).trim().is_empty());
    let body = opening.map_or(inside.as_str(), |end| starting_at(&inside, end + 1));
    let mut lines: Vec<&str> = body.split('\n').collect();
    let counted = lines.iter().skip(usize::from(opening.is_none()));
    let last = lines.len() - 1;
    let indent = counted
        .enumerate()
        .filter(|(at, line)| !line.trim().is_empty() || at + usize::from(opening.is_none()) == last)
        .map(|(_, line)| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    if lines.len() > 1 && lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let cut = |(at, line): (usize, &str)| {
        let first = at == 0 && opening.is_none();
        if first { line.to_owned() } else { line.get(indent..).unwrap_or_default().to_owned() }
    };
    let lines: Vec<String> = lines.into_iter().enumerate().map(cut).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_loses_its_outer_line_breaks_and_the_shared_indentation() {
        let cases = [
            ("\nSummarise.\n", "Summarise."),
            ("\n    a\n      b\n\n    c\n    ", "a\n  b\n\nc"),
            ("\n    a\n  ", "  a"),
            ("one line", "one line"),
            ("first\n    second\n    ", "first\nsecond"),
            ("\r\n  a\r\n  b\r\n  ", "a\nb"),
            ("", ""),
            ("\n", ""),
            ("\n  a\n\n  ", "a\n"),
        ];
        for (inside, expected) in cases {
            assert_eq!(dedented(inside), expected, "{inside:?}");
        }
    }

    #[test]
    fn an_interpolation_ends_at_a_brace_outside_of_texts() {
        let length = |text| interpolation_length(text);
        assert_eq!(length("{a} }"), Some(3));
        assert_eq!(length("{a ?? \"}\"}"), Some(10));
        assert_eq!(length(r#"{a ?? \"}\"}"#), Some(12));
        assert_eq!(length("{a"), None);
        assert_eq!(length("{a {b}"), None);
    }
}
