//! How far back a fact looks: a number of calls or iterations, or a time.

use smol_str::{SmolStr, format_smolstr};
use trimtab_base::quantity::{Counted, Decimal, Quantity, Unit, Value, whole};

/// The newest calls, the newest iterations, or the newest part of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recent {
    /// This number of tool calls.
    Calls(u64),
    /// This number of model calls.
    Iterations(u64),
    /// This number of seconds.
    Time(Decimal),
}

/// Tool calls.
pub(super) const CALLS: Unit = Unit::Counted(Counted::Calls);
const ITERATIONS: Unit = Unit::Counted(Counted::Iterations);

/// Every unit in which a fact may look back.
pub(super) const RECENT_UNITS: &[Unit] = &[CALLS, ITERATIONS, Unit::Duration];

impl Recent {
    /// Returns a number of calls or iterations or a duration, or `None` for another unit.
    pub fn of(quantity: Quantity) -> Option<Self> {
        match quantity.unit {
            CALLS => Some(Self::Calls(whole(quantity.amount))),
            ITERATIONS => Some(Self::Iterations(whole(quantity.amount))),
            Unit::Duration => Some(Self::Time(quantity.amount)),
            _ => None,
        }
    }

    /// Returns it as a number with its unit.
    pub fn quantity(self) -> Quantity {
        match self {
            Self::Calls(calls) => Quantity::whole(calls, CALLS),
            Self::Iterations(iterations) => Quantity::whole(iterations, ITERATIONS),
            Self::Time(seconds) => Quantity::new(seconds, Unit::Duration),
        }
    }

    /// Returns the argument of a fact that says so; without a limit, an empty text.
    pub fn argument(recent: Option<Self>) -> Value {
        let text = |recent: Self| {
            let Quantity { amount, unit } = recent.quantity();
            format_smolstr!("{} {}", amount.normalize(), unit.word().unwrap_or("seconds"))
        };
        Value::Text(recent.map_or_else(SmolStr::default, text))
    }

    /// Reads the argument of a fact, or returns `None` without a limit.
    pub fn read(argument: &Value) -> Option<Self> {
        let Value::Text(text) = argument else { return None };
        let (amount, word) = text.split_once(' ')?;
        Self::of(Quantity::new(amount.parse().ok()?, Unit::from_word(word).unwrap_or(Unit::Duration)))
    }

    /// Whether it looks at least as far back as another one at every moment.
    pub fn includes(self, other: Self) -> bool {
        match (self, other) {
            (Self::Calls(wide), Self::Calls(narrow)) | (Self::Iterations(wide), Self::Iterations(narrow)) => {
                wide >= narrow
            }
            (Self::Time(wide), Self::Time(narrow)) => wide >= narrow,
            _ => false,
        }
    }
}

/// How far back a fact looks if that is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecentDefault {
    /// It must be written.
    Required,
    /// As far as the fact remembers.
    Everything,
    /// This number of tool calls.
    Calls(u32),
}

impl RecentDefault {
    /// Returns the argument that stands for none, or `None` if it is required.
    pub fn argument(self) -> Option<Value> {
        match self {
            Self::Required => None,
            Self::Everything => Some(Recent::argument(None)),
            Self::Calls(calls) => Some(Recent::argument(Some(Recent::Calls(calls.into())))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_read_as_it_was_written() {
        let half = Decimal::new(5, 1);
        for recent in [Recent::Calls(1), Recent::Calls(12_000), Recent::Iterations(5), Recent::Time(half)] {
            assert_eq!(Recent::read(&Recent::argument(Some(recent))), Some(recent));
            assert_eq!(Recent::of(recent.quantity()), Some(recent));
        }
        assert_eq!(Recent::argument(Some(Recent::Time(Decimal::new(36000, 1)))), Value::Text("3600 seconds".into()));
        assert_eq!(Recent::read(&Recent::argument(None)), None);
    }

    #[test]
    fn more_of_the_same_unit_looks_further_back() {
        assert!(Recent::Calls(5).includes(Recent::Calls(5)) && !Recent::Calls(4).includes(Recent::Calls(5)));
        assert!(!Recent::Calls(5).includes(Recent::Iterations(1)));
    }
}
