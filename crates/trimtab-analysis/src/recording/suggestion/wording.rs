//! Numbers in the sentences of findings.

use trimtab_base::quantity::{Decimal, grouped};

/// A number with thousands separators.
pub(super) fn count(number: impl Into<Decimal>) -> String {
    grouped(number.into())
}

/// `1 call`, `2 calls`.
pub(super) fn plural(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(number))
}

/// A time in its largest unit: `45 s`, `12 min`, `3 h`, `2 days`.
pub(super) fn duration(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", count(seconds / 86_400)),
    }
}
