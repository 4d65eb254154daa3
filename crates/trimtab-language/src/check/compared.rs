//! Checks facts that compare others with what their rule saw when it last fired.

use trimtab_base::quantity::Value;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Argument, ExprKind};

use super::checker::Checker;
use super::display::format_reading;
use super::error;
use super::policy::Reading;
use crate::fact::{Fact, Parameter, ParameterKind};

impl Reading {
    /// A reading, in a rule, of a fact that compares others; none for a fact that does not.
    pub fn comparing(fact: &'static Fact, rule: &str, mut compared: Vec<Self>, span: Span) -> Option<Self> {
        compared.sort_by_cached_key(format_reading);
        compared.dedup_by_key(|reading| format_reading(reading));
        let texts: Vec<String> = compared.iter().map(format_reading).collect();
        let argument = |parameter: &&Parameter| match parameter.kind {
            ParameterKind::OwnRule => Some(Value::Text(rule.into())),
            ParameterKind::Facts => Some(Value::Text(texts.join(", ").into())),
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
        let compared: Vec<Reading> = given.iter().filter_map(|argument| self.compared_fact(fact, argument)).collect();
        if compared.len() < given.len() {
            return None;
        }
        Reading::comparing(fact, &rule, compared, span)
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
