//! Checks facts that compare others with what their rule saw when it last fired.

use trimtab_base::quantity::Value;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Argument, Expr, ExprKind};

use super::checker::Checker;
use super::display::format_reading;
use super::error;
use super::policy::Reading;
use crate::fact::{Fact, Parameter, ParameterKind, Scope};

impl Reading {
    /// Returns a reading, in a rule, of a fact that compares other facts with their values at the last firing in a
    /// scope, or `None` for a fact that compares none.
    pub fn comparing(
        fact: &'static Fact,
        rule: &str,
        (mut compared, scope): (Vec<Self>, Scope),
        span: Span,
    ) -> Option<Self> {
        compared.sort_by_cached_key(format_reading);
        compared.dedup_by_key(|reading| format_reading(reading));
        let texts: Vec<String> = compared.iter().map(format_reading).collect();
        let argument = |parameter: &&Parameter| match parameter.kind {
            ParameterKind::OwnRule => Some(Value::Text(rule.into())),
            ParameterKind::Facts => Some(Value::Text(texts.join(", ").into())),
            ParameterKind::Scope(_) => Some(Value::Text(scope.word().into())),
            _ => None,
        };
        let arguments = fact.parameters.iter().map(argument).collect::<Option<_>>()?;
        Some(Self { compared, ..Self::new(fact, arguments, span) })
    }
}

impl<'a> Checker<'_, 'a> {
    /// A fact that compares these others.
    pub(super) fn comparing(&mut self, fact: &'static Fact, given: &'a [Argument], span: Span) -> Option<Reading> {
        let Some(rule) = self.rule.clone() else { return self.fail(error::fact::outside_a_rule(span, fact)) };
        let (scopes, facts): (Vec<_>, Vec<_>) = given.iter().partition(|argument| is_scope(fact, argument));
        let scope = self.compared_scope(fact, &scopes);
        let compared: Vec<Reading> = facts.iter().filter_map(|argument| self.compared_fact(fact, argument)).collect();
        if compared.len() < facts.len() {
            return None;
        }
        Reading::comparing(fact, &rule, (compared, scope?), span)
    }

    /// How far back the last firing may be.
    fn compared_scope(&mut self, fact: &'static Fact, scopes: &[&'a Argument]) -> Option<Scope> {
        let Some((first, rest)) = scopes.split_first() else { return Some(Scope::default()) };
        if let Some(second) = rest.first() {
            let name = first.name.as_ref().map_or("", |name| name.node.as_str());
            return self.fail(error::fact::duplicate(second.value.span, first.value.span, name));
        }
        self.scope_of_fact(fact, first.name.as_ref().map_or("", |name| &name.node), &first.value)
    }

    /// How far back a fact remembers, by its word.
    pub(super) fn scope_of_fact(&mut self, fact: &Fact, parameter: &str, expr: &'a Expr) -> Option<Scope> {
        let word = match &expr.kind {
            ExprKind::Name(word) => Some(word.as_str()),
            _ => None,
        };
        let scope = word.and_then(Scope::from_word);
        if scope.is_none() {
            self.report(error::fact::not_a_choice(expr.span, word, parameter, fact, &Scope::WORDS));
        }
        scope
    }

    fn compared_fact(&mut self, fact: &'static Fact, argument: &'a Argument) -> Option<Reading> {
        let is_fact = matches!(argument.value.kind, ExprKind::Name(_) | ExprKind::Call(..));
        if argument.name.is_some() || !is_fact {
            return self.fail(error::fact::not_compared(argument.value.span, fact));
        }
        let reading = self.reading(&argument.value)?;
        if reading.fact.compares_facts() {
            return self.fail(error::fact::not_compared(argument.value.span, fact));
        }
        Some(Reading { fallback: None, ..reading })
    }
}

/// Whether an argument of a fact that compares others says how far back.
fn is_scope(fact: &Fact, argument: &Argument) -> bool {
    let is_scope_parameter = |parameter: &&&Parameter| matches!(parameter.kind, ParameterKind::Scope(_));
    let name = fact.parameters.iter().find(is_scope_parameter).map(|parameter| parameter.name);
    name.is_some() && argument.name.as_ref().map(|name| name.node.as_str()) == name
}
