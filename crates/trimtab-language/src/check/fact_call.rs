//! Checks facts and their arguments.

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::{Decimal, Unit, Value};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Argument, Expr, ExprKind};

use super::checker::{Checker, OwnCondition};
use super::constant::Constant;
use super::error::{self, Wanted};
use super::narrowing;
use super::policy::Reading;
use super::scope::Named;
use crate::fact::{CallsFrom, Fact, Parameter, ParameterKind, Recent, texts_argument, tools_argument};

impl<'a> Checker<'_, 'a> {
    /// A fact without arguments. In a guard or a text it takes the arguments from the rule's condition.
    pub(super) fn bare(&mut self, fact: &'static Fact, span: Span) -> Option<Reading> {
        if fact.is_host() {
            return self.fail_without_name(span);
        }
        let mut found: Vec<&Reading> = Vec::new();
        if let OwnCondition::Sound(condition) = &self.own {
            found.extend(condition.readings().filter(|reading| std::ptr::eq(reading.fact, fact)));
        }
        let Some(first) = found.first() else { return self.by_default(fact, span) };
        if let Some(other) = found.iter().find(|other| other.arguments != first.arguments) {
            let finding = error::fact::ambiguous(span, fact.name, first.span, other.span);
            return self.fail(finding);
        }
        let bare = Reading { fallback: None, span, ..(*first).clone() };
        Some(self.with_own_fallback(bare))
    }

    /// A reading in a guard or a text, with its default in the rule's condition unless it is known there.
    fn with_own_fallback(&self, reading: Reading) -> Reading {
        let OwnCondition::Sound(condition) = &self.own else { return reading };
        if self.known.iter().any(|known| narrowing::is_same(known, &reading)) {
            return reading;
        }
        let mut same = condition.readings().filter(|other| narrowing::is_same(other, &reading));
        let fallback = same.find_map(|other| other.fallback.clone());
        Reading { fallback, ..reading }
    }

    /// A fact that the host supplies, by its declared name.
    pub(super) fn host_fact(&mut self, name: &str, span: Span) -> Option<Reading> {
        match self.scope.host_fact(name) {
            Named::Defined(fact) => Some(self.with_own_fallback(Reading::of_host(fact.fact, &fact.name.node, span))),
            Named::Unknown => None,
            Named::Undefined => {
                let finding = error::host_fact::undeclared(span, name, &self.scope.host_fact_names());
                self.fail(finding)
            }
        }
    }

    /// Reports `host` without the name of a fact.
    pub(super) fn fail_without_name<T>(&mut self, span: Span) -> Option<T> {
        let finding = error::host_fact::without_name(span, &self.scope.host_fact_names());
        self.fail(finding)
    }

    fn by_default(&mut self, fact: &'static Fact, span: Span) -> Option<Reading> {
        if fact.compares_facts() {
            return self.comparing(fact, &[], span);
        }
        let mut arguments = Vec::with_capacity(fact.parameters.len());
        for parameter in fact.parameters {
            match default(parameter) {
                Some(value) => arguments.push(value),
                None if matches!(self.own, OwnCondition::Broken) => return None,
                None => return self.fail(error::fact::missing(span, fact, parameter)),
            }
        }
        Some(Reading::new(fact, arguments, span))
    }

    /// A fact with arguments.
    pub(super) fn call(&mut self, fact: &'static Fact, given: &'a [Argument], span: Span) -> Option<Reading> {
        if fact.compares_facts() {
            return self.comparing(fact, given, span);
        }
        let mut slots: Vec<Option<(Span, Option<Value>)>> = vec![None; fact.parameters.len()];
        let mut sound = true;
        for (at, argument) in given.iter().enumerate() {
            sound &= self.argument(fact, argument, at == 0, &mut slots).is_some();
        }
        let mut arguments = Vec::with_capacity(slots.len());
        for (parameter, slot) in fact.parameters.iter().zip(slots) {
            match (slot, default(parameter)) {
                (Some((_, Some(value))), _) | (None, Some(value)) => arguments.push(value),
                (Some((_, None)), _) => sound = false,
                (None, None) => {
                    if sound {
                        self.report(error::fact::missing(span, fact, parameter));
                    }
                    sound = false;
                }
            }
        }
        sound.then_some(Reading::new(fact, arguments, span))
    }

    fn argument(
        &mut self,
        fact: &'static Fact,
        argument: &'a Argument,
        is_first: bool,
        slots: &mut [Option<(Span, Option<Value>)>],
    ) -> Option<()> {
        let whole = argument.name.as_ref().map_or(argument.value.span, |name| name.span.to(argument.value.span));
        if fact.parameters.is_empty() {
            return self.fail(error::fact::no_parameters(whole, fact));
        }
        let at = match &argument.name {
            None if is_first => 0,
            None => return self.fail(error::fact::unnamed(whole, fact)),
            Some(name) => match fact.parameters.iter().position(|parameter| parameter.name == name.node) {
                Some(at) => at,
                None => return self.fail(error::fact::unknown(name, fact)),
            },
        };
        if let Some((first, _)) = &slots[at] {
            let first = *first;
            return self.fail(error::fact::duplicate(whole, first, fact.parameters[at].name));
        }
        let value = self.argument_value(fact, fact.parameters[at], &argument.value);
        slots[at] = Some((whole, value.clone()));
        value.map(|_| ())
    }

    fn argument_value(&mut self, fact: &Fact, parameter: &Parameter, expr: &'a Expr) -> Option<Value> {
        match parameter.kind {
            ParameterKind::Number(unit, _) | ParameterKind::Limit(unit) => {
                let constant = self.constant(expr)?;
                let what = format!("`{}` of `{}`", parameter.name, fact.name);
                let amount = self.amount(constant, &[unit], &Wanted::new(&what), expr)?.amount;
                if amount < Decimal::ONE {
                    return self.fail(error::unit::too_small(expr.span, &what, unit));
                }
                Some(Value::Number(amount))
            }
            ParameterKind::CallsFrom => match &expr.kind {
                ExprKind::Name(word) if CallsFrom::from_word(word).is_some() => Some(Value::Text(word.clone())),
                kind => {
                    let (word, words) = (word_of(kind), &CallsFrom::WORDS);
                    self.fail(error::fact::not_a_choice(expr.span, word, parameter.name, fact, words))
                }
            },
            ParameterKind::Scope(_) => {
                self.scope_of_fact(fact, parameter.name, expr).map(|scope| Value::Text(scope.word().into()))
            }
            ParameterKind::Recent(units, _) => self.recent(expr, parameter, fact, units),
            ParameterKind::Tool | ParameterKind::Variable | ParameterKind::HostFact => {
                self.name_of(expr, parameter, fact).map(Value::Text)
            }
            ParameterKind::Tools | ParameterKind::AfterTools => self.tools_of(expr, parameter, fact),
            ParameterKind::Texts => self.texts_of(expr, parameter, fact),
            // A fact with such parameters is checked by `comparing`.
            ParameterKind::OwnRule | ParameterKind::Facts => None,
            ParameterKind::Rule => {
                let name = self.name_of(expr, parameter, fact)?;
                if let Some(rules) = self.rules.as_ref().filter(|rules| !rules.contains_key(name.as_str())) {
                    let finding = error::name::unknown_rule(expr.span, &name, rules.keys().copied());
                    return self.fail(finding);
                }
                Some(Value::Text(name))
            }
        }
    }

    /// How far back to look.
    fn recent(&mut self, expr: &'a Expr, parameter: &Parameter, fact: &Fact, units: &[Unit]) -> Option<Value> {
        let constant = self.constant(expr)?;
        let what = format!("`{}` of `{}`", parameter.name, fact.name);
        let quantity = self.amount(constant, units, &Wanted::new(&what), expr)?;
        let is_too_small =
            if quantity.unit.is_whole() { quantity.amount < Decimal::ONE } else { quantity.amount.is_zero() };
        if is_too_small {
            return self.fail(error::unit::too_small(expr.span, &what, quantity.unit));
        }
        Recent::of(quantity).map(|recent| Recent::argument(Some(recent)))
    }

    /// A name, written as a word or in quotes.
    fn name_of(&mut self, expr: &'a Expr, parameter: &Parameter, fact: &Fact) -> Option<SmolStr> {
        match &expr.kind {
            ExprKind::Text(text) => Some(text.value.as_str().into()),
            ExprKind::Name(name) if self.scope.has_let(name) => match self.scope.constant(name).defined()? {
                Constant::Text(text) => Some(text.value.as_str().into()),
                other => self.fail(error::fact::not_a_name(expr.span, other.noun(), parameter.name, fact)),
            },
            ExprKind::Name(name) => Some(name.clone()),
            _ => self.fail(error::fact::not_a_name(expr.span, "this", parameter.name, fact)),
        }
    }

    /// A tool, or a list of tools.
    fn tools_of(&mut self, expr: &'a Expr, parameter: &Parameter, fact: &Fact) -> Option<Value> {
        let names = self.words_of(expr, |noun| error::fact::not_tools(expr.span, noun, parameter.name, fact))?;
        Some(tools_argument(names.iter().map(SmolStr::as_str)))
    }

    /// A text, or a list of texts.
    fn texts_of(&mut self, expr: &'a Expr, parameter: &Parameter, fact: &Fact) -> Option<Value> {
        let wrong = |noun: &str| error::fact::not_texts(expr.span, noun, parameter.name, fact);
        let texts = self.words_of(expr, wrong)?;
        if texts.iter().any(SmolStr::is_empty) {
            return self.fail(wrong("an empty text"));
        }
        Some(texts_argument(texts.iter().map(SmolStr::as_str)))
    }

    /// Words or texts: one, or a list of at least one.
    fn words_of(&mut self, expr: &'a Expr, wrong: impl Fn(&str) -> Diagnostic) -> Option<Vec<SmolStr>> {
        let constant = match &expr.kind {
            ExprKind::Name(name) if self.scope.has_let(name) => Some(self.scope.constant(name).defined()?),
            _ => None,
        };
        let words = match (&expr.kind, constant) {
            (ExprKind::List(terms), _) => self.names(terms)?,
            (_, Some(Constant::List(terms))) => self.names(terms)?,
            (_, Some(Constant::Text(text))) => vec![text.value.as_str().into()],
            (_, Some(other)) => return self.fail(wrong(other.noun())),
            (ExprKind::Text(text), None) => vec![text.value.as_str().into()],
            (ExprKind::Name(name), None) => vec![name.clone()],
            _ => return self.fail(wrong("another value")),
        };
        if words.is_empty() { self.fail(wrong("an empty list")) } else { Some(words) }
    }

    /// A number in one of several units; without a unit if the only one is counted.
    pub(super) fn amount(
        &mut self,
        constant: Constant<'a>,
        units: &[Unit],
        wanted: &Wanted<'_>,
        expr: &Expr,
    ) -> Option<trimtab_base::quantity::Quantity> {
        let place = match &expr.kind {
            ExprKind::Name(name) => self.scope.value_span(name),
            _ => None,
        };
        self.fit(constant, units, wanted, expr.span, place)
    }
}

/// The default of a parameter.
fn default(parameter: &Parameter) -> Option<Value> {
    match parameter.kind {
        ParameterKind::Number(Unit::Share, _)
        | ParameterKind::Texts
        | ParameterKind::Tool
        | ParameterKind::Rule
        | ParameterKind::OwnRule
        | ParameterKind::Facts
        | ParameterKind::Variable
        | ParameterKind::HostFact => None,
        ParameterKind::Limit(_) => Some(Value::whole(0)),
        ParameterKind::Recent(_, default) => default.argument(),
        ParameterKind::Tools | ParameterKind::AfterTools => Some(tools_argument([])),
        ParameterKind::Number(_, number) => Some(Value::Number(number.into())),
        ParameterKind::CallsFrom => Some(Value::Text(SmolStr::new_static(CallsFrom::WORDS[0]))),
        ParameterKind::Scope(scope) => Some(Value::Text(SmolStr::new_static(scope.word()))),
    }
}

/// The word or text of an expression, for messages.
fn word_of(kind: &ExprKind) -> Option<&str> {
    match kind {
        ExprKind::Name(word) => Some(word),
        ExprKind::Text(text) => Some(&text.value),
        _ => None,
    }
}
