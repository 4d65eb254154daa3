//! The kinds of figures of which results consist: counts, amounts and shares, and how they add up.

mod amount;
mod by_name;
mod sum;

use rust_decimal::prelude::ToPrimitive;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::Trace;

pub use amount::{Amount, Share};
pub use by_name::ByName;
pub(super) use by_name::describe;
pub(super) use sum::{Sum, summed};

/// A count as results write it.
pub(super) fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A difference of tokens as results write it.
pub(super) fn signed(tokens: i128) -> i64 {
    i64::try_from(tokens).unwrap_or(if tokens < 0 { i64::MIN } else { i64::MAX })
}

/// A number rounded to this number of decimal places.
pub(super) fn rounded(value: Decimal, places: u32) -> f64 {
    value.round_dp(places).to_f64().unwrap_or_default()
}

/// The name of a rule by its index.
pub(super) fn rule_name(trace: &Trace, rule: usize) -> Option<String> {
    trace.rules.get(rule).map(|rule| rule.name.to_string())
}
