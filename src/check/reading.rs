//! Facts and their arguments.

use smol_str::SmolStr;

use super::constant::Constant;
use super::error;
use super::policy::Reading;
use super::scope::Scope;
use crate::diagnostic::nearest;
use crate::fact::{self, Fact, Parameter, ParameterKind};
use crate::quantity::{Decimal, Value};
use crate::source::Span;
use crate::syntax::tree::{Argument, Expr, ExprKind};

impl Scope<'_> {
    /// The fact that an expression names, with its arguments; none when it names none, which is then reported.
    pub(super) fn reading(&mut self, expr: &Expr) -> Option<Reading> {
        match &expr.kind {
            ExprKind::Name(name) => self.call(name, expr.span, &[], expr.span),
            ExprKind::Call(name, arguments) => self.call(&name.node, name.span, arguments, expr.span),
            _ => None,
        }
    }

    fn call(&mut self, name: &str, place: Span, arguments: &[Argument], span: Span) -> Option<Reading> {
        let Some(fact) = fact::find(name) else {
            let near = self.nearest(name);
            self.report(error::unknown_fact(place, name, near.as_deref()));
            return None;
        };
        let values = self.arguments(fact, arguments, place)?;
        Some(Reading { fact, arguments: values, fallback: None, span })
    }

    fn arguments(&mut self, fact: &'static Fact, arguments: &[Argument], place: Span) -> Option<Vec<Value>> {
        let mut given: Vec<Option<(Value, Span)>> = vec![None; fact.parameters.len()];
        let mut good = true;
        for (at, argument) in arguments.iter().enumerate() {
            let Some(index) = self.parameter(fact, argument, at) else {
                good = false;
                continue;
            };
            let value = self.argument(fact, &fact.parameters[index], &argument.value);
            good &= value.is_some();
            if let Some((_, first)) = &given[index] {
                let what = format!("`{}`", fact.parameters[index].name);
                self.report(error::twice(argument.value.span, *first, &what));
                good = false;
            } else {
                given[index] = Some((value.unwrap_or(Value::Bool(false)), argument.value.span));
            }
        }
        let mut values = Vec::with_capacity(given.len());
        for (parameter, given) in fact.parameters.iter().zip(given) {
            match given.map(|(value, _)| value).or_else(|| default(parameter)) {
                Some(value) => values.push(value),
                None => {
                    let help = format!("write `{}({})`", fact.name, sample(parameter));
                    self.report(error::argument(place, fact.name, &format!("`{}` is missing", parameter.name), &help));
                    good = false;
                }
            }
        }
        good.then_some(values)
    }

    fn parameter(&mut self, fact: &'static Fact, argument: &Argument, at: usize) -> Option<usize> {
        let names = || fact.parameters.iter().map(|parameter| parameter.name);
        let Some(name) = &argument.name else {
            if at == 0 && !fact.parameters.is_empty() {
                return Some(0);
            }
            let help = if fact.parameters.is_empty() { "remove it" } else { "name it: `name: value`" };
            self.report(error::argument(argument.value.span, fact.name, "this argument has no name", help));
            return None;
        };
        let found = names().position(|known| known == name.node);
        if found.is_none() {
            let help = match nearest(&name.node, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if fact.parameters.is_empty() => "it takes no arguments".to_owned(),
                None => format!("it takes {}", crate::diagnostic::alternatives(&names().collect::<Vec<_>>())),
            };
            self.report(error::argument(name.span, fact.name, &format!("there is no argument `{}`", name.node), &help));
        }
        found
    }

    fn argument(&mut self, fact: &Fact, parameter: &'static Parameter, value: &Expr) -> Option<Value> {
        match parameter.kind {
            ParameterKind::Number(unit, _) => match self.constant(value) {
                Constant::Number(number, given)
                    if given.is_none_or(|given| given == unit)
                        && number >= Decimal::ONE
                        && number.fract().is_zero() =>
                {
                    Some(Value::Number(number))
                }
                Constant::Broken => None,
                _ => self.refuse(fact, parameter, value.span, &format!("`{}`, at least 1", unit.sample())),
            },
            ParameterKind::Word(words) => match word(value) {
                Some(word) if words.contains(&word.as_str()) => Some(Value::Text(word)),
                _ => self.refuse(fact, parameter, value.span, &crate::diagnostic::alternatives(words)),
            },
            ParameterKind::Tool => match word(value) {
                Some(tool) => Some(Value::Text(tool)),
                None => self.refuse(fact, parameter, value.span, "the name of a tool, such as `\"bash\"`"),
            },
            ParameterKind::Rule => match word(value) {
                Some(rule) if self.rules.contains(&rule) => Some(Value::Text(rule)),
                Some(rule) => {
                    let near = nearest(&rule, self.rules.iter().map(SmolStr::as_str)).map(str::to_owned);
                    self.report(error::unknown_rule(value.span, &rule, near.as_deref()));
                    None
                }
                None => self.refuse(fact, parameter, value.span, "the name of a rule"),
            },
        }
    }

    fn refuse(&mut self, fact: &Fact, parameter: &Parameter, span: Span, wanted: &str) -> Option<Value> {
        let message = format!("`{}` takes {wanted}", parameter.name);
        self.report(error::argument(span, fact.name, &message, &format!("see `trimtab explain {}`", fact.name)));
        None
    }
}

/// A name, bare or in quotes.
fn word(value: &Expr) -> Option<SmolStr> {
    match &value.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Text(text) => Some(text.value.as_str().into()),
        _ => None,
    }
}

fn default(parameter: &Parameter) -> Option<Value> {
    match parameter.kind {
        ParameterKind::Number(_, number) => Some(Value::Number(number.into())),
        ParameterKind::Word(words) => Some(Value::Text(words[0].into())),
        ParameterKind::Tool | ParameterKind::Rule => None,
    }
}

fn sample(parameter: &Parameter) -> &'static str {
    if matches!(parameter.kind, ParameterKind::Rule) { "rule_name" } else { "\"bash\"" }
}
