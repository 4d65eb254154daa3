//! Text folded to a width, by `textwrap`. Escape sequences take no columns.

use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Options that break at spaces and never inside a word: a word wider than the line has its own line.
fn options<'a>(width: usize) -> Options<'a> {
    Options::new(width)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

/// A text in lines of at most `width` columns.
pub(super) fn fold(text: &str, width: usize) -> Vec<String> {
    fold_after(text, 0, width)
}

/// A text in lines of at most `width` columns, even if words must be broken.
pub(super) fn fold_within(text: &str, width: usize) -> Vec<String> {
    textwrap::wrap(text, options(width).break_words(true)).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// [`fold`] where `taken` columns of the first line are in use.
pub(super) fn fold_after(text: &str, taken: usize, width: usize) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let indent = " ".repeat(taken);
    let lines = textwrap::wrap(&text, options(width).initial_indent(&indent));
    let mut lines: Vec<String> = lines.into_iter().map(std::borrow::Cow::into_owned).collect();
    match lines.first_mut() {
        Some(first) => first.replace_range(..taken.min(first.len()), ""),
        None => lines.push(String::new()),
    }
    lines
}

/// A text whose lines are folded where they are too wide, indented two columns more than the line itself.
pub fn fold_lines(text: &str, width: usize) -> String {
    let fold = |line: &str| {
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        if textwrap::core::display_width(text) <= width {
            return line.to_owned();
        }
        let bare = text.trim_start_matches(' ');
        let indent = " ".repeat(text.len() - bare.len());
        let next = format!("{indent}  ");
        textwrap::wrap(bare, options(width).initial_indent(&indent).subsequent_indent(&next)).join("\n") + end
    };
    text.split_inclusive('\n').map(fold).collect()
}

/// A line of code with an indent, broken between words outside quotes where it is too wide. A comment stays one.
pub(super) fn fold_code(line: &str, indent: usize, width: usize) -> String {
    let bare = line.trim_start_matches(' ');
    let indent = " ".repeat(indent + line.len() - bare.len());
    let next = format!("{indent}{}", if bare.starts_with('#') { "# " } else { "  " });
    let options = options(width).word_separator(WordSeparator::Custom(unquoted_words));
    let lines = textwrap::wrap(bare.trim_end(), options.initial_indent(&indent).subsequent_indent(&next));
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// The words of a line of code; spaces inside quotes separate none.
fn unquoted_words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let (mut quoted, mut escaped) = (false, false);
    Box::new(
        line.split_inclusive(move |char| {
            quoted ^= char == '"' && !escaped;
            escaped = char == '\\' && !escaped;
            char == ' ' && !quoted
        })
        .map(Word::from),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::display_width;

    #[test]
    fn a_word_wider_than_the_line_has_its_own_line() {
        assert_eq!(fold("a unbreakable b", 5), ["a", "unbreakable", "b"]);
        assert_eq!(fold("", 5), [""]);
        assert_eq!(fold_after("one two three", 4, 8), ["one", "two", "three"]);
        assert!(fold("日本 日本", 5).iter().all(|line| display_width(line) == 4));
    }

    #[test]
    fn code_is_wrapped_outside_quotes() {
        assert_eq!(fold_code("do mask \"a b c\" keep 1", 2, 14), "  do mask\n    \"a b c\"\n    keep 1\n");
        assert_eq!(fold_code("  # one two three", 0, 12), "  # one two\n  # three\n");
        assert_eq!(fold_code("", 4, 12), "\n");
    }

    #[test]
    fn lines_that_are_too_wide_are_folded_and_indented() {
        assert_eq!(fold_lines("one two\n  three four five\n", 12), "one two\n  three four\n    five\n");
        assert_eq!(fold_lines("unbreakable it is", 5), "unbreakable\n  it\n  is");
        assert_eq!(fold_lines("\u{1b}[31mred\u{1b}[0m one", 7), "\u{1b}[31mred\u{1b}[0m one");
    }
}
