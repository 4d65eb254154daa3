//! Time limits as the command line takes them.

use std::fmt;
use std::time::Duration;

use trimtab_base::quantity::{self, Decimal, Quantity, Unit};
use trimtab_syntax::syntax::parse_amount;

/// A time limit. It is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeLimit(pub(super) Duration);

impl fmt::Display for TimeLimit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = Decimal::new(i64::from(self.0.subsec_nanos()), 9);
        let seconds = Decimal::from(self.0.as_secs()) + fraction;
        write!(out, "{}", Quantity::new(seconds, Unit::Duration))
    }
}

/// Parses a duration as policies write it: `90s`, `1m30s`.
pub(super) fn parse(text: &str) -> Result<TimeLimit, String> {
    let seconds = match parse_amount(text) {
        Some((seconds, Some(Unit::Duration))) => Some(seconds),
        _ => None,
    };
    let millis = seconds.and_then(|seconds| seconds.checked_mul(Decimal::ONE_THOUSAND)).map(quantity::whole);
    let limit = millis.filter(|millis| *millis > 0).map(|millis| TimeLimit(Duration::from_millis(millis)));
    limit.ok_or_else(|| "expected a duration, such as 90s or 5m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_limit_is_a_duration_of_a_policy() {
        for (text, millis, shown) in
            [("90s", 90_000, "1m30s"), ("5m", 300_000, "5m"), ("1m30s", 90_000, "1m30s"), ("0.5s", 500, "0.5s")]
        {
            let limit = TimeLimit(Duration::from_millis(millis));
            assert_eq!(parse(text), Ok(limit), "{text}");
            assert_eq!((limit.to_string().as_str(), parse(shown)), (shown, Ok(limit)));
        }
        for text in ["", "30", "0s", "0.0001s", "-5s", "500ms", "30 s", "5 minutes", "80%"] {
            assert_eq!(parse(text), Err("expected a duration, such as 90s or 5m".to_owned()), "{text}");
        }
    }
}
