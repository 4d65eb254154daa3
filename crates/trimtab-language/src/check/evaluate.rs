//! Evaluation of constant expressions: literals, lets and products.

use trimtab_base::quantity::{self, Unit};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Name, Number};

use super::checker::{Checker, Reference};
use super::constant::Constant;
use super::error;

impl<'a> Checker<'_, 'a> {
    /// The value of an expression without facts.
    pub(super) fn constant(&mut self, expr: &'a Expr) -> Option<Constant<'a>> {
        match &expr.kind {
            ExprKind::Number(number, unit) => self.number(*number, unit.as_ref(), expr.span),
            ExprKind::Text(text) => Some(Constant::Text(text)),
            ExprKind::Bool(truth) => Some(Constant::Bool(*truth)),
            ExprKind::List(terms) => self.elements(terms).map(|_| Constant::List(terms)),
            ExprKind::Of(share, whole) => self.product(share, whole),
            ExprKind::Name(name) => match self.resolve(name, expr.span)? {
                Reference::Let(value) => Some(value),
                Reference::Fact(_) | Reference::Host(_) => {
                    self.fail(error::value::not_constant(expr.span, &format!("`{name}` is a fact")))
                }
            },
            ExprKind::Call(name, _) => {
                self.fail(error::value::not_constant(expr.span, &format!("`{}` is a fact", name.node)))
            }
            ExprKind::Or(_) | ExprKind::And(_) | ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::Default(..) => {
                self.fail(error::value::not_constant(expr.span, "this depends on facts"))
            }
        }
    }

    /// A number with the unit that follows it.
    pub(super) fn number(&mut self, number: Number, word: Option<&Name>, span: Span) -> Option<Constant<'a>> {
        let (amount, unit) = match number {
            Number::Percent(share) => (share, Some(Unit::Share)),
            Number::Money(dollars) => (dollars, Some(Unit::Money)),
            Number::Duration(seconds) => (seconds, Some(Unit::Duration)),
            Number::Plain(amount) => (amount, None),
        };
        let Some(word) = word else { return Some(Constant::Number(amount, unit)) };
        match (Unit::from_word(&word.node), unit) {
            (Some(unit), None) => Some(Constant::Number(amount, Some(unit))),
            (None, None) => {
                let suggestion = quantity::from_alias(amount, &word.node);
                self.report(error::unit::unknown(word, span, suggestion));
                suggestion.map(|suggestion| Constant::Number(suggestion.amount, Some(suggestion.unit)))
            }
            (_, Some(unit)) => self.fail(error::unit::second(word, span, unit)),
        }
    }

    /// `80% of cap`
    fn product(&mut self, share: &'a Expr, whole: &'a Expr) -> Option<Constant<'a>> {
        let (left, right) = (self.constant(share), self.constant(whole));
        let (left, right) = (left?, right?);
        let Constant::Number(factor, Some(Unit::Share)) = left else {
            return self.fail(error::value::bad_product(share.span, left.noun(), "a share, such as `80%`"));
        };
        let Constant::Number(amount, unit) = right else {
            return self.fail(error::value::bad_product(whole.span, right.noun(), "a number"));
        };
        let Some(product) = amount.checked_mul(factor) else {
            return self.fail(error::value::bad_product(whole.span, "too large", "a smaller number"));
        };
        let is_whole = unit.is_none_or(Unit::is_whole);
        Some(Constant::Number(if is_whole { product.trunc() } else { product }, unit))
    }
}
