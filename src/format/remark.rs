//! How comments look: the sign set off from the words, and those behind successive lines below one another.

use std::borrow::Cow;

use crate::source::{slice, starting_at};

/// A comment behind something on its line.
pub(super) struct Trailing {
    /// Where its line starts.
    pub(super) line: usize,
    /// Where what it stands behind ends.
    pub(super) end: usize,
    /// The column of that.
    pub(super) column: usize,
    /// The indent of its line.
    pub(super) indent: usize,
}

/// A comment as it is written, with a space between its sign and a first word that follows at once.
pub(super) fn shown(written: &str) -> Cow<'_, str> {
    let behind = written.trim_start_matches('#');
    let sign = if written.len() - behind.len() == 1 && behind.starts_with(':') { "#:" } else { "#" };
    let Some(rest) = written.strip_prefix(sign) else { return written.into() };
    if rest.starts_with(char::is_alphanumeric) { format!("{sign} {rest}").into() } else { written.into() }
}

/// Sets comments behind successive lines of one indent below one another.
pub(super) fn align(text: String, comments: &[Trailing]) -> String {
    if comments.len() < 2 {
        return text;
    }
    let mut out = String::with_capacity(text.len() + comments.len());
    let mut done = 0;
    for run in comments.chunk_by(|one, next| one.indent == next.indent && follows(&text, one, next)) {
        let widest = run.iter().map(|one| one.column).max().unwrap_or(0);
        for one in run {
            out.push_str(slice(&text, done..one.end));
            out.extend(std::iter::repeat_n(' ', widest - one.column));
            done = one.end;
        }
    }
    out.push_str(starting_at(&text, done));
    out
}

/// Whether the line of one comment comes right before that of the next.
fn follows(text: &str, one: &Trailing, next: &Trailing) -> bool {
    starting_at(text, one.end).find('\n').is_some_and(|end| one.end + end + 1 == next.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_is_set_off_from_the_words() {
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
            assert_eq!(shown(written), expected);
        }
    }
}
