//! Characters that a reader does not see or that act on what displays them, and untrusted text made safe to print.
//!
//! The set follows UTS #39 and UTR #36: control characters, separators of lines and paragraphs, what reverses the
//! direction of text, and every code point that is ignored by default. Private and unassigned characters are visible.

mod set;

use std::borrow::Cow;

pub use self::set::{Kind, kind};
use self::set::{is_emoji, is_joining_script, takes_selector};

/// Stands for a character that is not printed.
pub const REPLACEMENT: char = '\u{fffd}';

/// The unsafe characters of a text, with their positions in bytes.
///
/// A joiner between letters of a script that needs it or between emoji, and a single variation selector after a character
/// that has variants, are safe; anywhere else they are invisible.
pub fn unsafe_chars(text: &str) -> impl Iterator<Item = (usize, char)> {
    let text = if is_plain(text) { "" } else { text };
    let mut before = None;
    text.char_indices().filter(move |&(at, char)| {
        let previous = before.replace(char);
        match kind(char) {
            None => false,
            Some(Kind::Joiner) => {
                let next = text.get(at + char.len_utf8()..).and_then(|rest| rest.chars().next());
                !previous.zip(next).is_some_and(|(previous, next)| joins(char, previous, next))
            }
            Some(Kind::Selector) => !previous.is_some_and(|previous| takes_selector(previous, char)),
            Some(_) => true,
        }
    })
}

/// Whether a text has only printable ASCII characters and line feeds.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte))
}

fn joins(joiner: char, previous: char, next: char) -> bool {
    let emoji = joiner == '\u{200d}' && is_emoji(previous) && is_emoji(next);
    emoji || (is_joining_script(previous) && is_joining_script(next))
}

/// A text whose unsafe characters are replaced by what `replace` writes for them.
pub fn replaced(text: &str, mut replace: impl FnMut(&mut String, usize, char)) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    for (at, char) in unsafe_chars(text) {
        out += text.get(done..at).unwrap_or_default();
        replace(&mut out, at, char);
        done = at + char.len_utf8();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out += text.get(done..).unwrap_or_default();
    Cow::Owned(out)
}

/// A text as one line: a line break with the blanks around it becomes one space, a tab a space.
pub fn one_line(text: &str) -> String {
    let blank = |char| if is_blank(char) { ' ' } else { char };
    let Some((first, rest)) = text.split_once('\n') else { return text.chars().map(blank).collect() };
    let rest = rest.split('\n').map(|line| line.trim_start_matches([' ', '\t']));
    let lines = std::iter::once(first).chain(rest).map(|line| line.trim_end_matches([' ', '\t', '\r']));
    lines.collect::<Vec<_>>().join(" ").chars().map(blank).collect()
}

/// Whether a character other than a line feed separates words and moves what follows.
const fn is_blank(char: char) -> bool {
    matches!(char, '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A text as one line without unsafe characters.
pub fn line(text: &str) -> String {
    replaced(&one_line(text), |out, _, _| out.push(REPLACEMENT)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_with_its_indentation_becomes_one_space() {
        assert_eq!(line("`a\r\n    or b \n\tand c`"), "`a or b and c`");
        assert_eq!(line("two  blanks\tstay"), "two  blanks stay");
        assert_eq!(line("a\u{2028}b\u{85}c\rd"), "a b c d");
    }

    #[test]
    fn what_acts_or_is_invisible_is_replaced() {
        let all =
            "\0\u{7}\u{1b}\u{7f}\u{9b}\u{ad}\u{200b}\u{200e}\u{202e}\u{2066}\u{2060}\u{feff}\u{fff9}\u{e0041}\u{ffff}";
        assert_eq!(line(all), "\u{fffd}".repeat(all.chars().count()));
        assert_eq!(line("日本語 e\u{301} 🇨🇭 \u{e000} א ب"), "日本語 e\u{301} 🇨🇭 \u{e000} א ب");
    }

    #[test]
    fn joiners_and_selectors_are_kept_where_writing_needs_them() {
        for text in [
            "👩\u{200d}💻",
            "❤\u{fe0f}\u{200d}🔥",
            "क\u{94d}\u{200d}ष",
            "می\u{200c}خواهم",
            "1\u{fe0f}\u{20e3}",
            "葛\u{e0100}",
        ] {
            assert_eq!(line(text), text);
        }
        for (text, safe) in [
            ("a\u{200d}b", "a\u{fffd}b"),
            ("👩\u{200d}", "👩\u{fffd}"),
            ("k\u{200c}eep", "k\u{fffd}eep"),
            ("☎\u{fe0f}\u{fe0e}\u{fe0f}", "☎\u{fe0f}\u{fffd}\u{fffd}"),
            ("a\u{e0100}", "a\u{fffd}"),
        ] {
            assert_eq!(line(text), safe);
        }
    }
}
