//! A moment at which some facts are told rather than read, as a test does.

use crate::fact::{Fact, Facts, Moment};
use crate::quantity::Value;

/// Facts that are told rather than read from the conversation.
pub trait Given {
    /// What is told of a fact: nothing, that it is unknown, or its value.
    fn told(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Option<Value>>;
}

/// Facts that are told, and a moment for the others.
pub(super) struct Told<'a> {
    pub(super) given: Option<&'a dyn Given>,
    pub(super) moment: Moment<'a>,
}

impl Facts for Told<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let told = self.given.and_then(|given| given.told(fact, arguments));
        told.unwrap_or_else(|| self.moment.value(fact, arguments))
    }

    fn window(&self) -> Option<u64> {
        self.moment.window()
    }
}
