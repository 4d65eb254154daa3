//! Constants: literals, lets and their products.

use super::error;
use super::scope::{Binding, Checker, Named};
use crate::quantity::{self, Decimal, Unit};
use crate::source::Span;
use crate::syntax::tree::{Expr, ExprKind, Let, Name, Number, Term, Text};

/// A value that stands in the policy.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant<'a> {
    /// A number, with its unit when it has one.
    Number(Decimal, Option<Unit>),
    /// A text.
    Text(&'a Text),
    /// True or false.
    Bool(bool),
    /// A list.
    List(&'a [Term]),
}

impl Constant<'_> {
    /// What it is, in messages.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Number(..) => "a number",
            Self::Text(_) => "a text",
            Self::Bool(_) => "true or false",
            Self::List(_) => "a list",
        }
    }
}

impl<'a> Checker<'a> {
    /// Finds the values of all lets, whichever order they stand in.
    pub(super) fn bind(&mut self, lets: &[&'a Let]) {
        for one in lets {
            self.value_of(&one.name.node, one.name.span);
        }
    }

    /// The value of a let; nothing when it is broken, which is reported where it stands.
    pub(super) fn value_of(&mut self, name: &str, asked: Span) -> Option<Constant<'a>> {
        let binding = self.lets.get_mut(name)?;
        match binding {
            Binding::Done(value) => value.map(|(constant, _)| constant),
            Binding::Busy(one) => {
                let one = *one;
                self.fail(error::name::circle(one.name.span, asked, name))
            }
            Binding::Waiting(one) => {
                let one = *one;
                *binding = Binding::Busy(one);
                let value = self.constant(&one.value);
                let done = Binding::Done(value.map(|constant| (constant, one.value.span)));
                self.lets.insert(&one.name.node, done);
                value
            }
        }
    }

    /// The value of an expression without facts.
    pub(super) fn constant(&mut self, expr: &'a Expr) -> Option<Constant<'a>> {
        match &expr.kind {
            ExprKind::Number(number, unit) => self.number(*number, unit.as_ref(), expr.span),
            ExprKind::Text(text) => Some(Constant::Text(text)),
            ExprKind::Bool(truth) => Some(Constant::Bool(*truth)),
            ExprKind::List(terms) => self.elements(terms).map(|_| Constant::List(terms)),
            ExprKind::Of(share, whole) => self.product(share, whole),
            ExprKind::Name(name) => match self.resolve(name, expr.span)? {
                Named::Let(value) => Some(value),
                Named::Fact(_) => self.fail(error::value::not_constant(expr.span, &format!("`{name}` is a fact"))),
            },
            ExprKind::Call(name, _) => {
                self.fail(error::value::not_constant(expr.span, &format!("`{}` is a fact", name.node)))
            }
            ExprKind::Or(_) | ExprKind::And(_) | ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::Default(..) => {
                self.fail(error::value::not_constant(expr.span, "this depends on facts"))
            }
        }
    }

    /// A number joined with the word behind it.
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
                let meant = quantity::from_alias(amount, &word.node);
                self.report(error::unit::unknown(word, span, meant));
                meant.map(|meant| Constant::Number(meant.amount, Some(meant.unit)))
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
        let is_whole = unit.is_none_or(error::unit::is_whole);
        Some(Constant::Number(if is_whole { product.trunc() } else { product }, unit))
    }
}
