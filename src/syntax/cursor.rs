//! Pest's nodes read one by one, with the next in view.

use super::parse::{Pair, Pairs, Rule};
use super::tree::Operator;

/// A place among sibling nodes.
pub(super) struct Cursor<'t> {
    pairs: Pairs<'t>,
    next: Option<Pair<'t>>,
}

impl<'t> Cursor<'t> {
    /// Starts before the first.
    pub(super) fn new(mut pairs: Pairs<'t>) -> Self {
        let next = pairs.next();
        Self { pairs, next }
    }

    /// The children of a node.
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

    /// Takes the next node if it is of this rule.
    pub(super) fn take(&mut self, rule: Rule) -> Option<Pair<'t>> {
        if self.rule()? == rule { self.bump() } else { None }
    }

    /// Takes the next node if it is this sign.
    pub(super) fn sign(&mut self, rule: Rule, sign: &str) -> Option<Pair<'t>> {
        let next = self.next.as_ref()?;
        if next.as_rule() == rule && next.as_str() == sign { self.bump() } else { None }
    }

    /// Takes the next node if it is a comparison.
    pub(super) fn comparison(&mut self) -> Option<(Operator, Pair<'t>)> {
        let next = self.next.as_ref().filter(|next| next.as_rule() == Rule::tight)?;
        let operator = operator(next.as_str())?;
        self.bump().map(|pair| (operator, pair))
    }
}

/// The comparison that a sign stands for; none for `??` and `of`.
pub(super) fn operator(sign: &str) -> Option<Operator> {
    Some(match sign {
        ">=" => Operator::AtLeast,
        "<=" => Operator::AtMost,
        ">" => Operator::More,
        "<" => Operator::Less,
        "==" => Operator::Equal,
        "!=" => Operator::Unequal,
        "in" => Operator::In,
        "contains" => Operator::Contains,
        _ => return None,
    })
}
