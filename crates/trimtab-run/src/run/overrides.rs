//! Facts with given values, as in a test.

use smol_str::SmolStr;
use trimtab_base::quantity::Value;
use trimtab_language::fact::{Fact, Facts, Moment, Scope, Seen};

/// The given value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum FactOverride {
    /// The fact is unknown.
    Unknown,
    /// The fact has this value.
    Value(Value),
}

/// Facts whose values are given instead of being read from the conversation.
pub trait FactOverrides {
    /// Returns the given value of a fact, or `None` if the fact is read from the conversation.
    fn get(&self, fact: &'static Fact, arguments: &[Value]) -> Option<FactOverride>;
}

/// The facts of a moment, some of them with given values.
pub(super) struct OverriddenFacts<'a> {
    pub(super) overrides: Option<&'a dyn FactOverrides>,
    pub(super) moment: Moment<'a>,
}

impl Facts for OverriddenFacts<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        match self.overrides.and_then(|overrides| overrides.get(fact, arguments)) {
            None => self.moment.value(fact, arguments),
            Some(FactOverride::Unknown) => None,
            Some(FactOverride::Value(value)) => Some(value),
        }
    }

    fn items(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Vec<SmolStr>> {
        let is_given = self.overrides.is_some_and(|overrides| overrides.get(fact, arguments).is_some());
        if is_given { None } else { self.moment.items(fact, arguments) }
    }

    fn window(&self) -> Option<u64> {
        self.moment.window()
    }

    fn seen(&self, rule: &str, scope: Scope) -> Option<&Seen> {
        self.moment.seen(rule, scope)
    }
}
