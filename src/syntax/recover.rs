//! Broken stretches: what stays known of them, and where each goes wrong.
//!
//! In: a stretch that the grammar could only step over. Out: a broken node, and one diagnostic.
//! Each stretch is parsed again with its own rule, only to find the place of the mistake.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use smol_str::SmolStr;

use super::build::{Builder, span_of};
use super::error;
use super::expected::{self, Place};
use super::lexeme::{self, Lexeme, Shape};
use super::parse::{Grammar, Pair, Rule};
use super::slip::Slip;
use super::tree::{Broken, Clause, ClauseKind, Item, Name, PolicyItem};
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Spanned, slice, starting_at, up_to};

impl Builder<'_> {
    /// Where a node stands without the spaces at its end.
    pub(super) fn trimmed(&self, pair: &Pair<'_>) -> Span {
        self.trim(self.span(pair))
    }

    /// Whether a broken stretch goes on with what stands before it: on the same line, or with a sign.
    pub(super) fn continues(&self, before: Span, stretch: Span) -> bool {
        let between = slice(self.text, before.end as usize..stretch.start as usize);
        let Some(first) = lexeme::next(self.text, stretch.start as usize) else {
            return false;
        };
        let starts = expected::CLAUSES.contains(&first.text) || expected::STATEMENTS.contains(&first.text);
        let separates = is_separator(first.text) && !self.is_between_digits(first);
        !starts && !separates && (!between.contains('\n') || goes_on(first.text))
    }

    /// Whether a stretch is a semicolon with another effect behind it.
    pub(super) fn lists_effects(&self, stretch: Span) -> bool {
        let first = lexeme::next(self.text, stretch.start as usize).filter(|one| one.text == ";");
        let next = first.and_then(|first| lexeme::next(self.text, first.end()));
        next.is_some_and(|next| next.shape == Shape::Word && !expected::is_reserved(next.text))
    }

    fn is_between_digits(&self, sign: Lexeme<'_>) -> bool {
        let (before, behind) = (up_to(self.text, sign.start), starting_at(self.text, sign.end()));
        let is_digit = |sign: char| sign.is_ascii_digit();
        before.ends_with(is_digit) && behind.starts_with(is_digit)
    }

    /// A stretch of a file that is no item.
    pub(super) fn broken_item(&mut self, pair: &Pair<'_>, items: &mut Vec<Item>) {
        let mut span = self.trimmed(pair);
        let open = |item: &Item| matches!(item, Item::Let(_) | Item::Prompt(_) | Item::Use(_) | Item::Edition(_));
        if let Some(before) = items.last().filter(|item| open(item)).map(span_of)
            && self.continues(before, span)
        {
            items.pop();
            span = before.to(span);
        }
        self.note_braces(span, false);
        self.explain(span, Rule::item_alone, Place::File);
        items.extend(self.broken(span).map(Item::Broken));
    }

    /// A stretch of a policy that is no rule.
    pub(super) fn broken_rule(&mut self, pair: &Pair<'_>, items: &mut Vec<PolicyItem>) {
        let span = self.trimmed(pair);
        if let Some(brace) = self.early_brace(items.last(), span) {
            self.slip(Slip { finding: error::early(brace) });
            items.push(PolicyItem::Broken(Broken { name: None, span }));
            return;
        }
        if self.slice(span) == "}" && self.swallowed > 0 {
            // It closes a brace in a rule that was reported.
            self.swallowed -= 1;
            return;
        }
        self.note_braces(span, false);
        self.explain(span, Rule::rule_alone, Place::Policy);
        items.extend(self.broken(span).map(PolicyItem::Broken));
    }

    /// A stretch of a rule that is no clause, joined to the clause that it goes on with.
    pub(super) fn broken_clause(&mut self, before: Option<Span>, stretch: Span) -> Option<Clause> {
        let span = before.map_or(stretch, |before| before.to(stretch));
        self.note_braces(span, true);
        self.explain(span, Rule::clause_alone, Place::Rule);
        if is_separator(self.slice(stretch)) {
            return None;
        }
        let first = lexeme::next(self.text, span.start as usize);
        let word = first.map_or(span, |first| self.at(first.start, first.end()));
        Some(Clause { kind: ClauseKind::Broken(Broken { name: None, span }), word, span })
    }

    /// A stretch of a test that is no statement, joined to the statement that it goes on with.
    pub(super) fn broken_statement(&mut self, before: Option<Span>, stretch: Span) {
        let span = before.map_or(stretch, |before| before.to(stretch));
        self.note_braces(span, false);
        self.explain(span, Rule::statement_alone, Place::Test);
    }

    /// The head of a policy or rule that goes wrong before its brace; gives the name, if one can be seen.
    pub(super) fn broken_head(&mut self, span: Span, entry: Rule, place: Place) -> Option<Name> {
        self.explain(span, entry, place);
        self.names(span).next()
    }

    /// A broken node for each name that a stretch would have defined; at least one.
    fn broken(&self, span: Span) -> impl Iterator<Item = Broken> {
        let mut names = self.names(span);
        let first = Broken { name: names.next(), span };
        let rest: Vec<Broken> = names.map(|name| Broken { span: name.span, name: Some(name) }).collect();
        std::iter::once(first).chain(rest)
    }

    /// The names behind the defining words of a stretch.
    fn names(&self, span: Span) -> impl Iterator<Item = Name> {
        let mut word = "";
        lexeme::all(self.slice(span)).filter_map(move |one| {
            let defines = matches!(word, "policy" | "rule" | "let" | "prompt") && one.shape == Shape::Word;
            word = one.text;
            let name = || Spanned::new(SmolStr::new(one.text), at(span, one));
            defines.then(name)
        })
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        slice(self.text, span.range())
    }

    /// Where a stretch stands in the text that pest reads.
    pub(super) fn mended_span(&self, span: Span) -> Span {
        self.at(self.mended.mended_start(span.start as usize), self.mended.mended_end(span.end as usize))
    }

    /// Finds where a stretch goes wrong and says so.
    fn explain(&mut self, span: Span, entry: Rule, place: Place) {
        let (text, span) = (self.mended.text(), self.mended_span(span));
        let (offset, mut rules) = match Grammar::parse(entry, slice(text, span.range())) {
            Err(pest::error::Error { variant: ErrorVariant::ParsingError { positives, .. }, location, .. }) => {
                let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = location;
                (at, positives)
            }
            _ => (0, Vec::new()),
        };
        let complete = rules.contains(&Rule::EOI);
        rules.retain(|rule| *rule != Rule::EOI);
        let failure = expected::Failure { text, span, at: span.start as usize + offset, rules, complete, place };
        let (finding, is_slip) = failure.diagnostic();
        let finding = self.original(finding);
        if is_slip { self.slip(Slip { finding }) } else { self.diagnostics.push(finding) }
    }

    /// Notes a mistake that is read as it was meant, where that can be done.
    pub(super) fn slip(&mut self, slip: Slip) {
        if self.mended.takes(slip.edits()) { self.slips.push(slip) } else { self.diagnostics.push(slip.finding) }
    }

    /// A finding in what pest reads as one in the author's text.
    fn original(&self, mut finding: Diagnostic) -> Diagnostic {
        let edits = finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits).map(|edit| &mut edit.span);
        let labels = finding.labels.iter_mut().map(|label| &mut label.span);
        for span in edits.chain(labels).chain([&mut finding.primary.span]) {
            *span = self.place(span.start as usize, span.end as usize);
        }
        finding
    }
}

