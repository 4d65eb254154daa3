//! Witnesses: values of facts under which a condition has an outcome.

use std::fmt;

use trimtab_base::quantity::{Decimal, Type, Unit, Value, whole};

use super::source::is_same;
use crate::check::Reading;
use crate::check::format_reading;
use crate::fact::{self, Fact, Facts};

/// Values of facts under which conditions have certain outcomes, confirmed by the evaluator.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The context window in tokens, or `None` if it is unknown or irrelevant.
    pub window: Option<u64>,
    /// Whether a share of the window matters.
    uses_window: bool,
    /// The readings in the order written, with their values.
    values: Vec<(Reading, Option<Value>)>,
    /// The tokens behind shares.
    tokens: Vec<(Reading, Option<Value>)>,
}

impl Witness {
    pub(super) const fn new(window: Option<u64>, uses_window: bool) -> Self {
        Self { window, uses_window, values: Vec::new(), tokens: Vec::new() }
    }

    /// Adds the value of a reading.
    pub(super) fn add(&mut self, reading: &Reading, facts: &dyn Facts) {
        if self.values.iter().any(|(other, _)| is_same(other, reading)) {
            return;
        }
        let bare = Reading { fallback: None, ..reading.clone() };
        self.values.push((bare, facts.value(reading.fact, &reading.arguments)));
        if let Some(fact) = reading.fact.share_of() {
            let tokens = Reading::new(fact, Vec::new(), reading.span);
            self.tokens.push((tokens, facts.value(fact, &[])));
        }
    }

    /// Returns the readings in the order written, each with its value, or `None` if it is unknown.
    pub fn values(&self) -> impl Iterator<Item = (&Reading, Option<&Value>)> {
        self.values.iter().map(|(reading, value)| (reading, value.as_ref()))
    }

    /// Returns the value of `iteration`, or `None` if it does not matter.
    pub fn iteration(&self) -> Option<u64> {
        self.values().find(|(reading, _)| std::ptr::eq(reading.fact, fact::ITERATION)).and_then(|(_, value)| {
            match value? {
                Value::Number(number) => Some(whole(*number)),
                _ => None,
            }
        })
    }

    /// The values as text: `context.ratio = 85% (170,000 of 200,000 tokens), iteration = 0`.
    fn format(&self) -> String {
        let mut names_window = false;
        let mut parts: Vec<String> = Vec::with_capacity(self.values.len() + 1);
        for (reading, value) in &self.values {
            let (text, window) = self.format_value(reading, value.as_ref());
            names_window |= window;
            parts.push(text);
        }
        match self.window {
            Some(window) if self.uses_window && !names_window => {
                let window = Value::Number(Decimal::from(window)).display(Type::Number(Unit::Tokens));
                parts.push(format!("a window of {window}"));
            }
            None if self.uses_window => parts.push("the window unknown".to_owned()),
            _ => {}
        }
        parts.join(", ")
    }

    /// One value as text, and whether the text names the window.
    fn format_value(&self, reading: &Reading, value: Option<&Value>) -> (String, bool) {
        let name = format_reading(reading);
        let ty = reading.fact.ty;
        let Some(value) = value else { return (format!("{name} is unknown"), false) };
        let number = Type::Number(Unit::Tokens);
        if let (Some(fact), Some(window), Value::Number(share)) = (reading.fact.share_of(), self.window, value)
            && let Some(Value::Number(tokens)) = self.value(fact, &[])
        {
            let window = Value::Number(Decimal::from(window)).display(number);
            let tokens = trimtab_base::quantity::grouped(tokens);
            let share = (*share * Decimal::ONE_HUNDRED).round_dp(2).normalize();
            return (format!("{name} = {share}% ({tokens} of {window})"), true);
        }
        let value = match ty {
            Type::Number(Unit::Counted(_)) => value.format_bare(ty),
            _ => value.display(ty),
        };
        (format!("{name} = {value}"), false)
    }
}

impl Facts for Witness {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let is_it = |(reading, _): &&(Reading, Option<Value>)| {
            std::ptr::eq(reading.fact, fact) && reading.arguments == arguments
        };
        self.values.iter().chain(&self.tokens).find(is_it).and_then(|(_, value)| value.clone())
    }

    fn window(&self) -> Option<u64> {
        self.window.filter(|&window| window > 0)
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.format())
    }
}
