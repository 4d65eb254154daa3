//! Where the values of facts come from.

use trimtab_base::quantity::Value;

use super::argument::Arguments;
use super::descriptor::Fact;
use super::history::Seen;
use super::moment::Moment;

/// A source of values for facts: a moment of a conversation, the values of a test, a witness of the analysis.
pub trait Facts {
    /// The value of the fact with an argument for each of its parameters; none when it is unknown.
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value>;

    /// The context window in tokens; none when it is unknown or switched off by 0.
    fn window(&self) -> Option<u64>;

    /// What a rule saw when it last fired in this run; none if it has not fired, or if that is not known here.
    fn seen(&self, _rule: &str) -> Option<&Seen> {
        None
    }
}

impl Facts for Moment<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        (fact.read)(self, &Arguments::new(fact.parameters, arguments))
    }

    fn window(&self) -> Option<u64> {
        self.window.filter(|&window| window > 0)
    }

    fn seen(&self, rule: &str) -> Option<&Seen> {
        self.rules.seen(rule)
    }
}
