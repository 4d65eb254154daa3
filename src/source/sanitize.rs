//! Untrusted text, such as file names and quoted source, made safe to print.

/// Whether a character would move the cursor, change colours or reverse the direction of text.
pub fn is_unsafe(char: char) -> bool {
    let is_bidirectional = ('\u{202a}'..='\u{202e}').contains(&char) || ('\u{2066}'..='\u{2069}').contains(&char);
    char.is_control() || is_bidirectional || ['\u{200e}', '\u{200f}', '\u{61c}', '\u{2028}', '\u{2029}'].contains(&char)
}

/// A text as one line without such characters; a line break with its indentation becomes one space.
pub fn line(text: &str) -> String {
    let sanitized = |char| match char {
        '\r' | '\t' => ' ',
        char if is_unsafe(char) => '\u{fffd}',
        char => char,
    };
    let Some((first, rest)) = text.split_once('\n') else { return text.chars().map(sanitized).collect() };
    let rest = rest.split('\n').map(|line| line.trim_start_matches([' ', '\t']));
    let lines = std::iter::once(first).chain(rest).map(|line| line.trim_end_matches([' ', '\t', '\r']));
    lines.collect::<Vec<_>>().join(" ").chars().map(sanitized).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_break_with_its_indentation_becomes_one_space() {
        assert_eq!(super::line("`a\r\n    or b \n\tand c`"), "`a or b and c`");
        assert_eq!(super::line("two  blanks\tstay"), "two  blanks stay");
    }
}
