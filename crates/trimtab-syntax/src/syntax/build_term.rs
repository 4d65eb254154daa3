//! Builds flat sequences of terms: after an effect's name, in lists, in `agent` and in the statements of tests.

use smol_str::SmolStr;
use trimtab_base::source::Span;

use super::build::Builder;
use super::cursor::Cursor;
use super::grammar::{Pair, Rule};
use super::operator::Comparison;
use super::tree::{ExprKind, Term, TermKind};

impl Builder<'_> {
    /// All terms up to the first node that does not begin one.
    pub(super) fn terms(&mut self, cursor: &mut Cursor<'_>) -> Vec<Term> {
        let mut terms = Vec::new();
        while let Some(rule) = cursor.rule() {
            let Some(pair) = begins_term(rule).then(|| cursor.bump()).flatten() else { break };
            let span = self.span(&pair);
            if let Some(kind) = self.term(pair, rule, cursor) {
                let span = end(&kind).map_or(span, |last| span.to(last));
                terms.push(Term { kind, span });
            }
        }
        terms
    }

    /// One term, including the following nodes that belong to it.
    fn term(&mut self, pair: Pair<'_>, rule: Rule, cursor: &mut Cursor<'_>) -> Option<TermKind> {
        Some(match rule {
            Rule::number => return self.number_or_range(&pair, cursor),
            Rule::text | Rule::block => TermKind::Text(self.text(&pair)),
            Rule::list | Rule::numbers => TermKind::List(self.terms(&mut Cursor::inside(pair))),
            Rule::comparison => TermKind::Comparison(Comparison::from_symbol(pair.as_str())?),
            _ if cursor.rule() == Some(Rule::arguments) => TermKind::Call(Box::new(self.fact(&pair, cursor)?)),
            _ => match cursor.take(Rule::pair_value) {
                Some(value) => {
                    let value = self.chain(&mut Cursor::inside(value))?;
                    TermKind::Pair(self.name(&pair), Box::new(value))
                }
                None => TermKind::Word(SmolStr::new(pair.as_str())),
            },
        })
    }

    /// A number, or a range if one follows.
    fn number_or_range(&mut self, pair: &Pair<'_>, cursor: &mut Cursor<'_>) -> Option<TermKind> {
        let number = TermKind::Number(self.number(pair)?);
        let Some(range) = cursor.take(Rule::range) else {
            return Some(number);
        };
        let from = Term { kind: number, span: self.span(pair) };
        let mut rest = Cursor::inside(range);
        let to = self.bound(&mut rest)?;
        let step = if rest.rule().is_some() { Some(Box::new(self.bound(&mut rest)?)) } else { None };
        Some(TermKind::Range(Box::new(from), Box::new(to), step))
    }

    /// One of the numbers of a range.
    fn bound(&mut self, cursor: &mut Cursor<'_>) -> Option<Term> {
        let pair = cursor.take(Rule::number)?;
        let kind = TermKind::Number(self.number(&pair)?);
        Some(Term { kind, span: self.span(&pair) })
    }
}

/// Whether a node of this rule begins a term. The unit after a number in a list is a term of its own.
const fn begins_term(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::word
            | Rule::free_word
            | Rule::list_name
            | Rule::unit
            | Rule::truth
            | Rule::number
            | Rule::text
            | Rule::block
            | Rule::list
            | Rule::numbers
            | Rule::comparison
    )
}

