//! A cursor over sibling nodes of pest, with one node of lookahead.

use super::grammar::{Pair, Pairs, Rule};
use super::operator::Operator;

/// A position among sibling nodes.
pub(super) struct Cursor<'t> {
    pairs: Pairs<'t>,
    next: Option<Pair<'t>>,
}

impl<'t> Cursor<'t> {
    /// A cursor before the first node.
    pub(super) fn new(mut pairs: Pairs<'t>) -> Self {
        let next = pairs.next();
        Self { pairs, next }
    }

    /// A cursor over the children of a node.
    pub(super) fn inside(pair: Pair<'t>) -> Self {
        Self::new(pair.into_inner())
    }

    /// Takes the next node.
    pub(super) fn bump(&mut self) -> Option<Pair<'t>> {
        std::mem::replace(&mut self.next, self.pairs.next())
    }

    /// The rule of the next node.
    pub(super) fn rule(&self) -> Option<Rule> {
        self.next.as_ref().map(Pair::as_rule)
    }

    /// Takes the next node if it matches this rule.
    pub(super) fn take(&mut self, rule: Rule) -> Option<Pair<'t>> {
        if self.rule()? == rule { self.bump() } else { None }
    }

    /// Takes the next node if it is this operator.
    pub(super) fn operator(&mut self, rule: Rule, text: &str) -> Option<Pair<'t>> {
        let next = self.next.as_ref()?;
        if next.as_rule() == rule && next.as_str() == text { self.bump() } else { None }
    }

    /// Takes the next node if it is a comparison.
    pub(super) fn comparison(&mut self) -> Option<(Operator, Pair<'t>)> {
        let next = self.next.as_ref().filter(|next| next.as_rule() == Rule::tight)?;
        let operator = Operator::from_symbol(next.as_str())?;
        self.bump().map(|pair| (operator, pair))
    }
}
