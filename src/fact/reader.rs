//! Where the values of facts come from.

use super::argument::Arguments;
use super::descriptor::Fact;
use super::moment::Moment;
use crate::quantity::Value;

/// A source of values for facts: a moment of a conversation, the values of a test, a witness of the analysis.
pub trait Facts {
    /// The value of the fact with an argument for each of its parameters; none when it is unknown.
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value>;

    /// The context window in tokens; none when it is unknown or switched off by 0.
    fn window(&self) -> Option<u64>;
}

impl Facts for Moment<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        (fact.read)(self, &Arguments::new(fact.parameters, arguments))
    }

    fn window(&self) -> Option<u64> {
        self.window.filter(|&window| window > 0)
    }
}
