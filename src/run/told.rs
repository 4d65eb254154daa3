//! A moment at which some facts are told rather than read, as a test does.

use crate::fact::{Fact, Facts, Moment};
use crate::quantity::Value;

/// Facts that are told, and a moment for the others.
pub(super) struct Told<'a> {
    pub(super) given: Option<&'a dyn Facts>,
    pub(super) moment: Moment<'a>,
}

impl Facts for Told<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let given = self.given.and_then(|given| given.value(fact, arguments));
        given.or_else(|| self.moment.value(fact, arguments))
    }

    fn window(&self) -> Option<u64> {
        self.given.and_then(Facts::window).or_else(|| self.moment.window())
    }
}
