//! Conditions: what is compared with what.

use super::constant::Constant;
use super::error;
use super::narrowing::{asked, key, known};
use super::policy::{Comparison, Condition, Operand, Reading, Relation, Test};
use super::scope::Scope;
use crate::quantity::{Quantity, Type, Unit, Value};
use crate::source::Span;
use crate::syntax::tree::{Expr, ExprKind, Operator};

impl Scope<'_> {
    /// The condition that an expression stands for; none when it is wrong, which is then reported.
    /// `sure` are the optional facts that are known here.
    pub(super) fn condition(&mut self, expr: &Expr, sure: &[String]) -> Option<Condition> {
        if let Some(fact) = asked(expr) {
            return self.is_known(fact, expr.span);
        }
        match &expr.kind {
            ExprKind::And(parts) => self.parts(parts, sure, true).map(Condition::All),
            ExprKind::Or(parts) => self.parts(parts, sure, false).map(Condition::Any),
            ExprKind::Not(inner) => self.condition(inner, sure).map(|inner| Condition::Not(Box::new(inner))),
            ExprKind::Bool(truth) => Some(Condition::Constant(*truth)),
            ExprKind::Compare(left, rest) => match rest.as_slice() {
                [(sign, right)] => self.comparison(left, sign.node, sign.span, right, sure, expr.span),
                _ => {
                    self.chain(left, rest, expr.span);
                    None
                }
            },
            _ => self.bare(expr, sure),
        }
    }

    /// The parts of an `and` or an `or`: each is reached only when those before it came out true, or false.
    fn parts(&mut self, parts: &[Expr], sure: &[String], truth: bool) -> Option<Vec<Condition>> {
        let mut sure = sure.to_vec();
        let mut checked = Vec::with_capacity(parts.len());
        for part in parts {
            checked.push(self.condition(part, &sure));
            sure.extend(known(part, truth));
        }
        checked.into_iter().collect()
    }

    fn is_known(&mut self, fact: &Expr, span: Span) -> Option<Condition> {
        let reading = self.reading(fact)?;
        if !reading.fact.optional {
            self.report(error::not_optional(span, reading.fact.name));
            return None;
        }
        Some(Condition::Test(Test { reading, relation: Relation::Known, span }))
    }

    /// Something that stands as a condition by itself: a fact that is true or false.
    fn bare(&mut self, expr: &Expr, sure: &[String]) -> Option<Condition> {
        match self.side(expr, sure)? {
            Side::Fact(reading) if reading.fact.ty == Type::Bool => {
                Some(Condition::Test(Test { reading, relation: Relation::Holds, span: expr.span }))
            }
            Side::Fact(reading) => {
                let name = reading.fact.name;
                let example = match reading.fact.ty {
                    Type::Number(unit) => Some(format!("{name} >= {}", unit.sample())),
                    _ => Some(format!("{name} == \"bash\"")),
                };
                self.report(error::no_condition(expr.span, &format!("`{name}`"), example));
                None
            }
            Side::Constant(Constant::Bool(truth)) => Some(Condition::Constant(truth)),
            Side::Constant(Constant::Broken) => None,
            Side::Constant(constant) => {
                self.report(error::no_condition(expr.span, constant.noun(), None));
                None
            }
        }
    }

    fn comparison(
        &mut self,
        left: &Expr,
        sign: Operator,
        place: Span,
        right: &Expr,
        sure: &[String],
        span: Span,
    ) -> Option<Condition> {
        let sides = (self.side(left, sure), self.side(right, sure));
        let (reading, constant, sign, at) = match (sides.0?, sides.1?) {
            (Side::Fact(reading), Side::Constant(constant)) => (reading, constant, sign, right.span),
            (Side::Constant(constant), Side::Fact(reading)) if !matches!(sign, Operator::In | Operator::Contains) => {
                (reading, constant, flipped(sign), left.span)
            }
            (Side::Fact(_), Side::Fact(_)) => {
                self.report(error::no_comparison(span, "one fact against another"));
                return None;
            }
            _ => {
                self.report(error::no_comparison(span, "no fact"));
                return None;
            }
        };
        if constant == Constant::Broken {
            return None;
        }
        let (reading, relation) = self.relation(reading, sign, place, &constant, at)?;
        Some(Condition::Test(Test { reading, relation, span }))
    }

    fn relation(
        &mut self,
        reading: Reading,
        sign: Operator,
        place: Span,
        constant: &Constant,
        at: Span,
    ) -> Option<(Reading, Relation)> {
        let (name, ty) = (reading.fact.name, reading.fact.ty);
        let fitting = match (ty, sign) {
            (Type::Number(_), Operator::Contains) => Some("`<`, `<=`, `>`, `>=`, `==`, `!=` or `in`"),
            (Type::Text | Type::Name, Operator::Less | Operator::AtMost | Operator::More | Operator::AtLeast) => {
                Some("`==`, `!=`, `in` or `contains`")
            }
            (Type::Bool, sign) if !matches!(sign, Operator::Equal | Operator::Unequal) => Some("`==` or `!=`"),
            _ => None,
        };
        if let Some(fitting) = fitting {
            self.report(error::wrong_sign(place, sign.sign(), name, ty, fitting));
            return None;
        }
        match sign {
            Operator::In => self.one_of(reading, constant, at),
            Operator::Contains => match constant {
                Constant::Text(text) => Some((reading, Relation::Contains(text.into()))),
                other => self.mismatch(&reading, other, at),
            },
            sign => {
                let (reading, operand) = self.operand(reading, constant, at)?;
                Some((reading, Relation::Compare(compared(sign), operand)))
            }
        }
    }

    fn one_of(&mut self, reading: Reading, constant: &Constant, at: Span) -> Option<(Reading, Relation)> {
        let Constant::List(items) = constant else { return self.mismatch(&reading, constant, at) };
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match self.operand(reading.clone(), item, at)? {
                (_, Operand::Value(value)) => values.push(value),
                (_, Operand::ShareOfWindow(share)) => values.push(Value::Number(share)),
            }
        }
        Some((reading, Relation::OneOf(values)))
    }

    /// The constant of a comparison in the fact's own unit, or as a share of the window.
    fn operand(&mut self, mut reading: Reading, constant: &Constant, at: Span) -> Option<(Reading, Operand)> {
        let ty = reading.fact.ty;
        match (ty, constant) {
            (_, Constant::Broken) => None,
            (Type::Number(unit), Constant::Number(number, None)) if !unit.is_counted() => {
                let fact = Some((reading.fact.name, reading.span));
                self.report(error::no_unit(at, *number, unit, fact));
                None
            }
            (Type::Number(Unit::Tokens), Constant::Number(share, Some(Unit::Share))) => {
                self.in_domain(&reading, constant, at, crate::fact::Domain::SHARE.holds(*share))?;
                Some((reading, Operand::ShareOfWindow(*share)))
            }
            (Type::Number(Unit::Share), Constant::Number(number, Some(Unit::Tokens)))
                if reading.fact.share_of.is_some() && reading.fallback.is_none() =>
            {
                reading.fact = reading.fact.share_of.unwrap_or(reading.fact);
                Some((reading, Operand::Value(Value::Number(*number))))
            }
            (Type::Number(unit), Constant::Number(number, given)) if given.is_none_or(|given| given == unit) => {
                let inside = reading.fact.domain.holds(*number);
                self.in_domain(&reading, &Constant::Number(*number, Some(unit)), at, inside)?;
                let share = reading.fact.share_of.is_some();
                let operand =
                    if share { Operand::ShareOfWindow(*number) } else { Operand::Value(Value::Number(*number)) };
                Some((reading, operand))
            }
            (Type::Text | Type::Name, Constant::Text(_)) | (Type::Bool, Constant::Bool(_)) => {
                constant.value().map(|value| (reading, Operand::Value(value)))
            }
            _ => self.mismatch(&reading, constant, at),
        }
    }

    fn mismatch<T>(&mut self, reading: &Reading, constant: &Constant, at: Span) -> Option<T> {
        self.report(error::wrong_type(at, constant.noun(), reading.fact.ty, reading.fact.name, reading.span));
        None
    }

    fn in_domain(&mut self, reading: &Reading, constant: &Constant, at: Span, inside: bool) -> Option<()> {
        if inside {
            return Some(());
        }
        let domain = match (reading.fact.ty, reading.fact.domain.greatest) {
            (Type::Number(unit @ Unit::Share), Some(greatest)) => format!("0% to {}", Quantity::new(greatest, unit)),
            (Type::Number(Unit::Tokens), _) if matches!(constant, Constant::Number(_, Some(Unit::Share))) => {
                "0% to 150% of the window".to_owned()
            }
            _ => "0 and more".to_owned(),
        };
        self.report(error::out_of_domain(at, &constant.shown(), reading.fact.name, &domain));
        None
    }

    /// One side of a comparison.
    pub(super) fn side(&mut self, expr: &Expr, sure: &[String]) -> Option<Side> {
        match &expr.kind {
            ExprKind::Default(fact, fallback) => self.with_fallback(fact, fallback),
            ExprKind::Name(_) if self.names_let(expr) => Some(Side::Constant(self.constant(expr))),
            ExprKind::Name(_) | ExprKind::Call(..) => {
                let reading = self.reading(expr)?;
                if reading.fact.optional && !key(expr).is_some_and(|key| sure.contains(&key)) {
                    let sample = match reading.fact.ty {
                        Type::Number(Unit::Counted(_)) => "0",
                        Type::Number(Unit::Share) => "0%",
                        Type::Number(Unit::Tokens) => "0 tokens",
                        Type::Number(unit) => unit.sample(),
                        Type::Bool => "false",
                        _ => "\"\"",
                    };
                    self.report(error::optional(expr.span, reading.fact.name, sample));
                    return None;
                }
                Some(Side::Fact(reading))
            }
            ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_) | ExprKind::Compare(..) => {
                self.report(error::no_comparison(expr.span, "a condition inside a comparison"));
                None
            }
            _ => Some(Side::Constant(self.constant(expr))),
        }
    }

    /// `fact ?? constant`
    fn with_fallback(&mut self, fact: &Expr, fallback: &Expr) -> Option<Side> {
        if !matches!(fact.kind, ExprKind::Name(_) | ExprKind::Call(..)) || self.names_let(fact) {
            self.report(error::no_comparison(fact.span, "no fact before `??`"));
            return None;
        }
        let reading = self.reading(fact);
        let constant = self.constant(fallback);
        let mut reading = reading?;
        if !reading.fact.optional {
            self.report(error::not_optional(fact.span.to(fallback.span), reading.fact.name));
            return None;
        }
        let fits = match (reading.fact.ty, &constant) {
            (_, Constant::Broken) => return None,
            (Type::Number(unit), Constant::Number(number, None)) if !unit.is_counted() => {
                self.report(error::no_unit(fallback.span, *number, unit, Some((reading.fact.name, fact.span))));
                return None;
            }
            (Type::Number(unit), Constant::Number(_, given)) => given.is_none_or(|given| given == unit),
            (Type::Text | Type::Name, Constant::Text(_)) | (Type::Bool, Constant::Bool(_)) => true,
            _ => false,
        };
        if !fits {
            return self.mismatch(&reading, &constant, fallback.span);
        }
        reading.fallback = constant.value();
        Some(Side::Fact(reading))
    }

    fn chain(&mut self, left: &Expr, rest: &[(crate::source::Spanned<Operator>, Expr)], span: Span) {
        let text = |expr: &Expr| key(expr).unwrap_or_else(|| "…".to_owned());
        let mut sides = vec![shown(left).unwrap_or_else(|| text(left))];
        sides.extend(rest.iter().map(|(_, right)| shown(right).unwrap_or_else(|| text(right))));
        let pairs = rest
            .iter()
            .enumerate()
            .map(|(at, (sign, _))| format!("{} {} {}", sides[at], sign.node.sign(), sides[at + 1]));
        let text = pairs.collect::<Vec<_>>().join(" and ");
        self.report(error::chain(span, &text));
    }
}

/// An expression as an author would write it, where it is simple.
fn shown(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Number(number, unit) => {
            let (number, own) = super::constant::literal(*number);
            let unit = unit.as_ref().and_then(|unit| Unit::from_word(&unit.node)).or(own);
            Some(Constant::Number(number, unit).shown())
        }
        _ => None,
    }
}

/// One side of a comparison.
pub(super) enum Side {
    Fact(Reading),
    Constant(Constant),
}

fn flipped(sign: Operator) -> Operator {
    match sign {
        Operator::Less => Operator::More,
        Operator::AtMost => Operator::AtLeast,
        Operator::More => Operator::Less,
        Operator::AtLeast => Operator::AtMost,
        other => other,
    }
}

fn compared(sign: Operator) -> Comparison {
    match sign {
        Operator::Less => Comparison::Less,
        Operator::AtMost => Comparison::AtMost,
        Operator::More => Comparison::More,
        Operator::AtLeast => Comparison::AtLeast,
        Operator::Unequal => Comparison::Unequal,
        _ => Comparison::Equal,
    }
}
