//! The facts of a moment, some of which may be overridden, as a test does.

use crate::fact::{Fact, Facts, Moment};
use crate::quantity::Value;

/// What replaces the value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Override {
    /// The fact is unknown.
    Unknown,
    /// The fact has this value.
    Value(Value),
}

/// Values that replace those read from the conversation.
pub trait FactOverrides {
    /// What replaces the value of a fact; none if the fact is read.
    fn get(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Override>;
}

/// A moment with the overrides of some of its facts.
pub(super) struct FactSource<'a> {
    pub(super) overrides: Option<&'a dyn FactOverrides>,
    pub(super) moment: Moment<'a>,
}

impl Facts for FactSource<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        match self.overrides.and_then(|overrides| overrides.get(fact, arguments)) {
            None => self.moment.value(fact, arguments),
            Some(Override::Unknown) => None,
            Some(Override::Value(value)) => Some(value),
        }
    }

    fn window(&self) -> Option<u64> {
        self.moment.window()
    }
}
