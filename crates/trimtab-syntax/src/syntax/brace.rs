//! Braces in regions that could not be parsed: which are errors, and which only follow from another error.

use trimtab_base::source::{Span, slice, up_to};

use super::build::Builder;
use super::keyword::Keyword;
use super::token::{self, MAX_NESTING, Token, TokenKind};
use super::tree::{ClauseKind, PolicyItem};

impl Builder<'_> {
    /// Counts the braces that a broken region opens but does not close, and those inside unclosed texts.
    pub(super) fn count_unclosed_braces(&mut self, span: Span, in_rule: bool) {
        let mut open = 0_usize;
        let region = self.patched_span(span);
        let text = self.patched.text();
        let is_last = |token: Token<'_>| token::skip_space(text, region.start as usize + token.end()) == text.len();
        for token in token::all(slice(text, region.range())) {
            match (token.kind, token.text) {
                (TokenKind::Symbol, "{") => open += 1,
                // Clauses have no braces, so a closing brace in a rule is that of the rule.
                (TokenKind::Symbol, "}") if !in_rule => open = open.saturating_sub(1),
                // The rest of the file is inside the text, including all closing braces.
                (TokenKind::OpenBlock, _) => open += MAX_NESTING,
                (TokenKind::OpenText, _) if is_last(token) => open += MAX_NESTING,
                (TokenKind::OpenText, text) => {
                    let count = |brace| text.matches(brace).count();
                    open += count('}').saturating_sub(count('{'));
                }
                _ => {}
            }
        }
        let is_open = |token: &Token<'_>| matches!(token.kind, TokenKind::OpenText | TokenKind::OpenBlock);
        let strings = token::all(self.slice(span)).filter(is_open).map(|token| span.start as usize + token.start);
        let strings: Vec<usize> = strings.collect();
        self.open_texts.extend(strings);
        self.unclosed_braces += open;
    }

    /// The brace that ends a rule before its `do`, if the rest of the rule and a second brace follow.
    pub(super) fn early_brace(&self, before: Option<&PolicyItem>, region: Span) -> Option<Span> {
        let Some(PolicyItem::Rule(rule)) = before else { return None };
        let between = slice(self.text, rule.span.end as usize..region.start as usize);
        let has_do = rule.clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::Do(_)));
        let words = || token::all(self.slice(region)).map(|token| token.text);
        let goes_on = words().any(|word| word == Keyword::Do.text())
            && !words().any(|word| word == "{")
            && words().last() == Some("}");
        let end = rule.span.end as usize;
        let is_early = !has_do && goes_on && between.trim().is_empty() && up_to(self.text, end).ends_with('}');
        is_early.then(|| self.at(end - 1, end))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::messages;

    #[test]
    fn an_unmatched_brace_is_reported_once_without_follow_up_errors() {
        let cases = [
            ("when a > } 80% do x }", "3 E107 this `}` ends the rule too early"),
            ("when a > 3 } do x }", "3 E107 this `}` ends the rule too early"),
            ("when a > 3\n    }\n    do x\n  }", "4 E107 this `}` ends the rule too early"),
            ("when a { > 3 do x }", "3 E101 expected a clause, `and`, `or` or a comparison, found `{`"),
            ("do x } }", "3 E107 unmatched `}`"),
        ];
        for (body, expected) in cases {
            let text = format!(
                "policy p {{\n  rule b {{ do x }}\n  rule a {{ {body}\n  rule z {{ do z }}\n}}\nlet last = 5\n"
            );
            assert_eq!(messages(&text), [expected], "{text}");
        }
    }

    #[test]
    fn clauses_without_a_rule_are_not_joined_to_a_complete_rule() {
        let text = "policy p {\n  rule a { do x }\n    when b\n    do x\n  }\n  rule z { do z }\n}\n";
        assert_eq!(messages(text), ["3 E110 `when` outside a rule"]);
    }

    #[test]
    fn an_unclosed_text_is_the_only_error() {
        for quote in ["\"", "\"\"\""] {
            for rest in ["", "\n", "\n# nothing more\n"] {
                let text = format!("policy p {{\n  rule b {{ do x }}\n  rule a {{ when c do x {quote}text{rest}");
                let found = messages(&text);
                assert!(found.len() == 1 && found[0].starts_with("3 E102"), "{text}\n{found:?}");
            }
        }
        let text = "policy p {\n  rule a { do x \"text\n  rule b { do x\n}\n";
        assert_eq!(messages(text), ["2 E102 this text is not closed", "3 E103 this rule is not closed"]);
        let text = "policy p {\n  rule a {\n    do x \"\"\"text\n    when it is > {\n  }\n  rule b { do }\n}\n";
        assert_eq!(messages(text), ["3 E102 this block of text is not closed"]);
    }
}
