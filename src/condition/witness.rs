//! Witnesses: values for facts under which something holds.

use std::fmt;

use super::source::is_same;
use crate::check::Reading;
use crate::check::spoken;
use crate::fact::{Fact, Facts};
use crate::quantity::{Decimal, Type, Unit, Value};

/// Values for facts under which something holds; the evaluator has confirmed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// The context window in tokens; none where it is unknown or does not matter.
    pub window: Option<u64>,
    /// Whether a share of the window matters.
    windowed: bool,
    /// What is read, in the order written.
    values: Vec<(Reading, Option<Value>)>,
    /// The tokens behind shares.
    tokens: Vec<(Reading, Option<Value>)>,
}

impl Witness {
    pub(super) const fn new(window: Option<u64>, windowed: bool) -> Self {
        Self { window, windowed, values: Vec::new(), tokens: Vec::new() }
    }

    /// Notes what a reading gives.
    pub(super) fn note(&mut self, reading: &Reading, facts: &dyn Facts) {
        if self.values.iter().any(|(other, _)| is_same(other, reading)) {
            return;
        }
        let bare = Reading { fallback: None, ..reading.clone() };
        self.values.push((bare, facts.value(reading.fact, &reading.arguments)));
        if let Some(fact) = reading.fact.share_of() {
            let tokens = Reading { fact, arguments: Vec::new(), fallback: None, span: reading.span };
            self.tokens.push((tokens, facts.value(fact, &[])));
        }
    }

    /// What is read, in the order written, each with its value; none where it is unknown.
    pub fn values(&self) -> impl Iterator<Item = (&Reading, Option<&Value>)> {
        self.values.iter().map(|(reading, value)| (reading, value.as_ref()))
    }

    /// The values as people read them: `context.ratio = 85% (170,000 of 200,000 tokens), iteration = 0`.
    pub fn spoken(&self) -> String {
        let mut told = false;
        let mut parts: Vec<String> = Vec::with_capacity(self.values.len() + 1);
        for (reading, value) in &self.values {
            let (text, window) = self.one(reading, value.as_ref());
            told |= window;
            parts.push(text);
        }
        match self.window {
            Some(window) if self.windowed && !told => {
                let window = Value::Number(Decimal::from(window)).display(Type::Number(Unit::Tokens));
                parts.push(format!("a window of {window}"));
            }
            None if self.windowed => parts.push("the window unknown".to_owned()),
            _ => {}
        }
        parts.join(", ")
    }

    /// One value, and whether it names the window.
    fn one(&self, reading: &Reading, value: Option<&Value>) -> (String, bool) {
        let name = spoken(reading);
        let ty = reading.fact.ty;
        let Some(value) = value else { return (format!("{name} is unknown"), false) };
        let number = Type::Number(Unit::Tokens);
        if let (Some(fact), Some(window), Value::Number(share)) = (reading.fact.share_of(), self.window, value)
            && let Some(Value::Number(tokens)) = self.value(fact, &[])
        {
            let window = Value::Number(Decimal::from(window)).display(number);
            let tokens = crate::quantity::grouped(tokens);
            let share = (*share * Decimal::ONE_HUNDRED).round_dp(2).normalize();
            return (format!("{name} = {share}% ({tokens} of {window})"), true);
        }
        let value = match ty {
            Type::Number(Unit::Counted(_)) => value.spoken(ty),
            _ => value.display(ty),
        };
        (format!("{name} = {value}"), false)
    }
}

impl Facts for Witness {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let asked = |(reading, _): &&(Reading, Option<Value>)| {
            std::ptr::eq(reading.fact, fact) && reading.arguments == arguments
        };
        self.values.iter().chain(&self.tokens).find(asked).and_then(|(_, value)| value.clone())
    }

    fn window(&self) -> Option<u64> {
        self.window.filter(|&window| window > 0)
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.spoken())
    }
}
