//! What varies: the hidden values that readings are taken from. Several facts may show one of them.

use smol_str::SmolStr;

use crate::check::Reading;
use crate::fact::{Fact, Facts};
use crate::quantity::{Decimal, Type, Unit, Value};

/// Where the values of readings come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'c> {
    /// The size of the context: `context.tokens`, `context.ratio`, `context.free`.
    Context,
    /// The size of the last call's context: `reported.tokens`, `reported.ratio`.
    Reported,
    /// How many of the newest calls are alike, in the context or in the run. `repeats(within: N)` is that or N, the
    /// lesser.
    Alike(&'c Value),
    /// A fact that stands for itself.
    Own(&'c Reading),
    /// Whether a text contains this, unless it is unknown: a text may contain any of several parts. With the source of
    /// the text.
    Part(&'c SmolStr, usize),
}

impl<'c> Source<'c> {
    /// Where a reading is taken from.
    pub(super) fn of(reading: &'c Reading) -> Self {
        match (reading.fact.name, reading.arguments.as_slice()) {
            ("context.tokens" | "context.ratio" | "context.free", _) => Self::Context,
            ("reported.tokens" | "reported.ratio", _) => Self::Reported,
            ("repeats", [Value::Number(_), place]) => Self::Alike(place),
            _ => Self::Own(reading),
        }
    }

    /// Whether two readings are taken from one source.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Context, Self::Context) | (Self::Reported, Self::Reported) => true,
            (Self::Alike(a), Self::Alike(b)) => a == b,
            (Self::Own(a), Self::Own(b)) => is_same(a, b),
            (Self::Part(a, text), Self::Part(b, other)) => a == b && text == other,
            _ => false,
        }
    }

    /// The name of the fact that stands for itself.
    pub(super) fn name(&self) -> Option<&'static str> {
        match self {
            Self::Own(reading) => Some(reading.fact.name),
            _ => None,
        }
    }

    /// Whether its values are whole numbers.
    pub(super) fn is_whole(&self) -> bool {
        match self {
            Self::Own(reading) => {
                matches!(reading.fact.ty, Type::Number(Unit::Tokens | Unit::Chars | Unit::Counted(_)))
            }
            _ => true,
        }
    }

    /// Whether its values are numbers of tokens, which are large.
    pub(super) fn is_large(&self) -> bool {
        match self {
            Self::Own(reading) => reading.fact.ty == Type::Number(Unit::Tokens),
            Self::Context | Self::Reported => true,
            _ => false,
        }
    }

    /// Whether it may be unknown by itself.
    pub(super) fn is_optional(&self) -> bool {
        match self {
            Self::Own(reading) => reading.fact.optional,
            Self::Reported => true,
            _ => false,
        }
    }
}

/// Whether two readings are of one fact with the same arguments, whatever stands for them when it is unknown.
pub fn is_same(a: &Reading, b: &Reading) -> bool {
    std::ptr::eq(a.fact, b.fact) && a.arguments == b.arguments
}

/// One value of a source under a window, as the facts that show it.
pub(super) struct Shown<'a> {
    pub(super) value: Option<&'a Value>,
    pub(super) window: Option<u64>,
    pub(super) reserve: u64,
}

impl Facts for Shown<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let value = self.value?;
        let Value::Number(number) = value else { return Some(value.clone()) };
        match (fact.name, arguments) {
            ("context.ratio" | "reported.ratio", _) => {
                number.checked_div(Decimal::from(self.window()?)).map(Value::Number)
            }
            ("context.free", _) => {
                Some(Value::Number(Decimal::from(self.window()?) - Decimal::from(self.reserve) - number))
            }
            ("repeats", [Value::Number(within), ..]) => Some(Value::Number(*number.min(within))),
            _ => Some(value.clone()),
        }
    }

    fn window(&self) -> Option<u64> {
        self.window.filter(|&window| window > 0)
    }
}
