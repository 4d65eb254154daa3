//! Builds expressions from flat chains of operands and operators.
//!
//! Precedence from lowest to highest: `or`, `and`, `not`, comparisons, `??`, `of`.

use smol_str::SmolStr;
use trimtab_base::source::{Span, Spanned};

use super::build::Builder;
use super::cursor::Cursor;
use super::error;
use super::grammar::{Pair, Rule};
use super::tree::{Argument, Expr, ExprKind};

/// How many `not`, `??` or `of` may be chained.
const MAX_CHAINED: usize = 8;

impl Builder<'_> {
    /// A chain of operands and operators; `None` if a literal in it has no value.
    pub(super) fn chain(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let first = self.conjunction(cursor)?;
        if cursor.operator(Rule::logic, "or").is_none() {
            return Some(first);
        }
        let mut all = vec![first, self.conjunction(cursor)?];
        while cursor.operator(Rule::logic, "or").is_some() {
            all.push(self.conjunction(cursor)?);
        }
        Some(joined(all, ExprKind::Or))
    }

    fn conjunction(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let first = self.negation(cursor)?;
        if cursor.operator(Rule::logic, "and").is_none() {
            return Some(first);
        }
        let mut all = vec![first, self.negation(cursor)?];
        while cursor.operator(Rule::logic, "and").is_some() {
            all.push(self.negation(cursor)?);
        }
        Some(joined(all, ExprKind::And))
    }

    fn negation(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let mut words: Vec<Span> = Vec::new();
        while let Some(word) = cursor.take(Rule::not) {
            words.push(self.span(&word));
        }
        self.check_chain(&words)?;
        let inner = self.comparison(cursor)?;
        Some(words.into_iter().rev().fold(inner, |inner, word| {
            let span = word.to(inner.span);
            Expr { kind: ExprKind::Not(Box::new(inner)), span }
        }))
    }

    fn comparison(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let first = self.default(cursor)?;
        let mut rest = Vec::new();
        while let Some((operator, pair)) = cursor.comparison() {
            let operator = Spanned::new(operator, self.span(&pair));
            rest.push((operator, self.default(cursor)?));
        }
        let Some((_, last)) = rest.last() else {
            return Some(first);
        };
        let span = first.span.to(last.span);
        Some(Expr { kind: ExprKind::Compare(Box::new(first), rest), span })
    }

    fn default(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let first = self.share(cursor)?;
        if cursor.operator(Rule::tight, "??").is_none() {
            return Some(first);
        }
        let mut all = vec![first, self.share(cursor)?];
        while cursor.operator(Rule::tight, "??").is_some() {
            all.push(self.share(cursor)?);
        }
        self.right_associative(all, ExprKind::Default)
    }

    fn share(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let first = self.operand(cursor)?;
        if cursor.operator(Rule::tight, "of").is_none() {
            return Some(first);
        }
        let mut all = vec![first, self.operand(cursor)?];
        while cursor.operator(Rule::tight, "of").is_some() {
            all.push(self.operand(cursor)?);
        }
        self.right_associative(all, ExprKind::Of)
    }

    /// Operands of a right-associative operator: `a ?? (b ?? c)`.
    fn right_associative(&mut self, all: Vec<Expr>, kind: fn(Box<Expr>, Box<Expr>) -> ExprKind) -> Option<Expr> {
        let spans: Vec<Span> = all.iter().map(|argument| argument.span).collect();
        self.check_chain(&spans)?;
        all.into_iter().rev().reduce(|right, left| {
            let span = left.span.to(right.span);
            Expr { kind: kind(Box::new(left), Box::new(right)), span }
        })
    }

    /// Reports a chain of operators that is too long.
    fn check_chain(&mut self, parts: &[Span]) -> Option<()> {
        let Some(deep) = parts.get(MAX_CHAINED) else {
            return Some(());
        };
        self.diagnostics.push(error::too_deep(*deep));
        self.has_bad_literal = true;
        None
    }

    fn operand(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let pair = cursor.bump()?;
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::word | Rule::free_word | Rule::list_name => return self.fact(&pair, cursor),
            Rule::number => {
                let number = self.number(&pair)?;
                let unit = cursor.take(Rule::unit).map(|unit| self.name(&unit));
                let span = unit.as_ref().map_or(span, |unit| span.to(unit.span));
                return Some(Expr { kind: ExprKind::Number(number, unit), span });
            }
            Rule::truth => ExprKind::Bool(pair.as_str() == "true"),
            Rule::text | Rule::block | Rule::escaped_text => ExprKind::Text(Box::new(self.text(&pair))),
            Rule::list => ExprKind::List(self.terms(&mut Cursor::inside(pair))),
            Rule::group => {
                let inner = self.chain(&mut Cursor::inside(pair))?;
                return Some(Expr { kind: inner.kind, span });
            }
            _ => return None,
        };
        Some(Expr { kind, span })
    }

    /// A name, or a name with arguments.
    pub(super) fn fact(&mut self, pair: &Pair<'_>, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let span = self.span(pair);
        let Some(arguments) = cursor.take(Rule::arguments) else {
            return Some(Expr { kind: ExprKind::Name(SmolStr::new(pair.as_str())), span });
        };
        let whole = span.to(self.span(&arguments));
        let arguments = arguments.into_inner().map(|argument| self.argument(argument)).collect::<Option<_>>()?;
        Some(Expr { kind: ExprKind::Call(self.name(pair), arguments), span: whole })
    }

    fn argument(&mut self, pair: Pair<'_>) -> Option<Argument> {
        let mut cursor = Cursor::inside(pair);
        let name = cursor.take(Rule::label).map(|label| self.name(&label));
        Some(Argument { name, value: self.chain(&mut cursor)? })
    }

    /// The content of an interpolation: values separated by `??`.
    pub(super) fn interpolation(&mut self, cursor: &mut Cursor<'_>) -> Option<Expr> {
        let mut all = vec![self.operand(cursor)?];
        while cursor.take(Rule::otherwise).is_some() {
            all.push(self.operand(cursor)?);
        }
        self.right_associative(all, ExprKind::Default)
    }
}

