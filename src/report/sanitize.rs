//! Texts of others, such as names and quoted source, made safe to show.

use crate::diagnostic::{Diagnostic, Fix, Label};

/// Whether a character would move the cursor, paint, or turn the direction of the text.
pub(super) fn is_unsafe(sign: char) -> bool {
    let turns = ('\u{202a}'..='\u{202e}').contains(&sign) || ('\u{2066}'..='\u{2069}').contains(&sign);
    sign.is_control() || turns || ['\u{200e}', '\u{200f}', '\u{61c}', '\u{2028}', '\u{2029}'].contains(&sign)
}

/// A text in one line without such characters; a line break with the indents around it is one blank.
pub(crate) fn line(text: &str) -> String {
    let one = |sign| match sign {
        '\r' | '\t' => ' ',
        sign if is_unsafe(sign) => '\u{fffd}',
        sign => sign,
    };
    let Some((first, rest)) = text.split_once('\n') else { return text.chars().map(one).collect() };
    let rest = rest.split('\n').map(|line| line.trim_start_matches([' ', '\t']));
    let lines = std::iter::once(first).chain(rest).map(|line| line.trim_end_matches([' ', '\t', '\r']));
    lines.collect::<Vec<_>>().join(" ").chars().map(one).collect()
}

/// A finding whose sentences are without such characters; its edits stay as they are.
pub(super) fn diagnostic(one: &Diagnostic) -> Diagnostic {
    let label = |label: &Label| Label { message: line(&label.message), ..label.clone() };
    let lines = |all: &str| all.lines().map(line).collect::<Vec<_>>().join("\n");
    Diagnostic {
        message: line(&one.message),
        primary: label(&one.primary),
        labels: one.labels.iter().map(label).collect(),
        notes: one.notes.iter().map(|note| lines(note)).collect(),
        help: one.help.as_deref().map(lines),
        fixes: one.fixes.iter().map(|fix| Fix { title: line(&fix.title), ..fix.clone() }).collect(),
        ..one.clone()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_break_with_its_indents_is_one_blank() {
        assert_eq!(super::line("`a\r\n    or b \n\tand c`"), "`a or b and c`");
        assert_eq!(super::line("two  blanks\tstay"), "two  blanks stay");
    }
}
