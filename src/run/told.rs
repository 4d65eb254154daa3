//! A moment at which some facts are told rather than read, as a test does.

use crate::fact::{Fact, Facts, Moment};
use crate::quantity::Value;

/// What is told of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Telling {
    /// That it is unknown.
    Unknown,
    /// Its value.
    Is(Value),
}

/// Facts that are told rather than read from the conversation.
pub trait Given {
    /// What is told of a fact; none when nothing is.
    fn told(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Telling>;
}

/// Facts that are told, and a moment for the others.
pub(super) struct Told<'a> {
    pub(super) given: Option<&'a dyn Given>,
    pub(super) moment: Moment<'a>,
}

impl Facts for Told<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        match self.given.and_then(|given| given.told(fact, arguments)) {
            None => self.moment.value(fact, arguments),
            Some(Telling::Unknown) => None,
            Some(Telling::Is(value)) => Some(value),
        }
    }

    fn window(&self) -> Option<u64> {
        self.moment.window()
    }
}