/// An expression with these operands.
fn joined(all: Vec<Expr>, kind: fn(Vec<Expr>) -> ExprKind) -> Expr {
    let span = all.iter().map(|argument| argument.span).reduce(Span::to).unwrap_or_default();
    Expr { kind: kind(all), span }
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{condition, messages};
    use super::*;

    /// An expression with explicit parentheses.
    fn plain(expr: &Expr) -> String {
        let many =
            |all: &[Expr], operator: &str| format!("({})", all.iter().map(plain).collect::<Vec<_>>().join(operator));
        match &expr.kind {
            ExprKind::Or(all) => many(all, " or "),
            ExprKind::And(all) => many(all, " and "),
            ExprKind::Not(inner) => format!("(not {})", plain(inner)),
            ExprKind::Compare(first, rest) => {
                let rest =
                    rest.iter().map(|(operator, operand)| format!(" {} {}", operator.node.symbol(), plain(operand)));
                format!("({}{})", plain(first), rest.collect::<String>())
            }
            ExprKind::Default(a, b) => format!("({} ?? {})", plain(a), plain(b)),
            ExprKind::Of(a, b) => format!("({} of {})", plain(a), plain(b)),
            ExprKind::Name(name) => name.to_string(),
            ExprKind::Call(name, arguments) => {
                let argument_text = |argument: &Argument| match &argument.name {
                    Some(name) => format!("{}: {}", name.node, plain(&argument.value)),
                    None => plain(&argument.value),
                };
                format!("{}({})", name.node, arguments.iter().map(argument_text).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Number(_, unit) => {
                format!("N{}", unit.as_ref().map_or(String::new(), |unit| format!(" {}", unit.node)))
            }
            ExprKind::Text(text) => format!("{:?}", text.value),
            ExprKind::Bool(truth) => truth.to_string(),
            ExprKind::List(terms) => format!("[{}]", terms.len()),
        }
    }

    #[test]
    fn operators_have_their_precedence() {
        let cases = [
            ("a or b and c", "(a or (b and c))"),
            ("a and b or c and d or e", "((a and b) or (c and d) or e)"),
            ("not x == y", "(not (x == y))"),
            ("not not a and b", "((not (not a)) and b)"),
            ("a < b < c", "(a < b < c)"),
            ("x ?? 0 > 3", "((x ?? N) > N)"),
            ("a ?? b ?? c", "(a ?? (b ?? c))"),
            ("a >= 80% of cap ?? b", "(a >= ((N of cap) ?? b))"),
            ("(a or b) and not (c)", "((a or b) and (not c))"),
            ("a in [x, on, y] and b contains \"z\"", "((a in [3]) and (b contains \"z\"))"),
            ("repeats(within: 10 calls, in: run,) >= 3", "(repeats(within: N calls, in: run) >= N)"),
            ("changed() or has_tool(\"x\") == true", "(changed() or (has_tool(\"x\") == true))"),
            ("context.limit >= 10 messages", "(context.limit >= N messages)"),
            ("once_more and onwards and nothing", "(once_more and onwards and nothing)"),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(&condition(text)), expected, "{text}");
        }
    }

    #[test]
    fn the_span_is_from_the_first_token_to_the_last() {
        let condition = condition("not  a >= 3 calls  # end\n");
        assert_eq!((condition.span.start, condition.span.end), (25, 42));
    }

    #[test]
    fn long_chains_are_reported_once() {
        let text = format!("let x = {}true", "not ".repeat(50));
        assert_eq!(messages(&text), ["1 E108 this is nested too deeply"]);
        assert_eq!(messages(&format!("let x = a{}", " ?? a".repeat(50))), ["1 E108 this is nested too deeply"]);
    }
}
