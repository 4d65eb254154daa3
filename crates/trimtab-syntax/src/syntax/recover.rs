//! Regions of text that the grammar could only skip: each becomes a broken node and one diagnostic.
//!
//! The grammar skips to the next keyword that can start something. Each skipped region is parsed again with the rule for
//! what it should have been, only to find where parsing fails and what was expected there. Names that the region would
//! have defined are kept.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use smol_str::SmolStr;
use trimtab_base::diagnostic::{Diagnostic, TextEdit};
use trimtab_base::source::{Span, Spanned, line_start, slice, starting_at, up_to};

use super::build::{Builder, span_of};
use super::error;
use super::expected::Context;
use super::failure::{Diagnosis, Failure};
use super::grammar::{Grammar, Pair, Rule};
use super::keyword::{Keyword, Position};
use super::suggestion;
use super::token::{self, Token, TokenKind};
use super::tree::{Broken, Clause, ClauseKind, Item, Name, PolicyItem, Term, TermKind};

impl Builder<'_> {
    /// The span of a node without trailing white space.
    pub(super) fn trimmed(&self, pair: &Pair<'_>) -> Span {
        self.trim(self.span(pair))
    }

    /// Whether a broken region continues what is before it: it is on the same line, or begins with an operator.
    pub(super) fn continues(&self, before: Span, region: Span) -> bool {
        let between = slice(self.text, before.end as usize..region.start as usize);
        let Some(first) = token::next(self.text, region.start as usize) else {
            return false;
        };
        let position = Keyword::from_text(first.text).map(Keyword::position);
        let starts = matches!(position, Some(Position::Clause | Position::Statement));
        let separates = is_separator(first.text) && !self.is_between_digits(first);
        !starts && !separates && (!between.contains('\n') || is_infix(first.text))
    }

    /// Whether a region is a semicolon with another effect after it.
    pub(super) fn lists_effects(&self, region: Span) -> bool {
        let first = token::next(self.text, region.start as usize).filter(|token| token.text == ";");
        let next = first.and_then(|first| token::next(self.text, first.end()));
        next.is_some_and(|next| next.kind == TokenKind::Word && !Keyword::is_reserved(next.text))
    }

    fn is_between_digits(&self, symbol: Token<'_>) -> bool {
        let (before, after) = (up_to(self.text, symbol.start), starting_at(self.text, symbol.end()));
        let is_digit = |char: char| char.is_ascii_digit();
        before.ends_with(is_digit) && after.starts_with(is_digit)
    }

    /// A region of a file that is not an item.
    pub(super) fn broken_item(&mut self, pair: &Pair<'_>, items: &mut Vec<Item>) {
        let mut span = self.trimmed(pair);
        let has_no_braces =
            |item: &Item| matches!(item, Item::Let(_) | Item::Prompt(_) | Item::Use(_) | Item::Edition(_));
        if let Some(before) = items.last().filter(|item| has_no_braces(item)).map(span_of)
            && self.continues(before, span)
        {
            items.pop();
            span = before.to(span);
        }
        self.count_unclosed_braces(span, false);
        self.diagnose(span, Rule::item_alone, Context::File);
        items.extend(self.broken(span).map(Item::Broken));
    }

    /// A region of a policy that is not a rule.
    pub(super) fn broken_rule(&mut self, pair: &Pair<'_>, items: &mut Vec<PolicyItem>) {
        let span = self.trimmed(pair);
        if let Some(brace) = self.early_brace(items.last(), span) {
            self.report_recoverable(error::early_brace(brace));
            items.push(PolicyItem::Broken(Broken { name: None, span }));
            return;
        }
        if self.slice(span) == "}" && self.unclosed_braces > 0 {
            // It closes a brace in a rule that was already reported.
            self.unclosed_braces -= 1;
            return;
        }
        self.count_unclosed_braces(span, false);
        self.diagnose(span, Rule::rule_alone, Context::Policy);
        items.extend(self.broken(span).map(PolicyItem::Broken));
    }

    /// A region of a rule that is not a clause, joined with the clause that it continues.
    pub(super) fn broken_clause(&mut self, before: Option<Span>, region: Span) -> Option<Clause> {
        let span = before.map_or(region, |before| before.to(region));
        self.count_unclosed_braces(span, true);
        self.diagnose(span, Rule::clause_alone, Context::Rule);
        if is_separator(self.slice(region)) {
            return None;
        }
        let first = token::next(self.text, span.start as usize);
        let word = first.map_or(span, |first| self.at(first.start, first.end()));
        Some(Clause { kind: ClauseKind::Broken(Broken { name: None, span }), scope: None, word, span })
    }

    /// A region of a test that is not a statement, joined with the statement that it continues.
    pub(super) fn broken_statement(&mut self, before: Option<Span>, region: Span) {
        let span = before.map_or(region, |before| before.to(region));
        self.count_unclosed_braces(span, false);
        self.diagnose(span, Rule::statement_alone, Context::Test);
    }

    /// The head of a policy or rule that cannot be parsed up to its brace; returns the name, if there is one.
    pub(super) fn broken_head(&mut self, span: Span, entry: Rule, context: Context) -> Option<Name> {
        self.diagnose(span, entry, context);
        self.names(span).next()
    }

    /// Reports a word in a statement that is a misspelt keyword of the next statement.
    pub(super) fn check_statement_word(&mut self, term: &Term) {
        let TermKind::Word(word) = &term.kind else { return };
        let (start, end) = (term.span.start as usize, term.span.end as usize);
        let line = line_start(self.text, start);
        // Not in an interpolation, which has no statements.
        if self.base.is_none()
            && slice(self.text, line..start).trim().is_empty()
            && let Some(keyword) = suggestion::keyword(word, Keyword::at(Position::Statement))
            && suggestion::can_precede(keyword, token::next(self.text, end))
        {
            self.report_recoverable(error::misspelt(term.span, word, keyword, Context::Test.noun()));
        }
    }

    /// A broken node for each name that a region would have defined; at least one.
    fn broken(&self, span: Span) -> impl Iterator<Item = Broken> {
        let mut names = self.names(span);
        let first = Broken { name: names.next(), span };
        let rest: Vec<Broken> = names.map(|name| Broken { span: name.span, name: Some(name) }).collect();
        std::iter::once(first).chain(rest)
    }

    /// The names after the defining keywords of a region.
    fn names(&self, span: Span) -> impl Iterator<Item = Name> {
        let mut keyword = None;
        token::all(self.slice(span)).filter_map(move |token| {
            let defines = keyword.is_some_and(Keyword::defines_name) && token.kind == TokenKind::Word;
            keyword = Keyword::from_text(token.text);
            let start = span.start as usize + token.start;
            let name_span = Span::new(span.source, start, start + token.text.len());
            defines.then(|| Spanned::new(SmolStr::new(token.text), name_span))
        })
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        slice(self.text, span.range())
    }

    /// The span of a region in the patched text.
    pub(super) fn patched_span(&self, span: Span) -> Span {
        self.at(self.patched.patched_start(span.start as usize), self.patched.patched_end(span.end as usize))
    }

    /// Finds where a region fails to parse, and reports it.
    fn diagnose(&mut self, span: Span, entry: Rule, context: Context) {
        let (text, span) = (self.patched.text(), self.patched_span(span));
        let (offset, mut rules) = match Grammar::parse(entry, slice(text, span.range())) {
            Err(pest::error::Error { variant: ErrorVariant::ParsingError { positives, .. }, location, .. }) => {
                let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = location;
                (at, positives)
            }
            _ => (0, Vec::new()),
        };
        let can_end = rules.contains(&Rule::EOI);
        rules.retain(|rule| *rule != Rule::EOI);
        let failure = Failure { text, span, at: span.start as usize + offset, rules, can_end, context };
        let Diagnosis { diagnostic, is_recoverable } = failure.diagnosis();
        let diagnostic = self.to_original(diagnostic);
        if is_recoverable { self.report_recoverable(diagnostic) } else { self.diagnostics.push(diagnostic) }
    }

    /// Reports an error whose first fix is applied before the text is parsed again, if it touches no earlier patch.
    pub(super) fn report_recoverable(&mut self, diagnostic: Diagnostic) {
        if self.patched.accepts(first_fix(&diagnostic)) {
            self.recoverable.push(diagnostic);
        } else {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Maps the spans of a diagnostic from the patched text to the author's text.
    fn to_original(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let edits = diagnostic.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        let labels = diagnostic.labels.iter_mut().map(|label| &mut label.span);
        for span in edits.chain(labels).chain([&mut diagnostic.primary.span]) {
            *span = self.place(span.start as usize, span.end as usize);
        }
        diagnostic
    }
}

/// The edits of the first fix of a diagnostic.
pub(super) fn first_fix(diagnostic: &Diagnostic) -> &[TextEdit] {
    diagnostic.fixes.first().map_or(&[], |fix| &fix.edits)
}

/// Whether a region is only a separator or a comment of another language, so that what is before it stays valid.
fn is_separator(text: &str) -> bool {
    matches!(text, ";" | ",") || text.starts_with("//")
}

/// Whether a symbol at the start of a line can only continue an expression.
fn is_infix(symbol: &str) -> bool {
    symbol.starts_with(['=', '&', '|', '<', '>', '?', '+', '*', '≥', '≤', '≠'])
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{messages, parsed};
    use super::*;

    /// The errors in the body of a rule, which starts on line 3 of a policy and is followed by a valid rule.
    fn in_rule(body: &str) -> Vec<String> {
        let text =
            format!("policy p {{\n  rule a {{\n{body}\n  }}\n  rule z {{ do notify \"z\" }}\n}}\nlet last = 5\n");
        let (_, file, _) = parsed(&text);
        assert_eq!(file.items.len(), 2, "{file:#?}");
        let Some(Item::Policy(policy)) = file.items.first() else { unreachable!("a policy") };
        assert!(matches!(policy.items.as_slice(), [PolicyItem::Rule(_), PolicyItem::Rule(_)]), "{policy:#?}");
        messages(&text)
    }

    #[test]
    fn an_error_in_a_clause_is_reported_once_and_affects_no_other_clause() {
        let cases = [
            ("when a = 3\n do x", "3 E112 unexpected `=`"),
            ("when a > 1 && b\n do x", "3 E112 unexpected `&&`"),
            ("when a > 1 || b\n do x", "3 E112 unexpected `||`"),
            ("when !a\n do x", "3 E112 unexpected `!`"),
            ("when a ≥ 1\n do x", "3 E112 unexpected `≥`"),
            ("when a + 1 > 2\n do x", "3 E112 unexpected `+`"),
            ("when: a\n do x", "3 E112 unexpected `:`"),
            ("when a;\n do x", "3 E112 unexpected `;`"),
            ("when a // no\n do x", "3 E112 unexpected `//`"),
            ("if a\n do x", "3 E101 expected a clause, found `if`"),
            ("do x\n whn a > 3", "4 E101 expected a clause, found `whn`"),
            ("when\n do x", "4 E101 expected a value, found `do`"),
            ("when a >\n do x", "4 E101 expected a value, found `do`"),
            ("when (a > 3 do x", "3 E101 expected `and`, `or`, a comparison or `)`, found `do`"),
            ("when f(a: ) do x", "3 E101 expected a value, found `)`"),
            ("do x) once", "3 E107 unmatched `)`"),
            ("do", "4 E101 expected the name of an effect, found `}`"),
            ("on 5 do x", "3 E101 expected the name of a phase, found `5`"),
            ("do x only [a b]", "3 E101 expected `,` or `]`, found `b`"),
            ("do x \"open\n once", "3 E102 this text is not closed"),
            ("do x \"do not when\n once", "3 E102 this text is not closed"),
            ("do x 'a'", "3 E112 texts are written in double quotes"),
            ("do x “a”", "3 E112 texts are written in double quotes"),
            ("every -5 iterations", "3 E106 `-5` is negative"),
            ("do x \"\\q\"", "3 E105 unknown escape sequence `\\q`"),
            ("do x \"{a b}\"", "3 E111 `{a b}` is not an interpolation"),
            ("do x \"{a\"", "3 E111 this interpolation is not closed"),
            ("do x \"a}\"", "3 E111 unmatched `}` in a text"),
        ];
        for (body, expected) in cases {
            assert_eq!(in_rule(body), [expected], "{body}");
        }
    }

    #[test]
    fn each_error_in_a_rule_is_reported() {
        let found = in_rule("when >= 3\n do\n every\n cooldown 5 x 5\n limit 3");
        let lines: Vec<&str> = found.iter().map(|finding| finding.get(..6).expect("a line and a code")).collect();
        assert_eq!(lines, ["3 E101", "5 E101", "6 E101", "6 E101"]);
    }

    #[test]
    fn a_missing_brace_is_reported_once_at_its_block() {
        let good = "rule z { do notify \"z\" }";
        let cases = [
            (
                format!("policy p {{\n  rule a {{\n    do x\n  {good}\n}}\nlet l = 5"),
                "2 E103 this rule is not closed",
                2,
            ),
            (
                format!("policy p {{\n  {good}\n  rule a {{\n    do x\n}}\nlet l = 5"),
                "3 E103 this rule is not closed",
                2,
            ),
            (
                format!("policy p {{\n  {good}\n\nlet l = 5\n\ntest \"t\" {{ expect x }}"),
                "1 E103 this policy is not closed",
                3,
            ),
            (format!("policy p {{\n  {good}\n"), "1 E103 this policy is not closed", 1),
            ("test \"t\" {\n  expect x\nlet l = 5".to_owned(), "1 E103 this test is not closed", 2),
            ("agent {\n  model \"m\"\nlet l = 5".to_owned(), "1 E103 this agent block is not closed", 2),
            (format!("policy p\n  {good}\n}}\nlet l = 5"), "1 E104 this policy has no opening brace", 2),
            (
                format!("policy p {{\n  rule a\n    do x\n  }}\n  {good}\n}}"),
                "2 E104 this rule has no opening brace",
                1,
            ),
            (
                format!("policy p {{\n  rule a {{ do x \"open }}\n  {good}\n}}\nlet l = 5"),
                "2 E102 this text is not closed",
                2,
            ),
            (
                format!("policy p {{\n  rule a {{{{{{\n    do x\n  }}\n  {good}\n}}\nlet l = 5"),
                "2 E101 expected a clause, found `{`",
                2,
            ),
        ];
        for (text, expected, items) in cases {
            assert_eq!(messages(&text), [expected], "{text}");
            assert_eq!(parsed(&text).1.items.len(), items, "{text}");
        }
    }

    #[test]
    fn a_broken_item_does_not_affect_the_next() {
        let cases = [
            ("let = 5", "1 E101 expected a name, found `=`"),
            ("let x 5", "1 E101 expected `=`, found `5`"),
            ("let x =", "2 E101 expected a value, found `let`"),
            ("let x = 5;", "1 E112 unexpected `;`"),
            ("use foo", "1 E101 expected a text, found `foo`"),
            ("edition soon", "1 E101 expected a number, found `soon`"),
            ("edition 20.5", "1 E106 `20.5` is not an edition"),
            ("test foo {\n  expect x\n}", "1 E101 expected a text, found `foo`"),
            ("polcy p {\n  rule a { do x }\n}", "1 E101 expected an item, found `polcy`"),
            ("rule a {\n  do x\n}", "1 E110 `rule` outside a policy"),
            ("when a\ndo x", "1 E110 `when` outside a rule"),
            ("}", "1 E107 unmatched `}`"),
            ("policy p { rule a { do x } }\n}", "2 E107 unmatched `}`"),
            ("policy p { rule a { do x } } }", "1 E107 unmatched `}`"),
            ("policy p {\n rule a { do x } }\n rule b { do x }\n}", "2 E107 unmatched `}`"),
            (
                "policy p {\n  rule a {\n    on b }\n    when c\n    do x\n  }\n  rule d { do x }\n}",
                "3 E107 this `}` ends the rule too early",
            ),
            ("policy p {\n  let x = 5\n  rule a { do x }\n}", "2 E110 `let` inside a block"),
            ("policy p {\n  when a\n  do x\n  rule a { do x }\n}", "2 E110 `when` outside a rule"),
            ("policy p {\n  a {\n    do x\n  }\n  rule b { do x }\n}", "2 E101 expected a rule, found `a`"),
            ("policy p {\n  rule a { whn x }\n}", "2 E101 expected a clause, found `whn`"),
            ("policy p { rule a { whn x } }", "1 E101 expected a clause, found `whn`"),
            ("policy p {\n  disable a\n  rule b { do x }\n}", "2 E101 expected `rule`, found `a`"),
            ("policy p extends {\n  rule b { do x }\n}", "1 E101 expected a name, found `{`"),
            ("prompt p \"\"\"\nabc", "1 E102 this block of text is not closed"),
            ("%%%\n$$", "1 E101 expected an item, found `%`"),
        ];
        for (text, expected) in cases {
            let text = format!("{text}\nlet last = 5\n");
            assert_eq!(messages(&text), [expected], "{text}");
            let (_, file, _) = parsed(&text);
            assert!(matches!(file.items.last(), Some(Item::Let(_))), "{text}\n{file:#?}");
        }
    }

    #[test]
    fn names_in_broken_regions_are_kept() {
        let text = "blick p {\n  rule a { do x }\n  rule b { do x }\n}\nlet x 5\nprompt y\n";
        let (_, file, _) = parsed(text);
        let names: Vec<String> = file
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Broken(broken) => broken.name.as_ref().map(|name| name.node.to_string()),
                _ => None,
            })
            .collect();
        assert_eq!(names, ["a", "b", "x", "y"]);
    }

    #[test]
    fn a_policy_with_a_broken_head_keeps_its_name_and_rules() {
        let (_, file, found) = parsed("policy coder 'title' {\n  rule limit {\n    do x\n  }\n}\n");
        assert_eq!(found.len(), 2);
        let Some(Item::Policy(policy)) = file.items.first() else { unreachable!("a policy: {file:?}") };
        assert_eq!(policy.name.node, "coder");
        assert!(matches!(policy.items.as_slice(), [PolicyItem::Rule(rule)] if rule.name.node == "limit"));
    }

    #[test]
    fn a_broken_statement_does_not_affect_the_others_of_its_test() {
        let text = "test \"t\" {\n  given a 5 )\n  expect x first\n  expect (y)\n  expect z\n}\n";
        let (_, file, found) = parsed(text);
        assert_eq!(found.len(), 2, "{found:#?}");
        let Some(Item::Test(block)) = file.items.first() else { unreachable!("a test: {file:?}") };
        assert_eq!(block.statements.len(), 3);
    }
}
