//! Braces of broken stretches: which of them are the cause of what goes wrong, and which only follow from it.

use super::build::Builder;
use super::depth;
use super::lexeme::{self, Lexeme, Shape};
use super::tree::{ClauseKind, PolicyItem};
use crate::source::{Span, slice, up_to};

impl Builder<'_> {
    /// Remembers braces that a broken stretch opens and does not close, and those that an open text hides.
    pub(super) fn note_braces(&mut self, span: Span, in_rule: bool) {
        let mut open = 0_usize;
        let stretch = self.mended_span(span);
        let text = self.mended.text();
        let is_last = |one: Lexeme<'_>| lexeme::past_space(text, stretch.start as usize + one.end()) == text.len();
        for one in lexeme::all(slice(text, stretch.range())) {
            match (one.shape, one.text) {
                (Shape::Sign, "{") => open += 1,
                // No brace opens anything in a rule: one that closes is the rule's.
                (Shape::Sign, "}") if !in_rule => open = open.saturating_sub(1),
                // Up to the end of the file: whatever closes something was never reached.
                (Shape::OpenBlock, _) => open += depth::MOST,
                (Shape::OpenText, _) if is_last(one) => open += depth::MOST,
                (Shape::OpenText, text) => {
                    let count = |brace| text.matches(brace).count();
                    open += count('}').saturating_sub(count('{'));
                }
                _ => {}
            }
        }
        let is_open = |one: &Lexeme<'_>| matches!(one.shape, Shape::OpenText | Shape::OpenBlock);
        let texts = lexeme::all(self.slice(span)).filter(is_open).map(|one| span.start as usize + one.start);
        let texts: Vec<usize> = texts.collect();
        self.open_texts.extend(texts);
        self.swallowed += open;
    }

    /// The brace that ends a rule before its `do`, when the rest of the rule and a second brace follow.
    pub(super) fn early_brace(&self, before: Option<&PolicyItem>, stretch: Span) -> Option<Span> {
        let Some(PolicyItem::Rule(rule)) = before else { return None };
        let between = slice(self.text, rule.span.end as usize..stretch.start as usize);
        let has_do = rule.clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::Do(_)));
        let words = || lexeme::all(self.slice(stretch)).map(|one| one.text);
        let goes_on =
            words().any(|word| word == "do") && !words().any(|word| word == "{") && words().last() == Some("}");
        let end = rule.span.end as usize;
        let is_early = !has_do && goes_on && between.trim().is_empty() && up_to(self.text, end).ends_with('}');
        is_early.then(|| self.at(end - 1, end))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::said;

    #[test]
    fn a_stray_brace_is_said_once_and_nothing_that_follows_from_it() {
        let cases = [
            ("when a > } 80% do x }", "3 E107 this `}` ends the rule too early"),
            ("when a > 3 } do x }", "3 E107 this `}` ends the rule too early"),
            ("when a > 3\n    }\n    do x\n  }", "4 E107 this `}` ends the rule too early"),
            ("when a { > 3 do x }", "3 E101 expected a clause, `and`, `or` or a comparison, found `{`"),
            ("do x } }", "3 E107 `}` closes nothing"),
        ];
        for (body, expected) in cases {
            let text = format!(
                "policy p {{\n  rule b {{ do x }}\n  rule a {{ {body}\n  rule z {{ do z }}\n}}\nlet last = 5\n"
            );
            assert_eq!(said(&text), [expected], "{text}");
        }
    }

    #[test]
    fn a_rule_without_its_head_is_not_joined_to_one_that_is_whole() {
        let text = "policy p {\n  rule a { do x }\n    when b\n    do x\n  }\n  rule z { do z }\n}\n";
        assert_eq!(said(text), ["3 E110 `when` stands outside a rule"]);
    }

    #[test]
    fn a_text_that_is_not_closed_is_all_that_is_said() {
        for quote in ["\"", "\"\"\""] {
            for rest in ["", "\n", "\n# nothing more\n"] {
                let text = format!("policy p {{\n  rule b {{ do x }}\n  rule a {{ when c do x {quote}text{rest}");
                let found = said(&text);
                assert!(found.len() == 1 && found[0].starts_with("3 E102"), "{text}\n{found:?}");
            }
        }
        let text = "policy p {\n  rule a { do x \"text\n  rule b { do x\n}\n";
        assert_eq!(said(text), ["2 E102 this text is not closed", "3 E103 this rule is not closed"]);
        let text = "policy p {\n  rule a {\n    do x \"\"\"text\n    when it is > {\n  }\n  rule b { do }\n}\n";
        assert_eq!(said(text), ["3 E102 this block of text is not closed"]);
    }
}
