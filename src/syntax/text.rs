//! Texts as written into their value and, where they are filled, their pieces.
//!
//! A block loses its first line break, the indent that its lines share (the line of the closing quotes counts when
//! it holds nothing else) and the line break before the closing quotes; nothing in it is an escape or a hole.

use pest::Parser;

use super::build::Builder;
use super::cursor::Cursor;
use super::error;
use super::literal;
use super::parse::{Grammar, Pair, Rule};
use super::slip::Slip;
use super::tree::{Expr, Number, Piece, Text};
use crate::source::{slice, starting_at, up_to};

impl Builder<'_> {
    /// The value of a number; nothing, and a diagnostic, when it has none.
    pub(super) fn number(&mut self, pair: &Pair<'_>) -> Option<Number> {
        let (written, span) = (pair.as_str(), self.span(pair));
        let fault = match literal::number(written) {
            Ok(number) => return Some(number),
            Err(fault) => fault,
        };
        match (fault == literal::Fault::Suffix).then(|| literal::meant(written)).flatten() {
            Some(instead) => {
                let finding = error::number_here(span, written, "no number as it stands", &instead);
                self.slip(Slip { finding });
            }
            None => self.diagnostics.push(error::bad_number(span, written, fault)),
        }
        self.spoiled = true;
        None
    }

    /// A text, a block or a text with escaped quotes in a hole.
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

    /// Reads a text sign by sign; the pieces, when it is filled and has braces.
    fn read(&mut self, reading: &mut Reading<'_>) -> Vec<Piece> {
        let (mut pieces, mut braces) = (Vec::new(), false);
        while let Some(sign) = reading.rest().chars().next() {
            match sign {
                '\\' => self.escape(reading),
                '{' | '}' if self.filling => {
                    braces = true;
                    if let Some(hole) = self.brace(reading, sign) {
                        reading.close(&mut pieces);
                        pieces.push(Piece::Hole(hole));
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
        let meant = match escaped {
            Some(sign @ ('"' | '\\')) => Some(sign),
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            _ => None,
        };
        let length = 1 + escaped.map_or(0, char::len_utf8);
        if let Some(sign) = meant {
            reading.push(sign);
        } else {
            let start = reading.start + reading.at;
            let span = self.at(start, start + length);
            self.diagnostics.push(error::bad_escape(span, up_to(reading.rest(), length)));
        }
        reading.at += length;
    }

    /// A brace of a filled text: doubled, a hole, or alone.
    fn brace(&mut self, reading: &mut Reading<'_>, sign: char) -> Option<Expr> {
        let rest = reading.rest();
        let start = reading.start + reading.at;
        if starting_at(rest, 1).starts_with(sign) {
            reading.value.extend([sign, sign]);
            reading.literal.push(sign);
            reading.at += 2;
            return None;
        }
        let end = if sign == '{' { hole_end(rest) } else { None };
        let Some(end) = end else {
            let place = self.at(start, start + 1);
            self.diagnostics.push(error::lone_brace(place, sign));
            reading.push(sign);
            reading.at += 1;
            return None;
        };
        reading.value += &up_to(rest, end + 1).replace("\\\"", "\"");
        reading.at += end + 1;
        self.hole(slice(rest, 1..end), start + 1)
    }

    /// What stands in a hole that starts at this byte.
    fn hole(&mut self, inside: &str, start: usize) -> Option<Expr> {
        let Ok(mut pairs) = Grammar::parse(Rule::hole, inside) else {
            let span = self.at(start - 1, start + inside.len() + 1);
            self.diagnostics.push(error::bad_hole(span, inside));
            return None;
        };
        let outside = (self.base, self.filling);
        (self.base, self.filling) = (Some(start), false);
        let value = pairs.next().and_then(|pair| self.hole_value(&mut Cursor::inside(pair)));
        (self.base, self.filling) = outside;
        value
    }
}

/// A text being read.
struct Reading<'t> {
    inside: &'t str,
    /// Where the inside starts in the file.
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

    fn push(&mut self, sign: char) {
        self.value.push(sign);
        self.literal.push(sign);
    }

    /// Takes all up to the next backslash or brace; a brace that comes first is taken too.
    fn plain(&mut self) {
        let rest = self.rest();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let more = memchr::memchr3(b'\\', b'{', b'}', &rest.as_bytes()[first..]);
        let taken = up_to(rest, more.map_or(rest.len(), |more| first + more));
        self.value += taken;
        self.literal += taken;
        self.at += taken.len();
    }

    /// Ends a literal piece.
    fn close(&mut self, pieces: &mut Vec<Piece>) {
        if !self.literal.is_empty() {
            pieces.push(Piece::Literal(std::mem::take(&mut self.literal)));
        }
    }
}

/// The closing brace of the hole at the start of this text; the grammar steps over holes in the same way.
fn hole_end(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        let rest = starting_at(text, at);
        match rest.bytes().next()? {
            b'}' => return Some(at),
            b'{' => return None,
            b'"' => at += 2 + starting_at(rest, 1).find('"')?,
            b'\\' => at += 4 + rest.strip_prefix("\\\"")?.find("\\\"")?,
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
}

/// A block without its frame: see the head of this file.
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
    fn a_block_loses_its_frame_and_the_shared_indent() {
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
    fn the_end_of_a_hole_is_not_in_a_text() {
        assert_eq!(hole_end("{a} }"), Some(2));
        assert_eq!(hole_end("{a ?? \"}\"}"), Some(9));
        assert_eq!(hole_end("{a ?? \\\"}\\\"}"), Some(11));
        assert_eq!(hole_end("{a"), None);
        assert_eq!(hole_end("{a {b}"), None);
    }
}
