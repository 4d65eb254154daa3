//! Numbers as they are written.

use trimtab_base::quantity::Decimal;

/// The value of a number literal, without a unit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// `80%`, as a fraction of 1.
    Percent(Decimal),
    /// `$1.50`
    Money(Decimal),
    /// `8m30s`, in seconds.
    Duration(Decimal),
    /// `200k`, `1.5M`, `10`
    Plain(Decimal),
}
