//! Constants: literals, lets, and shares of other constants.

use smol_str::SmolStr;

use super::error;
use super::scope::Scope;
use crate::diagnostic::nearest;
use crate::fact;
use crate::quantity::{Decimal, Quantity, Unit, Value};
use crate::syntax::tree::{Expr, ExprKind, Name, Number, Term, TermKind};

/// A constant of a policy.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    /// A number; without a unit when it stands bare.
    Number(Decimal, Option<Unit>),
    Text(String),
    Bool(bool),
    List(Vec<Constant>),
    /// It has no value, and that is already reported.
    Broken,
}

impl Constant {
    /// What it is, for messages.
    pub(super) fn noun(&self) -> &'static str {
        match self {
            Self::Number(_, Some(unit)) => unit.noun(),
            Self::Number(_, None) => "a bare number",
            Self::Text(_) => "text",
            Self::Bool(_) => "true or false",
            Self::List(_) => "a list",
            Self::Broken => "nothing",
        }
    }

    /// As an author would write it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Number(number, Some(unit)) => Quantity::new(*number, *unit).to_string(),
            Self::Number(number, None) => number.normalize().to_string(),
            Self::Text(text) => text.clone(),
            Self::Bool(truth) => truth.to_string(),
            Self::List(items) => items.iter().map(Self::shown).collect::<Vec<_>>().join(", "),
            Self::Broken => String::new(),
        }
    }

    /// The value without its unit; none for lists and broken ones.
    pub(super) fn value(&self) -> Option<Value> {
        match self {
            Self::Number(number, _) => Some(Value::Number(*number)),
            Self::Text(text) => Some(Value::Text(text.into())),
            Self::Bool(truth) => Some(Value::Bool(*truth)),
            Self::List(_) | Self::Broken => None,
        }
    }
}

/// A number literal without a unit word.
pub(super) fn literal(number: Number) -> (Decimal, Option<Unit>) {
    match number {
        Number::Percent(share) => (share, Some(Unit::Share)),
        Number::Money(dollars) => (dollars, Some(Unit::Money)),
        Number::Duration(seconds) => (seconds, Some(Unit::Duration)),
        Number::Plain(number) => (number, None),
    }
}

impl Scope<'_> {
    /// The constant that an expression stands for.
    pub(super) fn constant(&mut self, expr: &Expr) -> Constant {
        match &expr.kind {
            ExprKind::Number(number, unit) => self.number(*number, unit.as_ref()),
            ExprKind::Text(text) => Constant::Text(text.value.clone()),
            ExprKind::Bool(truth) => Constant::Bool(*truth),
            ExprKind::List(terms) => self.list(terms),
            ExprKind::Of(share, whole) => self.share_of(share, whole, expr),
            ExprKind::Name(name) if self.is_let(name) => self.value(name),
            ExprKind::Name(name) => {
                let one = match fact::find(name) {
                    Some(_) => error::no_constant(expr.span, "a fact"),
                    None => error::unknown_fact(expr.span, name, self.nearest(name).as_deref()),
                };
                self.broken(one)
            }
            ExprKind::Call(..) => self.broken(error::no_constant(expr.span, "a fact")),
            _ => self.broken(error::no_constant(expr.span, "a condition")),
        }
    }

    fn broken(&mut self, one: crate::diagnostic::Diagnostic) -> Constant {
        self.report(one);
        Constant::Broken
    }

    pub(super) fn number(&mut self, number: Number, word: Option<&Name>) -> Constant {
        let (number, unit) = literal(number);
        let Some(word) = word else { return Constant::Number(number, unit) };
        match (Unit::from_word(&word.node), unit) {
            (Some(unit), None) => Constant::Number(number, Some(unit)),
            (Some(_), Some(_)) => self.broken(error::stray(word.span, "a number that has its unit", &[])),
            (None, _) => {
                let near = nearest(&word.node, Unit::words());
                self.broken(error::unknown_unit(word.span, &word.node, near))
            }
        }
    }

    fn share_of(&mut self, share: &Expr, whole: &Expr, expr: &Expr) -> Constant {
        match (self.constant(share), self.constant(whole)) {
            (Constant::Number(share, Some(Unit::Share)), Constant::Number(whole, unit)) => {
                match share.checked_mul(whole) {
                    Some(product) if unit.is_none_or(|unit| unit == Unit::Tokens || unit.is_counted()) => {
                        Constant::Number(product.trunc(), unit)
                    }
                    Some(product) => Constant::Number(product, unit),
                    None => self.broken(error::no_constant(expr.span, "a number beyond all bounds")),
                }
            }
            (Constant::Broken, _) | (_, Constant::Broken) => Constant::Broken,
            _ => self.broken(error::no_constant(expr.span, "something else than a share of a number")),
        }
    }

    /// A list in an expression: numbers with their units, texts and names.
    pub(super) fn list(&mut self, terms: &[Term]) -> Constant {
        let (mut items, mut rest) = (Vec::new(), terms);
        while let Some((term, after)) = rest.split_first() {
            rest = after;
            let item = match &term.kind {
                TermKind::Number(number) => {
                    let word = match after.first() {
                        Some(Term { kind: TermKind::Word(word), span }) if Unit::from_word(word).is_some() => {
                            rest = &after[1..];
                            Some(Name::new(word.clone(), *span))
                        }
                        _ => None,
                    };
                    self.number(*number, word.as_ref())
                }
                TermKind::Text(text) => Constant::Text(text.value.clone()),
                TermKind::Word(word) => Constant::Text(word.to_string()),
                _ => self.broken(error::no_constant(term.span, "this")),
            };
            items.push(item);
        }
        Constant::List(items)
    }
}

/// The names of a list constant; none when it holds something else.
pub(super) fn names(constant: &Constant) -> Option<Vec<SmolStr>> {
    match constant {
        Constant::Text(text) => Some(vec![text.into()]),
        Constant::List(items) => items
            .iter()
            .map(|item| match item {
                Constant::Text(text) => Some(text.into()),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}
