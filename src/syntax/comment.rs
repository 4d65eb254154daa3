//! The comments of a file, listed apart from the tree.
//!
//! In: a source text. Out: its comments in order; it does not know which item a comment documents.

use pest::Parser;

use super::parse::{Grammar, Pair, Rule};
use super::tree::Comment;
use crate::source::{Source, Span, starting_at};

/// Lists all comments of a text in order; a `#` in a text is no comment.
pub(super) fn comments(source: &Source) -> Vec<Comment> {
    let pairs = Grammar::parse(Rule::comments, source.text()).ok().into_iter().flatten();
    pairs
        .flat_map(Pair::into_inner)
        .filter(|pair| pair.as_rule() == Rule::comment_line)
        .map(|pair| {
            let (line, start) = (pair.as_str().trim_end(), pair.as_span().start());
            let behind = starting_at(line, 1);
            let (doc, text) = behind.strip_prefix(':').map_or((false, behind), |text| (true, text));
            let span = Span::new(source.id(), start, start + line.len());
            Comment { doc, text: text.trim().to_owned(), span }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn listed(text: &str) -> Vec<(bool, String, String)> {
        let source = Source::new(SourceId(0), "x.trim", text);
        let all = comments(&source);
        all.into_iter().map(|one| (one.doc, one.text, source.slice(one.span).to_owned())).collect()
    }

    #[test]
    fn comments_are_found_and_those_in_texts_are_not() {
        let text = "# a\nlet x = \"# no\" #: b \r\nprompt p \"\"\"\n# no\n\"\"\"\n# {x ?? \"é\"}\n#";
        let expected =
            [(false, "a", "# a"), (true, "b", "#: b"), (false, "{x ?? \"é\"}", "# {x ?? \"é\"}"), (false, "", "#")];
        let found = listed(text);
        let found: Vec<_> = found.iter().map(|(doc, text, all)| (*doc, text.as_str(), all.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_text_in_a_hole_does_not_end_the_text_around_it() {
        assert_eq!(listed("do inject \"{x ?? \"# no\"}\" # yes").len(), 1);
    }

    #[test]
    fn an_open_text_ends_with_its_line() {
        assert_eq!(listed("do inject \"# no\n# yes").len(), 1);
    }
}
