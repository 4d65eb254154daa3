//! What would change in a text, as a unified diff.

use similar::TextDiff;

use super::TerminalStyle;

/// The changed lines with three lines around them; empty when nothing changes.
pub fn unified_diff(name: &str, before: &str, after: &str, style: TerminalStyle) -> String {
    let diff = TextDiff::from_lines(before, after);
    let text = diff.unified_diff().context_radius(3).header(name, name).to_string();
    if style.color { text.split_inclusive('\n').map(|line| painted(line, style)).collect() } else { text }
}

fn painted(line: &str, style: TerminalStyle) -> String {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    let text = match text.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => style.strong(text),
        [b'+', ..] => style.good(text),
        [b'-', ..] => style.bad(text),
        [b'@', ..] => style.faint(text),
        _ => text.to_owned(),
    };
    text + end
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: TerminalStyle = TerminalStyle { width: 80, color: false, unicode: true };

    #[test]
    fn changed_lines_stand_between_those_around_them() {
        let expected = "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
        assert_eq!(unified_diff("x", "a\nb\nc\n", "a\nB\nc\n", PLAIN), expected);
        assert_eq!(unified_diff("x", "a\n", "a\n", PLAIN), "");
        assert!(unified_diff("x", "a", "a\n", PLAIN).contains("No newline at end of file"));
    }

    #[test]
    fn colour_changes_no_word() {
        let colored = unified_diff("x", "a\nb\n", "a\n--- c\n", TerminalStyle { color: true, ..PLAIN });
        let plain = unified_diff("x", "a\nb\n", "a\n--- c\n", PLAIN);
        let mut bare = colored;
        for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m"] {
            bare = bare.replace(code, "");
        }
        assert_eq!(bare, plain);
    }
}
