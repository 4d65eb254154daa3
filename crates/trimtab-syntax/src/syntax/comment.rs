//! Lists the comments of a file. They are not part of the tree.

use pest::Parser;
use trimtab_base::source::{Source, Span, starting_at};

use super::grammar::{Grammar, Pair, Rule};
use super::tree::Comment;

/// All comments of a source in order. A `#` inside a text does not start a comment.
pub(super) fn comments(source: &Source) -> Vec<Comment> {
    let pairs = Grammar::parse(Rule::comments, source.text()).ok().into_iter().flatten();
    pairs
        .flat_map(Pair::into_inner)
        .filter(|pair| pair.as_rule() == Rule::comment_line)
        .map(|pair| {
            let (line, start) = (pair.as_str().trim_end(), pair.as_span().start());
            let rest = starting_at(line, 1);
            let (doc, text) = rest.strip_prefix(':').map_or((false, rest), |text| (true, text));
            let span = Span::new(source.id(), start, start + line.len());
            Comment { doc, text: text.trim().to_owned(), span }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use trimtab_base::source::SourceId;

    use super::*;

    fn listed(text: &str) -> Vec<(bool, String, String)> {
        let source = Source::new(SourceId(0), "x.trim", text);
        let all = comments(&source);
        all.into_iter().map(|comment| (comment.doc, comment.text, source.slice(comment.span).to_owned())).collect()
    }

    #[test]
    fn comments_are_listed_except_those_in_texts() {
        let text = "# a\nlet x = \"# no\" #: b \r\nprompt p \"\"\"\n# no\n\"\"\"\n# {x ?? \"é\"}\n#";
        let expected =
            [(false, "a", "# a"), (true, "b", "#: b"), (false, "{x ?? \"é\"}", "# {x ?? \"é\"}"), (false, "", "#")];
        let found = listed(text);
        let found: Vec<_> = found.iter().map(|(doc, text, all)| (*doc, text.as_str(), all.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_text_in_an_interpolation_does_not_end_the_outer_text() {
        assert_eq!(listed("do inject \"{x ?? \"# no\"}\" # yes").len(), 1);
    }

    #[test]
    fn an_open_text_ends_with_its_line() {
        assert_eq!(listed("do inject \"# no\n# yes").len(), 1);
    }
}