/// The span of the last part of a term that consists of several nodes.
fn end(kind: &TermKind) -> Option<Span> {
    match kind {
        TermKind::Call(call) if matches!(call.kind, ExprKind::Call(..)) => Some(call.span),
        TermKind::Pair(_, value) => Some(value.span),
        TermKind::Range(_, to, step) => Some(step.as_ref().unwrap_or(to).span),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{clauses, messages, parsed};
    use super::super::tree::{ClauseKind, EffectCall, Item, Text, TextPiece};
    use super::*;

    /// The terms in short: words as written, numbers as `N`.
    fn plain(terms: &[Term]) -> String {
        let plain_term = |term: &Term| match &term.kind {
            TermKind::Number(_) => "N".to_owned(),
            TermKind::Word(word) => word.to_string(),
            TermKind::Call(call) => match &call.kind {
                ExprKind::Call(name, arguments) => format!("{}({})", name.node, arguments.len()),
                other => unreachable!("a call: {other:?}"),
            },
            TermKind::Text(text) => format!("{:?}", text.value),
            TermKind::List(terms) => format!("[{}]", plain(terms)),
            TermKind::Pair(name, _) => format!("{}:", name.node),
            TermKind::Range(_, _, step) => format!("N..N{}", if step.is_some() { " by N" } else { "" }),
            TermKind::Comparison(comparison) => comparison.symbol().to_owned(),
        };
        terms.iter().map(plain_term).collect::<Vec<_>>().join(" ")
    }

    fn effects(text: &str) -> Vec<EffectCall> {
        match clauses(&format!("do {text}")).pop().map(|clause| clause.kind) {
            Some(ClauseKind::Do(effects)) => effects,
            other => unreachable!("effects: {other:?}"),
        }
    }

    fn text(written: &str) -> Text {
        match effects(&format!("inject {written}"))
            .pop()
            .and_then(|mut effect| effect.terms.pop())
            .map(|term| term.kind)
        {
            Some(TermKind::Text(text)) => text,
            other => unreachable!("a text: {other:?}"),
        }
    }

    #[test]
    fn an_effect_is_a_name_and_terms() {
        let cases = [
            ("mask results keep 10 messages down_to 50%", "results keep N messages down_to N"),
            ("set limit_x call.name", "limit_x call.name"),
            ("emit a [x, y.z, n: context.tokens, f(b: 1), 5 calls]", "a [x y.z n: f(1) N calls]"),
            ("drop older keep repeats(within: 5 calls) no x", "older keep repeats(1) no x"),
            ("tools only [mcp/files-1.*, a-b, *, on, rule,]", "only [mcp/files-1.* a-b * on rule]"),
            ("set flag true", "flag true"),
            ("stop", ""),
        ];
        for (written, expected) in cases {
            assert_eq!(plain(&effects(written)[0].terms), expected, "{written}");
        }
    }

    #[test]
    fn several_effects_are_joined_with_then() {
        let all = clauses("do a 1 then b on_failure retry 2 then c x once");
        assert_eq!(all.len(), 3);
        let ClauseKind::Do(effects) = &all[0].kind else { unreachable!("effects") };
        assert_eq!(effects.iter().map(|effect| effect.name.node.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let ClauseKind::OnFailure(terms, Some(effect)) = &all[1].kind else { unreachable!("a failure clause") };
        assert_eq!((plain(terms).as_str(), effect.name.node.as_str()), ("retry N", "c"));
        assert!(
            matches!(&clauses("on_failure then c")[0].kind, ClauseKind::OnFailure(terms, Some(_)) if terms.is_empty())
        );
        assert!(matches!(&clauses("on_failure keep")[0].kind, ClauseKind::OnFailure(terms, None) if terms.len() == 1));
    }

    #[test]
    fn a_text_with_interpolations_has_pieces() {
        let filled = text(r#""a {{b}} {call.name} {x ?? "none"} {y ?? \"no\"}\n{repeats(within: 3 calls)}""#);
        assert_eq!(filled.value, "a {{b}} {call.name} {x ?? \"none\"} {y ?? \"no\"}\n{repeats(within: 3 calls)}");
        let kinds: Vec<String> = filled
            .pieces
            .iter()
            .map(|piece| match piece {
                TextPiece::Literal(text) => text.clone(),
                TextPiece::Interpolation(hole) => match &hole.kind {
                    ExprKind::Name(name) => format!("<{name}>"),
                    ExprKind::Default(_, other) => match &other.kind {
                        ExprKind::Text(text) => format!("<?? {}>", text.value),
                        other => unreachable!("a text: {other:?}"),
                    },
                    ExprKind::Call(name, _) => format!("<{}()>", name.node),
                    other => unreachable!("an interpolation: {other:?}"),
                },
            })
            .collect();
        assert_eq!(kinds, ["a {b} ", "<call.name>", " ", "<?? none>", " ", "<?? no>", "\n", "<repeats()>"]);
    }

    #[test]
    fn an_interpolation_has_a_span_in_the_file() {
        let written = "policy p { rule r { do inject \"é {call.name ?? 0}\" } }";
        let (source, file, _) = parsed(written);
        let printed = format!("{file:?}");
        let start = written.find("call.name").expect("a hole");
        assert!(printed.contains(&format!("start: {start}, end: {}", start + 9)), "{printed}");
        assert!(source.text().is_char_boundary(start));
    }

    #[test]
    fn texts_without_braces_and_blocks_have_no_pieces() {
        assert!(text("\"a \\\\ \\\" b\"").pieces.is_empty());
        assert_eq!(text("\"a \\\\ \\\" b\"").value, "a \\ \" b");
        let block = text("\"\"\"\n  {a} \\n\n  \"\"\"");
        assert_eq!((block.value.as_str(), block.block, block.pieces.len()), ("{a} \\n", true, 0));
    }

    #[test]
    fn braces_are_literal_in_texts_without_interpolation() {
        let written = "policy p \"{ title\" { rule r { when call.name contains \"{\" do notify \"x\" } }\ntest \"}\" { expect r }";
        assert_eq!(messages(written), Vec::<String>::new());
    }

    #[test]
    fn statements_of_a_test_are_terms() {
        let written = "test \"t\" {\n given context.ratio 40%, 55%..95% by 5%, 10..20\n given tools [a, b]\n \
            expect r first fires at 2 and not once on x5\n expect peak context.ratio <= 90%\n expect f(a: 1) == \"x\"\n}";
        let (_, file, found) = parsed(written);
        assert!(found.is_empty(), "{found:?}");
        let Some(Item::Test(test)) = file.items.first() else { unreachable!("a test") };
        let runs: Vec<(bool, String)> =
            test.statements.iter().map(|statement| (statement.given, plain(&statement.terms))).collect();
        let expected = [
            (true, "context.ratio N N..N by N N..N"),
            (true, "tools [a b]"),
            (false, "r first fires at N and not once on x5"),
            (false, "peak context.ratio <= N"),
            (false, "f(1) == \"x\""),
        ];
        assert_eq!(runs, expected.map(|(given, run)| (given, run.to_owned())));
    }
}