/// Whether a stretch only separates or comments, as in other languages, and takes nothing from what stands before it.
fn is_separator(text: &str) -> bool {
    matches!(text, ";" | ",") || text.starts_with("//")
}

/// Whether a sign at the start of a line can only go on with what stands before it.
fn goes_on(sign: &str) -> bool {
    sign.starts_with(['=', '&', '|', '<', '>', '?', '+', '*', '≥', '≤', '≠'])
}

/// Where a token of a stretch stands.
fn at(stretch: Span, one: Lexeme<'_>) -> Span {
    let start = stretch.start as usize + one.start;
    Span::new(stretch.source, start, start + one.text.len())
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{parsed, said};
    use super::*;

    /// What is said of the body of a rule that starts on line 3 of a sound policy, with a sound rule behind it.
    fn in_rule(body: &str) -> Vec<String> {
        let text =
            format!("policy p {{\n  rule a {{\n{body}\n  }}\n  rule z {{ do notify \"z\" }}\n}}\nlet last = 5\n");
        let (_, file, _) = parsed(&text);
        assert_eq!(file.items.len(), 2, "{file:#?}");
        let Some(Item::Policy(policy)) = file.items.first() else { unreachable!("a policy") };
        assert!(matches!(policy.items.as_slice(), [PolicyItem::Rule(_), PolicyItem::Rule(_)]), "{policy:#?}");
        said(&text)
    }

    #[test]
    fn a_mistake_in_a_clause_is_said_once_and_leaves_the_others() {
        let cases = [
            ("when a = 3\n do x", "3 E112 `=` means nothing here"),
            ("when a > 1 && b\n do x", "3 E112 `&&` means nothing here"),
            ("when a > 1 || b\n do x", "3 E112 `||` means nothing here"),
            ("when !a\n do x", "3 E112 `!` means nothing here"),
            ("when a ≥ 1\n do x", "3 E112 `≥` means nothing here"),
            ("when a + 1 > 2\n do x", "3 E112 `+` means nothing here"),
            ("when: a\n do x", "3 E112 `:` means nothing here"),
            ("when a;\n do x", "3 E112 `;` means nothing here"),
            ("when a // no\n do x", "3 E112 `//` means nothing here"),
            ("if a\n do x", "3 E101 expected a clause, found `if`"),
            ("do x\n whn a > 3", "4 E101 expected a clause, found `whn`"),
            ("when\n do x", "4 E101 expected a value, found `do`"),
            ("when a >\n do x", "4 E101 expected a value, found `do`"),
            ("when (a > 3 do x", "3 E101 expected `and`, `or`, a comparison or `)`, found `do`"),
            ("when f(a: ) do x", "3 E101 expected a value, found `)`"),
            ("do x) once", "3 E107 `)` closes nothing"),
            ("do", "4 E101 expected the name of an effect, found `}`"),
            ("on 5 do x", "3 E101 expected the name of a phase, found `5`"),
            ("do x only [a b]", "3 E101 expected `,` or `]`, found `b`"),
            ("do x \"open\n once", "3 E102 this text is not closed"),
            ("do x \"do not when\n once", "3 E102 this text is not closed"),
            ("do x 'a'", "3 E112 texts stand in double quotes"),
            ("do x “a”", "3 E112 texts stand in double quotes"),
            ("every -5 iterations", "3 E106 `-5` is negative"),
            ("do x \"\\q\"", "3 E105 `\\q` is no escape"),
            ("do x \"{a b}\"", "3 E111 `{a b}` is no place to fill"),
            ("do x \"{a\"", "3 E111 this place to fill is not closed"),
            ("do x \"a}\"", "3 E111 this `}` closes nothing"),
        ];
        for (body, expected) in cases {
            assert_eq!(in_rule(body), [expected], "{body}");
        }
    }

    #[test]
    fn each_mistake_of_a_rule_is_said() {
        let found = in_rule("when >= 3\n do\n every\n cooldown 5 x 5\n limit 3");
        let lines: Vec<&str> = found.iter().map(|one| one.get(..6).expect("a line and a code")).collect();
        assert_eq!(lines, ["3 E101", "5 E101", "6 E101", "6 E101"]);
    }

    #[test]
    fn a_missing_brace_is_said_once_where_it_was_opened() {
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
            assert_eq!(said(&text), [expected], "{text}");
            assert_eq!(parsed(&text).1.items.len(), items, "{text}");
        }
    }

    #[test]
    fn a_broken_item_leaves_the_next() {
        let cases = [
            ("let = 5", "1 E101 expected a name, found `=`"),
            ("let x 5", "1 E101 expected `=`, found `5`"),
            ("let x =", "2 E101 expected a value, found `let`"),
            ("let x = 5;", "1 E112 `;` means nothing here"),
            ("use foo", "1 E101 expected a text, found `foo`"),
            ("edition soon", "1 E101 expected a number, found `soon`"),
            ("edition 20.5", "1 E106 `20.5` is no edition"),
            ("test foo {\n  expect x\n}", "1 E101 expected a text, found `foo`"),
            ("polcy p {\n  rule a { do x }\n}", "1 E101 expected an item, found `polcy`"),
            ("rule a {\n  do x\n}", "1 E110 `rule` stands outside a policy"),
            ("when a\ndo x", "1 E110 `when` stands outside a rule"),
            ("}", "1 E107 `}` closes nothing"),
            ("policy p { rule a { do x } }\n}", "2 E107 `}` closes nothing"),
            ("policy p { rule a { do x } } }", "1 E107 `}` closes nothing"),
            ("policy p {\n rule a { do x } }\n rule b { do x }\n}", "2 E107 `}` closes nothing"),
            (
                "policy p {\n  rule a {\n    on b }\n    when c\n    do x\n  }\n  rule d { do x }\n}",
                "3 E107 this `}` ends the rule too early",
            ),
            ("policy p {\n  let x = 5\n  rule a { do x }\n}", "2 E110 `let` stands inside a block"),
            ("policy p {\n  when a\n  do x\n  rule a { do x }\n}", "2 E110 `when` stands outside a rule"),
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
            assert_eq!(said(&text), [expected], "{text}");
            let (_, file, _) = parsed(&text);
            assert!(matches!(file.items.last(), Some(Item::Let(_))), "{text}\n{file:#?}");
        }
    }

    #[test]
    fn names_in_broken_stretches_are_known() {
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
    fn a_broken_statement_leaves_the_others_of_its_test() {
        let text = "test \"t\" {\n  given a 5 )\n  expect x first\n  expect (y)\n  expect z\n}\n";
        let (_, file, found) = parsed(text);
        assert_eq!(found.len(), 2, "{found:#?}");
        let Some(Item::Test(block)) = file.items.first() else { unreachable!("a test: {file:?}") };
        assert_eq!(block.statements.len(), 3);
    }

    #[test]
    fn a_good_fix_sets_the_text_right() {
        let cases = [
            ("policy p { rule a { when a && b do x } }", "policy p { rule a { when a and b do x } }"),
            ("policy p { rule a { when a&&b do x } }", "policy p { rule a { when a and b do x } }"),
            ("policy p { rule a { do x 'y' } }", "policy p { rule a { do x \"y\" } }"),
            ("policy p { rule a { whn a do x } }", "policy p { rule a { when a do x } }"),
            ("policy p { a { do x } }", "policy p { rule a { do x } }"),
            ("let x = 5 // five", "let x = 5 # five"),
        ];
        for (wrong, right) in cases {
            let (_, _, found) = parsed(wrong);
            let edits = found.first().and_then(|one| one.fixes.first()).map(|fix| fix.edits.clone());
            let mut text = wrong.to_owned();
            for edit in edits.expect("a fix").iter().rev() {
                text.replace_range(edit.span.range(), &edit.text);
            }
            assert_eq!(text, right);
            assert_eq!(said(&text), Vec::<String>::new());
        }
    }
}
