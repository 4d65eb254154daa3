//! Unified diffs of texts.

use diffy::{DiffOptions, PatchFormatter};

use super::TerminalStyle;

/// The unified diff between two versions of a file, with three lines of context; empty if they are equal.
pub fn unified_diff(name: &str, before: &str, after: &str, style: TerminalStyle) -> String {
    let mut options = DiffOptions::new();
    options.set_context_len(3).set_original_filename(name.to_owned()).set_modified_filename(name.to_owned());
    let patch = options.create_patch(before, after);
    if patch.hunks().is_empty() {
        return String::new();
    }
    let text = PatchFormatter::new().fmt_patch(&patch).to_string();
    if style.color { text.split_inclusive('\n').map(|line| painted(line, style)).collect() } else { text }
}

fn painted(line: &str, style: TerminalStyle) -> String {
    let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
    let text = match text.as_bytes() {
        [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => style.emphasis(text),
        [b'+', ..] => style.success(text),
        [b'-', ..] => style.failure(text),
        [b'@', ..] => style.dim(text),
        _ => text.to_owned(),
    };
    text + end
}

#[cfg(test)]
mod tests {
    use super::super::Encoding;
    use super::*;

    const PLAIN: TerminalStyle = TerminalStyle { width: 80, color: false, unicode: true };

    #[test]
    fn changed_lines_are_shown_with_context() {
        let expected = "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
        assert_eq!(unified_diff("x", "a\nb\nc\n", "a\nB\nc\n", PLAIN), expected);
        assert_eq!(unified_diff("x", "a\n", "a\n", PLAIN), "");
        assert!(unified_diff("x", "a", "a\n", PLAIN).contains("No newline at end of file"));
    }

    #[test]
    fn colour_changes_no_text() {
        let colored = unified_diff("x", "a\nb\n", "a\n--- c\n", TerminalStyle { color: true, ..PLAIN });
        let plain = unified_diff("x", "a\nb\n", "a\n--- c\n", PLAIN);
        let mut bare = Encoding::Text.finish(colored).into_string();
        for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m"] {
            bare = bare.replace(code, "");
        }
        assert_eq!(bare, plain);
    }
}
