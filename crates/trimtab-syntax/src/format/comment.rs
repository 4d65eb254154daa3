//! Formats comments: a space after `#`, and alignment of trailing comments on successive lines.

use std::borrow::Cow;

use trimtab_base::source::{slice, starting_at};

/// A comment after something on the same line.
pub(super) struct Trailing {
    /// The start of its line.
    pub(super) line: usize,
    /// The end of the code before it.
    pub(super) end: usize,
    /// The column of that end.
    pub(super) column: usize,
    /// The indentation of its line.
    pub(super) indent: usize,
}

/// The comment with a space between `#` or `#:` and the first word.
pub(super) fn normalized(written: &str) -> Cow<'_, str> {
    let rest = written.trim_start_matches('#');
    let marker = if written.len() - rest.len() == 1 && rest.starts_with(':') { "#:" } else { "#" };
    let Some(rest) = written.strip_prefix(marker) else { return written.into() };
    if rest.starts_with(char::is_alphanumeric) { format!("{marker} {rest}").into() } else { written.into() }
}

/// Aligns the trailing comments of successive lines with the same indentation.
pub(super) fn align(text: String, comments: &[Trailing]) -> String {
    if comments.len() < 2 {
        return text;
    }
    let mut out = String::with_capacity(text.len() + comments.len());
    let mut done = 0;
    for run in comments.chunk_by(|comment, next| comment.indent == next.indent && follows(&text, comment, next)) {
        let widest = run.iter().map(|comment| comment.column).max().unwrap_or(0);
        for comment in run {
            out.push_str(slice(&text, done..comment.end));
            out.extend(std::iter::repeat_n(' ', widest - comment.column));
            done = comment.end;
        }
    }
    out.push_str(starting_at(&text, done));
    out
}

/// Whether the line of one comment is directly before that of the next.
fn follows(text: &str, trailing: &Trailing, next: &Trailing) -> bool {
    starting_at(text, trailing.end).find('\n').is_some_and(|end| trailing.end + end + 1 == next.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_separates_the_marker_from_the_words() {
        let cases = [
            ("#a", "# a"),
            ("#:a", "#: a"),
            ("#  a", "#  a"),
            ("#", "#"),
            ("#:", "#:"),
            ("#!x", "#!x"),
            ("##a", "##a"),
            ("##:a", "##:a"),
            ("#é", "# é"),
        ];
        for (written, expected) in cases {
            assert_eq!(normalized(written), expected);
        }
    }
}
