//! Conditions: boolean combinations of tests, with what each part knows of optional facts.

use trimtab_base::quantity::Type;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Argument, Expr, ExprKind, Name};

use super::checker::{Checker, OwnCondition, Reference};
use super::constant::Constant;
use super::error;
use super::narrowing::narrow;
use super::policy::{Condition, Reading, Relation, Test};

impl<'a> Checker<'_, 'a> {
    /// The conditions of `when` and `unless`; each is narrowed by the other for optional facts.
    pub(super) fn own_condition(
        &mut self,
        when: Option<&'a Expr>,
        unless: Option<&'a Expr>,
    ) -> Option<(Condition, Option<Condition>)> {
        self.own = OwnCondition::Open;
        let always = Condition::Constant(true);
        let Some(unless) = unless else {
            return Some((when.map_or(Some(always), |when| self.condition_there(when))?, None));
        };
        let mut granted = Vec::new();
        self.enter(unless.span.source);
        self.narrow_by_unchecked(unless, false, &mut granted);
        self.known.append(&mut granted);
        let due = when.map(|when| self.condition_there(when));
        self.known.clear();
        match &due {
            Some(Some(condition)) => narrow(condition, true, &mut self.known),
            Some(None) => self.lenient = true,
            None => {}
        }
        let held = self.condition_there(unless);
        self.known.clear();
        Some((due.unwrap_or(Some(always))?, Some(held?)))
    }

    /// A condition with the names of its file.
    fn condition_there(&mut self, expr: &'a Expr) -> Option<Condition> {
        self.enter(expr.span.source);
        self.condition(expr)
    }

    /// The narrowing of optional facts by an unchecked condition that is `truth`; reports nothing.
    fn narrow_by_unchecked(&mut self, expr: &'a Expr, truth: bool, known: &mut Vec<Reading>) {
        match &expr.kind {
            ExprKind::Not(inner) => self.narrow_by_unchecked(inner, !truth, known),
            ExprKind::And(parts) if truth => parts.iter().for_each(|part| self.narrow_by_unchecked(part, true, known)),
            ExprKind::Or(parts) if !truth => parts.iter().for_each(|part| self.narrow_by_unchecked(part, false, known)),
            ExprKind::Call(name, arguments) if truth && name.node == KNOWN => {
                // Only the reading is wanted here. Its errors are reported when the condition is checked.
                let mut probe = Checker::new(self.scope, &[]);
                if let Some(Condition::Test(test)) = probe.known_test(name, arguments, expr.span) {
                    known.push(test.reading);
                }
            }
            _ => {}
        }
    }

    /// The condition that an expression is.
    pub(super) fn condition(&mut self, expr: &'a Expr) -> Option<Condition> {
        match &expr.kind {
            ExprKind::Or(parts) => self.parts(parts, false).map(Condition::Any),
            ExprKind::And(parts) => self.parts(parts, true).map(Condition::All),
            ExprKind::Not(inner) => self.condition(inner).map(|inner| Condition::Not(Box::new(inner))),
            ExprKind::Compare(first, rest) => self.comparison(first, rest, expr.span),
            ExprKind::Bool(truth) => Some(Condition::Constant(*truth)),
            ExprKind::Call(name, arguments) if name.node == KNOWN => self.known_test(name, arguments, expr.span),
            ExprKind::Name(name) => match self.resolve(name, expr.span)? {
                Reference::Let(Constant::Bool(truth)) => Some(Condition::Constant(truth)),
                Reference::Let(other) => self.fail(error::condition::not_a_condition(expr.span, other.noun())),
                Reference::Fact(_) | Reference::Host(_) => self.holds(expr),
            },
            ExprKind::Call(..) | ExprKind::Default(..) => self.holds(expr),
            ExprKind::Number(..) | ExprKind::Text(_) | ExprKind::List(_) | ExprKind::Of(..) => {
                let constant = self.constant(expr)?;
                self.fail(error::condition::not_a_condition(expr.span, constant.noun()))
            }
        }
    }

    /// The parts of an `and` (`truth`) or an `or`; each may build on the truth of those before it.
    fn parts(&mut self, parts: &'a [Expr], truth: bool) -> Option<Vec<Condition>> {
        let (known, lenient) = (self.known.len(), self.lenient);
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match self.condition(part) {
                Some(condition) => {
                    narrow(&condition, truth, &mut self.known);
                    all.push(condition);
                }
                None => self.lenient |= may_test_known(part),
            }
        }
        self.known.truncate(known);
        self.lenient = lenient;
        (all.len() == parts.len()).then_some(all)
    }

    /// A fact that is true or false.
    fn holds(&mut self, expr: &'a Expr) -> Option<Condition> {
        let reading = self.reading(expr)?;
        if reading.fact.ty != Type::Bool {
            return self.fail(error::condition::no_truth(expr.span, &reading));
        }
        let reading = self.definite(reading)?;
        Some(Condition::Test(Test { reading, relation: Relation::Holds, span: expr.span }))
    }

    /// `known(FACT)`
    fn known_test(&mut self, name: &Name, arguments: &'a [Argument], span: Span) -> Option<Condition> {
        let [Argument { name: None, value }] = arguments else {
            return self.fail(error::fact::known_takes_one(span));
        };
        if !matches!(value.kind, ExprKind::Name(_) | ExprKind::Call(..)) {
            return self.fail(error::fact::known_takes_one(value.span));
        }
        let reading = self.reading(value)?;
        if !reading.fact.is_optional() {
            self.report(error::condition::always_known(name.span.to(span), &reading.name()));
        }
        Some(Condition::Test(Test { reading: Reading { fallback: None, ..reading }, relation: Relation::Known, span }))
    }

    /// A fact, with arguments or a default or without; whether it is known is not asked.
    pub(super) fn reading(&mut self, expr: &'a Expr) -> Option<Reading> {
        match &expr.kind {
            ExprKind::Name(name) => match self.resolve(name, expr.span)? {
                Reference::Fact(fact) => self.bare(fact, expr.span),
                Reference::Host(reading) => Some(reading),
                Reference::Let(value) => self.fail(error::condition::not_a_fact(expr.span, value.noun())),
            },
            ExprKind::Call(name, _) if name.node == KNOWN => {
                self.fail(error::condition::not_a_fact(expr.span, "true or false"))
            }
            ExprKind::Call(name, arguments) => match self.resolve(&name.node, name.span)? {
                Reference::Fact(fact) if fact.is_host() => self.fail_without_name(name.span),
                Reference::Fact(fact) => self.call(fact, arguments, expr.span),
                Reference::Host(reading) => {
                    let arguments = Span { start: name.span.end, ..expr.span };
                    self.fail(error::host_fact::takes_no_arguments(arguments, &reading.name()))
                }
                Reference::Let(value) => self.fail(error::condition::not_a_fact(name.span, value.noun())),
            },
            ExprKind::Default(fact, default) => {
                let reading = self.reading(fact);
                self.defaulted(reading?, default, expr.span)
            }
            ExprKind::Or(_) | ExprKind::And(_) | ExprKind::Not(_) | ExprKind::Compare(..) => {
                self.fail(error::condition::not_a_fact(expr.span, "a condition"))
            }
            _ => {
                let constant = self.constant(expr)?;
                self.fail(error::condition::not_a_fact(expr.span, constant.noun()))
            }
        }
    }

    /// A reading with what it is where it is unknown.
    pub(super) fn defaulted(&mut self, reading: Reading, default: &'a Expr, span: Span) -> Option<Reading> {
        if let Some(place) = fact_in(default) {
            return self.fail(error::condition::default_is_fact(place));
        }
        let constant = self.constant(default)?;
        let fallback = self.value(&reading, constant, default)?;
        if !reading.fact.is_optional() {
            self.report(error::condition::needless_default(reading.span, default.span, &reading.name()));
            return Some(Reading { fallback: None, span, ..reading });
        }
        Some(Reading { fallback: Some(fallback), span, ..reading })
    }

    /// A reading that must have a value here.
    pub(super) fn definite(&mut self, reading: Reading) -> Option<Reading> {
        if self.has_value(&reading) {
            return Some(reading);
        }
        self.fail(error::condition::may_be_unknown(reading.span, &reading))
    }

    /// What is known where the rule is due; nothing while an `until` keeps it triggered.
    pub(super) fn narrow_by_own_condition(&mut self, latched: bool) {
        self.known.clear();
        if let OwnCondition::Sound(condition) = &self.own
            && !latched
        {
            narrow(condition, true, &mut self.known);
        }
    }
}

/// The function that tests whether a fact is known.
const KNOWN: &str = "known";

/// Whether a broken condition may have tested that a fact is known: it has a function that is no fact.
fn may_test_known(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Or(parts) | ExprKind::And(parts) => parts.iter().any(may_test_known),
        ExprKind::Not(inner) => may_test_known(inner),
        ExprKind::Call(name, _) => !crate::fact::is_fact_name(&name.node),
        _ => false,
    }
}

/// The span of a fact in an expression that must be constant.
fn fact_in(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Name(name) if crate::fact::is_fact_name(name) => Some(expr.span),
        ExprKind::Call(..) => Some(expr.span),
        ExprKind::Default(fact, _) => fact_in(fact).or(Some(expr.span)),
        _ => None,
    }
}
