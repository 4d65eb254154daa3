//! Checks comparisons of a fact with a constant.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, MAX_THRESHOLD, Type, Unit, Value};
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Operator};

use super::checker::{Checker, Reference};
use super::constant::Constant;
use super::error::{self, Wanted};
use super::list::Element;
use super::policy::{Comparison, Condition, Operand, Reading, Relation, Test};
use crate::fact::{FACTS, Fact};

/// One side of a comparison.
enum Side<'a> {
    Fact(Reading),
    Constant(Constant<'a>),
}

impl<'a> Checker<'_, 'a> {
    /// Checks `a < b`; chains are errors.
    pub(super) fn comparison(
        &mut self,
        first: &'a Expr,
        rest: &'a [(Spanned<Operator>, Expr)],
        span: Span,
    ) -> Option<Condition> {
        let [(operator, second)] = rest else {
            return self.fail(error::condition::chain(span, rest));
        };
        let left = if self.is_unquoted(first, second) { None } else { self.side(first) };
        let right = if self.is_unquoted(second, first) { None } else { self.side(second) };
        match (left?, right?) {
            (Side::Fact(reading), Side::Constant(constant)) => {
                self.test(&reading, operator.node, *operator, constant, first, second, span)
            }
            (Side::Constant(constant), Side::Fact(reading)) => match operator.node.comparison() {
                Some(comparison) => {
                    let flipped = Operator::Comparison(comparison.flipped());
                    self.test(&reading, flipped, *operator, constant, second, first, span)
                }
                None => self.fail(error::condition::swapped(span, operator.node, reading.span)),
            },
            (Side::Fact(left), Side::Fact(right)) => self.fail(error::condition::two_facts(span, &left, &right)),
            (Side::Constant(_), Side::Constant(_)) => self.fail(error::condition::no_fact(span)),
        }
    }

    /// Reports a text without quotes: `call.name == bash`.
    fn is_unquoted(&mut self, expr: &Expr, other: &Expr) -> bool {
        let ExprKind::Name(word) = &expr.kind else { return false };
        let other = match &other.kind {
            ExprKind::Default(fact, _) => fact,
            _ => other,
        };
        let ExprKind::Name(fact) = &other.kind else { return false };
        let is_text = self.scope.fact_type(fact) == Some(Type::Text);
        let unquoted = is_text && self.scope.is_foreign(word);
        if unquoted {
            self.report(error::value::unquoted(expr.span, word));
        }
        unquoted
    }

    fn side(&mut self, expr: &'a Expr) -> Option<Side<'a>> {
        match &expr.kind {
            ExprKind::Name(name) => match self.resolve(name, expr.span)? {
                Reference::Fact(fact) => self.bare(fact, expr.span).map(Side::Fact),
                Reference::Host(reading) => Some(Side::Fact(reading)),
                Reference::Let(value) => Some(Side::Constant(value)),
            },
            ExprKind::Default(left, _) => match &left.kind {
                ExprKind::Number(..) | ExprKind::Text(_) | ExprKind::Bool(_) | ExprKind::List(_) => {
                    self.fail(error::condition::not_a_fact(left.span, "a constant"))
                }
                _ => self.reading(expr).map(Side::Fact),
            },
            ExprKind::Call(..) => self.reading(expr).map(Side::Fact),
            ExprKind::Or(_) | ExprKind::And(_) | ExprKind::Not(_) | ExprKind::Compare(..) => {
                self.condition(expr)?;
                self.fail(error::condition::compared_condition(expr.span))
            }
            _ => self.constant(expr).map(Side::Constant),
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "both operands with their places, and the operator as it is read and as it is written"
    )]
    fn test(
        &mut self,
        reading: &Reading,
        operator: Operator,
        written: Spanned<Operator>,
        constant: Constant<'a>,
        fact_side: &Expr,
        other: &'a Expr,
        span: Span,
    ) -> Option<Condition> {
        let fact = reading.fact;
        if let Type::Bool = fact.ty {
            let truth = if let Constant::Bool(truth) = constant { Some(truth) } else { None };
            return self.fail(error::condition::compared_boolean(fact_side.span, span, written.node, truth));
        }
        let is_ordered = matches!(fact.ty, Type::Number(_));
        let fits = match operator {
            Operator::Comparison(Comparison::Equal | Comparison::Unequal) | Operator::In => true,
            Operator::Comparison(_) => is_ordered,
            Operator::Contains => fact.ty == Type::Text,
        };
        if !fits {
            return self.fail(error::condition::wrong_operator(written, reading));
        }
        let definite = self.definite(reading.clone());
        let before = self.findings.len();
        let related = self.related(reading, operator, constant, other);
        let related = related.filter(|(_, relation)| self.is_reached(relation, fact, other.span));
        error::describe(&mut self.findings[before..], reading, fact_side.span);
        definite.and(related).map(|(reading, relation)| Condition::Test(Test { reading, relation, span }))
    }

    /// Whether a context can reach the share of the window in a comparison; if not, reports it.
    fn is_reached(&mut self, relation: &Relation, fact: &'static Fact, span: Span) -> bool {
        let is_fill = fact.share_of().is_some()
            || FACTS.iter().any(|ratio| ratio.share_of().is_some_and(|of| std::ptr::eq(of, fact)));
        let share = |value: &Value| match value {
            Value::Number(share) if fact.share_of().is_some() => Some(*share),
            _ => None,
        };
        let greatest = match relation {
            _ if !is_fill => None,
            Relation::Compare(_, Operand::ShareOfWindow(share)) => Some(*share),
            Relation::OneOf(values) => values.iter().filter_map(share).max(),
            _ => None,
        };
        let Some(share) = greatest.filter(|share| *share > MAX_THRESHOLD) else { return true };
        self.report(error::unit::threshold_too_large(span, share, fact));
        false
    }

    fn related(
        &mut self,
        reading: &Reading,
        operator: Operator,
        constant: Constant<'a>,
        other: &'a Expr,
    ) -> Option<(Reading, Relation)> {
        Some(match operator {
            Operator::In => (reading.clone(), Relation::OneOf(self.one_of(reading, constant, other)?)),
            Operator::Contains => {
                let value = self.value(reading, constant, other);
                let Value::Text(part) = value? else { return None };
                (reading.clone(), Relation::Contains(part))
            }
            Operator::Comparison(comparison) => {
                self.compared(reading, comparison, constant, other.span, self.place_in(other))?
            }
        })
    }

    /// A comparison with one constant. Shares of the window and tokens are converted.
    pub(super) fn compared(
        &mut self,
        reading: &Reading,
        comparison: Comparison,
        constant: Constant<'a>,
        span: Span,
        place: Option<Span>,
    ) -> Option<(Reading, Relation)> {
        let fact = reading.fact;
        let operand = match (fact.ty, constant, fact.share_of()) {
            (Type::Number(Unit::Tokens), Constant::Number(share, Some(Unit::Share)), _) => {
                Operand::ShareOfWindow(share)
            }
            (Type::Number(Unit::Share), Constant::Number(tokens, Some(Unit::Tokens)), Some(counted))
                if reading.fallback.is_none() =>
            {
                let reading = Reading { fact: counted, ..reading.clone() };
                let value = self.value_at(&reading, Constant::Number(tokens, Some(Unit::Tokens)), span, place)?;
                return Some((reading, Relation::Compare(comparison, Operand::Value(value))));
            }
            (_, _, Some(_)) => match self.value_at(reading, constant, span, place)? {
                Value::Number(share) => Operand::ShareOfWindow(share),
                other => Operand::Value(other),
            },
            _ => Operand::Value(self.value_at(reading, constant, span, place)?),
        };
        Some((reading.clone(), Relation::Compare(comparison, operand)))
    }

    fn one_of(&mut self, reading: &Reading, constant: Constant<'a>, other: &'a Expr) -> Option<Vec<Value>> {
        let Constant::List(terms) = constant else {
            return self.fail(error::condition::in_takes_list(other.span, constant.noun()));
        };
        let (elements, mut sound) = (self.elements(terms)?, true);
        let mut values = Vec::with_capacity(elements.len());
        if elements.is_empty() {
            return self.fail(error::condition::empty_list(other.span));
        }
        for (element, span) in elements {
            let value = match element {
                Element::Word(word) if self.scope.has_let(word) => self.scope.constant(word).defined(),
                Element::Word(word) if reading.fact.ty == Type::Text => {
                    values.push(Value::Text(SmolStr::new(word)));
                    continue;
                }
                Element::Word(word) => match self.resolve(word, span) {
                    Some(Reference::Let(constant)) => Some(constant),
                    Some(Reference::Fact(_) | Reference::Host(_)) => {
                        self.fail(error::value::not_constant(span, "a fact"))
                    }
                    None => None,
                },
                Element::Value(constant) => Some(constant),
            };
            let value = value.and_then(|constant| self.value_at(reading, constant, span, None));
            sound &= value.is_some();
            values.extend(value);
        }
        sound.then_some(values)
    }

    /// A constant as a value of a fact.
    pub(super) fn value(&mut self, reading: &Reading, constant: Constant<'a>, expr: &Expr) -> Option<Value> {
        let place = self.place_in(expr);
        self.value_at(reading, constant, expr.span, place)
    }

    /// The span of the value if the expression is a let.
    fn place_in(&self, expr: &Expr) -> Option<Span> {
        match &expr.kind {
            ExprKind::Name(name) => self.scope.value_span(name),
            _ => None,
        }
    }

    /// A constant as a value of a fact; `place` is the span of the value if it is a let.
    pub(super) fn value_at(
        &mut self,
        reading: &Reading,
        constant: Constant<'a>,
        span: Span,
        place: Option<Span>,
    ) -> Option<Value> {
        let fact = reading.fact;
        match (fact.ty, constant) {
            (Type::Number(unit), Constant::Number(..)) => {
                let name = format!("`{}`", reading.name());
                let amount = self.fit(constant, &[unit], &Wanted::fact(&name, fact), span, place)?.amount;
                self.in_domain(reading, amount, span)?;
                Some(Value::Number(amount))
            }
            (Type::Text, Constant::Text(text)) => Some(Value::Text(text.value.as_str().into())),
            (Type::Bool, Constant::Bool(truth)) => Some(Value::Bool(truth)),
            (_, constant) => self.fail(error::value::wrong_type(span, place, constant.noun(), reading)),
        }
    }

    fn in_domain(&mut self, reading: &Reading, amount: Decimal, span: Span) -> Option<()> {
        let is_inside = reading.fact.domain.contains(amount);
        if is_inside { Some(()) } else { self.fail(error::unit::outside(span, amount, reading)) }
    }
}
