//! Sources: the hidden values that readings are computed from. Several facts may show the value of one source.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Type, Unit, Value};

use crate::check::Reading;
use crate::fact::{self, Fact, Facts};

/// What the values of readings are computed from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'c> {
    /// The value of a fact, read with the arguments of this reading. It may be the fact that the reading's is derived
    /// from.
    Fact(&'static Fact, &'c Reading),
    /// Whether a text contains this, unless the text is unknown: a text may contain any of several parts. With the
    /// index of the source of the text.
    Part(&'c SmolStr, usize),
}

impl<'c> Source<'c> {
    /// The source of a reading.
    pub(super) const fn of(reading: &'c Reading) -> Self {
        Self::Fact(reading.fact.base(), reading)
    }

    /// Whether two sources are the same.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fact(a, reading), Self::Fact(b, other)) => std::ptr::eq(*a, *b) && has_same_source(reading, other),
            (Self::Part(a, text), Self::Part(b, other)) => a == b && text == other,
            _ => false,
        }
    }

    /// Returns the fact whose values it has, or `None` for a part of a text.
    pub(super) const fn fact(&self) -> Option<&'static Fact> {
        match self {
            Self::Fact(fact, _) => Some(fact),
            Self::Part(..) => None,
        }
    }

    /// Returns the name of the fact as a policy writes it, or `None` for a part of a text.
    pub(super) fn name(&self) -> Option<SmolStr> {
        match self {
            Self::Fact(_, reading) if reading.fact.is_host() => Some(reading.name()),
            Self::Fact(fact, _) => Some(SmolStr::new_static(fact.name)),
            Self::Part(..) => None,
        }
    }

    /// Returns the largest of its values, or `None` if there is none.
    pub(super) fn largest(&self) -> Option<Decimal> {
        match self {
            Self::Fact(fact, reading) => fact.largest_in_domain(&reading.arguments),
            Self::Part(..) => None,
        }
    }

    /// Returns the number of equal steps from 0 to 1 in which its values lie, or `None` if they are not counted.
    pub(super) fn steps(&self) -> Option<Decimal> {
        match self {
            Self::Fact(fact, reading) => fact.steps(&reading.arguments),
            Self::Part(..) => None,
        }
    }

    /// Whether its values are whole numbers.
    pub(super) fn is_whole(&self) -> bool {
        self.fact().is_none_or(|fact| matches!(fact.ty, Type::Number(Unit::Tokens | Unit::Chars | Unit::Counted(_))))
    }

    /// Whether its values are numbers of tokens, which are large.
    pub(super) fn is_large(&self) -> bool {
        self.fact().is_some_and(|fact| fact.ty == Type::Number(Unit::Tokens))
    }

    /// Whether it may be unknown by itself.
    pub(super) fn is_optional(&self) -> bool {
        self.fact().is_some_and(Fact::is_optional)
    }
}

/// Whether two readings of facts with one base have the same source: equal arguments, the one that only caps apart.
fn has_same_source(reading: &Reading, other: &Reading) -> bool {
    let caps = |reading: &Reading| match reading.fact.source {
        fact::Source::CappedBy(_) => reading.fact.cap(&reading.arguments).map(|(at, _)| at),
        _ => None,
    };
    let (cap, pairs) = (caps(reading), reading.arguments.iter().zip(&other.arguments));
    reading.arguments.len() == other.arguments.len()
        && cap == caps(other)
        && pairs.enumerate().all(|(at, (argument, other))| Some(at) == cap || argument == other)
}

/// Whether two readings are of one fact with the same arguments, whatever their fallbacks.
pub fn is_same(a: &Reading, b: &Reading) -> bool {
    std::ptr::eq(a.fact, b.fact) && a.arguments == b.arguments
}

/// The facts that show one value of a source, under a window.
pub(super) struct DerivedFacts<'a> {
    /// The value of the source, or `None` if it is unknown.
    pub(super) value: Option<&'a Value>,
    pub(super) window: Option<u64>,
    pub(super) reserve: u64,
}

impl Facts for DerivedFacts<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let value = self.value?;
        let Value::Number(number) = value else { return Some(value.clone()) };
        let derived = fact.derive(*number, self.window, self.reserve)?;
        let cap = fact.cap(arguments).map_or(Decimal::MAX, |(_, cap)| cap);
        Some(Value::Number(derived.min(cap)))
    }

    fn window(&self) -> Option<u64> {
        self.window.filter(|&window| window > 0)
    }
}
