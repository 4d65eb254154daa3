//! Quotations of a limited length that stay inside their item of the summary.

use trimtab_base::source::starting_at;

/// How much of a text is quoted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Lines that are not blank.
    pub lines: usize,
    /// Characters.
    pub chars: usize,
}

/// Quotes the start of a text, followed by `…` if there is more. Blank lines are left out. Characters that a reader could
/// take for a line break, and other control characters, become spaces or line breaks, so that the quotation has exactly
/// the lines that it seems to have.
pub(super) fn quote(text: &str, extent: Extent) -> String {
    let mut out = String::new();
    let mut left = extent.chars;
    for (at, line) in lines(text).enumerate() {
        if at == extent.lines || left == 0 {
            return ended(out);
        }
        if at > 0 {
            out.push('\n');
        }
        let line = if at == 0 { line.trim_start() } else { line };
        // Most lines are quoted as they are. Without a shortcut, many bytes are compared at a time.
        if line.len() <= left && line.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~')) {
            out += line;
            left -= line.len();
            continue;
        }
        for c in line.chars() {
            if left == 0 {
                return ended(out);
            }
            out.push(if c.is_control() { ' ' } else { c });
            left -= 1;
        }
    }
    out
}

/// Quotes the start and the end of a text that is too long. People often put material first and the request last.
pub(super) fn quote_ends(text: &str, extent: Extent) -> String {
    let whole = quote(text, extent);
    let text = text.trim_end();
    if !whole.ends_with('…') || text.ends_with('…') {
        return whole;
    }
    let from = text.char_indices().rev().nth(extent.chars / 3).map_or(0, |(at, c)| at + c.len_utf8());
    let end = from_word(starting_at(text, from));
    let end: Vec<&str> = lines(end).collect();
    let end = end[end.len().saturating_sub(extent.lines / 3)..].join("\n");
    let end = quote(&end, extent);
    // Two characters for the ellipsis and the line break between them.
    let start = Extent { lines: extent.lines / 3 * 2, chars: (extent.chars / 3 * 2).saturating_sub(2) };
    format!("{}\n{end}", quote(text, start))
}

/// The part of a text that does not begin inside a line, if it has several, or else not inside a word.
fn from_word(text: &str) -> &str {
    let skipped = text.split_once(is_line_break).filter(|(_, rest)| !rest.trim().is_empty());
    skipped.or_else(|| text.split_once(char::is_whitespace)).map_or(text, |(_, rest)| rest)
}

/// The first line that is not blank.
pub(super) fn first_line(text: &str, chars: usize) -> String {
    quote(text, Extent { lines: 1, chars }).trim_end().to_owned()
}

/// The lines that are not blank, without white space at their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    let lines = std::iter::from_fn(move || {
        let text = rest?;
        let (line, following) = split_at_line_break(text).map_or((text, None), |(line, rest)| (line, Some(rest)));
        rest = following;
        Some(line)
    });
    lines.map(str::trim_end).filter(|line| !line.is_empty())
}

/// Returns the parts of a text before and after its first line break, or `None` without one.
fn split_at_line_break(text: &str) -> Option<(&str, &str)> {
    // Line breaks begin with these bytes, and few other characters do.
    let may_break = |byte: &u8| matches!(byte, b'\n'..=b'\r' | 0xc2 | 0xe2);
    let mut at = 0;
    loop {
        at += text.as_bytes().get(at..)?.iter().position(may_break)?;
        let (line, rest) = text.split_at_checked(at)?;
        let mut following = rest.chars();
        let c = following.next()?;
        if is_line_break(c) {
            return Some((line, following.as_str()));
        }
        at += c.len_utf8();
    }
}

/// Whether Unicode requires a line break after the character.
pub(super) const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn ended(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    if !text.ends_with('…') {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Extent = Extent { lines: 2, chars: 10 };

    #[test]
    fn a_quotation_has_the_lines_that_it_seems_to_have() {
        assert_eq!(quote("  a \r\n\n\n b\u{2028}c", Extent { lines: 9, chars: 99 }), "a\n b\nc");
        assert_eq!(quote("a\u{1b}[1mb\tc", SHORT), "a [1mb c");
        assert_eq!(quote("", SHORT), "");
    }

    #[test]
    fn a_longer_text_ends_with_an_ellipsis() {
        assert_eq!(quote("漢字漢字漢字漢字漢字", SHORT), "漢字漢字漢字漢字漢字");
        assert_eq!(quote("漢字漢字漢字漢字漢字漢", SHORT), "漢字漢字漢字漢字漢字…");
        assert_eq!(quote("a\nb\nc", SHORT), "a\nb…");
        assert_eq!(quote(&quote("0123456789ab", SHORT), SHORT), "0123456789…");
        assert_eq!(first_line("\n  one  \ntwo", 10), "one…");
    }

    #[test]
    fn a_long_request_is_quoted_at_both_ends() {
        let extent = Extent { lines: 6, chars: 60 };
        let text = format!("Look at this.\n{}\nFix it.", "data\n".repeat(100));
        let quoted = quote_ends(&text, extent);
        assert_eq!(quoted, "Look at this.\ndata\ndata\ndata…\ndata\nFix it.");
        assert_eq!(quote_ends(&quoted, extent), quoted);
        let line = quote_ends(&"word ".repeat(100), extent);
        assert!(line.contains("wor…\nword ") && line.chars().count() <= 60, "{line}");
        assert!(quote_ends(&"字".repeat(500), extent).chars().count() <= 60);
        assert_eq!(quote_ends("short", SHORT), "short");
    }
}
