//! Comments of a YAML text.

use std::ops::Range;

use serde_yaml::granit_parser::{Event, Parser};
use trimtab_base::source::{Source, Span};

use crate::syntax::tree::Comment;

/// All comments in order: from a `#` at the start of a line or after white space, outside of scalars, to the end of the
/// line. What follows a syntax error is searched as if it had no scalars.
pub(super) fn all(source: &Source) -> Vec<Comment> {
    let text = source.text();
    let mut scalars = scalars(text).into_iter().peekable();
    let (mut comments, mut at) = (Vec::new(), 0);
    while let Some(next) = text.get(at..).and_then(|rest| rest.find('#')) {
        let start = at + next;
        while scalars.next_if(|scalar| scalar.end <= start).is_some() {}
        if let Some(scalar) = scalars.next_if(|scalar| scalar.contains(&start)) {
            at = scalar.end;
            continue;
        }
        at = start + 1;
        let follows_space =
            text.get(..start).is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        if follows_space {
            let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim_end();
            let span = Span::new(source.id(), start, start + line.len());
            let content = line.trim_start_matches('#').trim();
            comments.push(Comment { doc: false, text: content.to_owned(), span });
            at = start + line.len();
        }
    }
    comments
}

/// Where scalars are, in order.
fn scalars(text: &str) -> Vec<Range<usize>> {
    let mut scalars = Vec::new();
    for next in Parser::new_from_str(text) {
        let Ok((event, span)) = next else { break };
        if let (Event::Scalar(..), Some(range)) = (event, span.byte_range()) {
            scalars.extend(content(text, range));
        }
    }
    scalars
}

/// The part of a scalar's range that can contain a `#`: of a block scalar, the lines after its header, which may end with
/// a comment, and before comments that follow it.
fn content(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let written = text.get(range.clone())?;
    if !written.starts_with(['|', '>']) {
        return Some(range);
    }
    let header = written.find('\n')? + 1;
    Some(range.start + header..range.end)
}

#[cfg(test)]
mod tests {
    use trimtab_base::source::SourceId;

    use super::*;

    fn comments(text: &str) -> Vec<String> {
        let source = Source::new(SourceId::default(), "p.yaml", text);
        let all = all(&source);
        assert!(all.iter().all(|comment| source.slice(comment.span).starts_with('#')));
        all.into_iter().map(|comment| comment.text).collect()
    }

    #[test]
    fn comments_are_found_outside_of_quotes_only() {
        let text = "# one\na: 'x # y' # two\nb: \"\\\" # z\"\n  #three\nc: d#e\nf: [\"g\", h] # it's four\n";
        assert_eq!(comments(text), ["one", "two", "three", "it's four"]);
        assert_eq!(comments("'a # b': c # one\n? \"d # e\"\n: f # two\n"), ["one", "two"]);
        assert_eq!(
            comments("a: 'it''s # x' # one\nb: c'd # two 'e\nf: &x # three\n  'g'\n"),
            ["one", "two 'e", "three"]
        );
    }

    #[test]
    fn a_scalar_over_several_lines_contains_no_comments() {
        assert_eq!(comments("a: \"x\n  # y\n  z\" # one\nb: 'x\n\n  # y' # two\n"), ["one", "two"]);
        assert_eq!(comments("a: | # header\n  x\n  # y\n\n  # z\n# one\nb: 1 # two\n"), ["header", "one", "two"]);
        assert_eq!(comments("a:\n  - >-\n    x # y\n    # z\n  # one\n  - b # two\n"), ["one", "two"]);
        assert_eq!(comments("a: |2\n   x\n  # y\n # one\nb: |+\n  # z\n\n# two\n"), ["one", "two"]);
        assert_eq!(comments("a: x\n  y # one\nb: |\n  # last"), ["one"]);
        assert_eq!(comments("a: |\n\n# one\nb: 1\n"), ["one"]);
    }

    #[test]
    fn comments_after_a_syntax_error_are_found() {
        assert_eq!(comments("a: 'x # y' # one\nb: [\n# two\n"), ["one", "two"]);
    }

    #[test]
    fn carriage_returns_are_not_part_of_comments() {
        assert_eq!(comments("a: 1 # one\r\n# two\r\n"), ["one", "two"]);
    }
}
