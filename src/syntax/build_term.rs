//! Flat runs of terms: behind an effect's name, in lists, in `agent` and in the statements of tests.

use smol_str::SmolStr;

use super::build::Builder;
use super::cursor::{Cursor, operator};
use super::parse::{Pair, Rule};
use super::tree::{ExprKind, Term, TermKind};
use crate::source::Span;

impl Builder<'_> {
    /// All terms of a run; stops at the first node that is none.
    pub(super) fn terms(&mut self, cursor: &mut Cursor<'_>) -> Vec<Term> {
        let mut terms = Vec::new();
        while let Some(rule) = cursor.rule() {
            let Some(pair) = starts_term(rule).then(|| cursor.bump()).flatten() else { break };
            let span = self.span(&pair);
            if let Some(kind) = self.term(pair, rule, cursor) {
                let span = end(&kind).map_or(span, |last| span.to(last));
                terms.push(Term { kind, span });
            }
        }
        terms
    }

    /// One term, with what follows and belongs to it.
    fn term(&mut self, pair: Pair<'_>, rule: Rule, cursor: &mut Cursor<'_>) -> Option<TermKind> {
        Some(match rule {
            Rule::number => return self.measure(&pair, cursor),
            Rule::text | Rule::block => TermKind::Text(self.text(&pair)),
            Rule::list => TermKind::List(self.terms(&mut Cursor::inside(pair))),
            Rule::sign => TermKind::Operator(operator(pair.as_str())?),
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

    /// A number, or a range when one follows.
    fn measure(&mut self, pair: &Pair<'_>, cursor: &mut Cursor<'_>) -> Option<TermKind> {
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

    /// A number of a range.
    fn bound(&mut self, cursor: &mut Cursor<'_>) -> Option<Term> {
        let pair = cursor.take(Rule::number)?;
        let kind = TermKind::Number(self.number(&pair)?);
        Some(Term { kind, span: self.span(&pair) })
    }
}

/// Whether a node of this rule starts a term; the unit in a list is a term of its own.
const fn starts_term(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::word
            | Rule::free_word
            | Rule::list_name
            | Rule::unit
            | Rule::number
            | Rule::text
            | Rule::block
            | Rule::list
            | Rule::sign
    )
}

/// The last part of a term that takes several nodes.
fn end(kind: &TermKind) -> Option<Span> {
    match kind {
        TermKind::Call(call) if matches!(call.kind, ExprKind::Call(..)) => Some(call.span),
        TermKind::Pair(_, value) => Some(value.span),
        TermKind::Range(_, to, step) => Some(step.as_ref().unwrap_or(to).span),
        _ => None,
    }
}
