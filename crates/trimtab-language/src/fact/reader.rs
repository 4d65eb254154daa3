//! Where the values of facts come from.

use smol_str::SmolStr;
use trimtab_base::quantity::Value;

use super::argument::Arguments;
use super::descriptor::{Fact, Source};
use super::history::Seen;
use super::moment::Moment;
use super::scope::Scope;

/// A source of values for facts: a moment of a conversation, the values of a test, a witness of the analysis.
pub trait Facts {
    /// Returns the value of the fact with an argument for each of its parameters, or `None` if it is unknown.
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value>;

    /// Returns the context window in tokens, or `None` if it is unknown or switched off by 0.
    fn window(&self) -> Option<u64>;

    /// Returns the items that a fact counts, which texts show instead of their number, or `None` if it counts no list,
    /// or if only the number is known here.
    fn items(&self, _fact: &'static Fact, _arguments: &[Value]) -> Option<Vec<SmolStr>> {
        None
    }

    /// Returns what a rule saw when it last fired, or `None` if it has not fired, or if that is not known here.
    fn seen(&self, _rule: &str, _scope: Scope) -> Option<&Seen> {
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

    fn items(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Vec<SmolStr>> {
        match fact.source {
            Source::List(items) => Some(items(self, &Arguments::new(fact.parameters, arguments))),
            _ => None,
        }
    }

    fn seen(&self, rule: &str, scope: Scope) -> Option<&Seen> {
        self.rules.seen(rule, scope)
    }
}
