//! Comments of a YAML text.

use crate::source::{Source, Span};
use crate::syntax::tree::Comment;

/// All comments in order: from a `#` at the start of a line or after white space, outside of quotes, to the end of the line.
pub(super) fn all(source: &Source) -> Vec<Comment> {
    let (mut start, mut comments) = (0, Vec::new());
    for line in source.text().split_inclusive('\n') {
        let text = line.trim_end();
        if let Some(at) = hash(text) {
            let span = Span::new(source.id(), start + at, start + text.len());
            let content = text.get(at..).unwrap_or_default().trim_start_matches('#').trim();
            comments.push(Comment { doc: false, text: content.to_owned(), span });
        }
        start += line.len();
    }
    comments
}

/// Where the comment of a line begins.
fn hash(line: &str) -> Option<usize> {
    let (mut quote, mut before) = (None, ' ');
    for (at, char) in line.char_indices() {
        let starts = before.is_whitespace() || matches!(before, '[' | '{' | ',' | ':');
        match (char, quote) {
            ('#', None) if before.is_whitespace() => return Some(at),
            ('"' | '\'', None) if starts => quote = Some(char),
            (char, Some(open)) if char == open && before != '\\' => quote = None,
            _ => {}
        }
        before = char;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    #[test]
    fn comments_are_found_outside_of_quotes_only() {
        let text = "# one\na: 'x # y' # two\nb: \"\\\" # z\"\n  #three\nc: d#e\nf: [\"g\", h] # it's four\n";
        let source = Source::new(SourceId::default(), "p.yaml", text);
        let comments: Vec<String> = all(&source).into_iter().map(|comment| comment.text).collect();
        assert_eq!(comments, ["one", "two", "three", "it's four"]);
    }
}
