//! Thresholds: the numbers that a source is compared with, as functions of the window.

use trimtab_base::quantity::{Decimal, Value, share_of};

use crate::check::{Operand, Relation, Test};

/// A number to compare a source with: `base + full × (window − reserve) + sign × trunc(share × window)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Threshold {
    base: Decimal,
    full: bool,
    /// 1, −1 or 0.
    sign: i8,
    share: Decimal,
}

impl Threshold {
    /// A number that does not depend on the window.
    pub(super) const fn constant(base: Decimal) -> Self {
        Self { base, full: false, sign: 0, share: Decimal::ZERO }
    }

    /// A share of the window.
    pub(super) const fn share(share: Decimal) -> Self {
        Self { base: Decimal::ZERO, full: false, sign: 1, share }
    }

    /// The size of a context that leaves this number of tokens free.
    fn leaving(self) -> Self {
        Self { base: -self.base, full: true, sign: -self.sign, share: self.share }
    }

    /// The number that is this much larger.
    pub(super) fn moved(&self, step: i64) -> Self {
        Self { base: self.base.saturating_add(Decimal::from(step)), ..*self }
    }

    /// Returns what a share of this size leaves of the whole, or `None` if it depends on the window.
    pub(super) fn rest_of_whole(&self) -> Option<Self> {
        let rest = Decimal::ONE.checked_sub(self.base)?;
        (!self.depends_on_window()).then_some(Self::constant(rest))
    }

    /// Whether it depends on the window.
    pub(super) const fn depends_on_window(&self) -> bool {
        self.full || self.sign != 0
    }

    /// Returns its value, or `None` if it needs a window and there is none, or if it overflows.
    pub(super) fn at(&self, window: Option<u64>, reserve: u64) -> Option<Decimal> {
        if !self.depends_on_window() {
            return Some(self.base);
        }
        let window = window?;
        let cut = Decimal::from(share_of(window, self.share));
        let base = if self.full {
            self.base.checked_add(Decimal::from(window))?.checked_sub(Decimal::from(reserve))?
        } else {
            self.base
        };
        match self.sign {
            1 => base.checked_add(cut),
            -1 => base.checked_sub(cut),
            _ => Some(base),
        }
    }

    /// Its growth per token of the window.
    pub(super) fn slope(&self) -> Decimal {
        let full = if self.full { Decimal::ONE } else { Decimal::ZERO };
        full + Decimal::from(self.sign) * self.share
    }

    /// Its value for a window of 0, without truncation.
    pub(super) fn start(&self, reserve: u64) -> Decimal {
        if self.full { self.base.saturating_sub(Decimal::from(reserve)) } else { self.base }
    }

    /// Its truncated term. Two thresholds with the same truncated term keep their distance.
    pub(super) fn truncated_term(&self) -> (i8, Decimal) {
        (self.sign, self.share)
    }

    /// The number of windows after which the truncation repeats; 1 if nothing is truncated.
    pub(super) fn period(&self) -> Option<u64> {
        if self.sign == 0 { Some(1) } else { period(self.share) }
    }
}

/// Returns the denominator of a share, or `None` if it is very large.
pub(super) fn period(share: Decimal) -> Option<u64> {
    let share = share.normalize();
    let mut whole = 10u64.checked_pow(share.scale())?;
    let scaled = u64::try_from(share.mantissa().unsigned_abs()).ok()?;
    let (mut a, mut b) = (scaled, whole);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    whole /= a.max(1);
    Some(whole)
}

/// Collects the thresholds of a test, fallbacks included. `shares` gets the shares that some window must reach exactly.
pub(super) fn collect(test: &Test, out: &mut Vec<Threshold>, shares: &mut Vec<Decimal>) {
    let (reading, first) = (&test.reading, out.len());
    let is_share = reading.fact.share_of().is_some();
    match &test.relation {
        Relation::Compare(_, Operand::ShareOfWindow(share)) => out.push(Threshold::share(*share)),
        Relation::Compare(_, Operand::Value(Value::Number(number))) => out.push(Threshold::constant(*number)),
        Relation::OneOf(values) => {
            for value in values {
                match value {
                    Value::Number(share) if is_share => {
                        shares.push(*share);
                        out.push(Threshold::share(*share));
                        out.push(Threshold { base: Decimal::ONE, ..Threshold::share(*share) });
                    }
                    Value::Number(number) => out.push(Threshold::constant(*number)),
                    _ => {}
                }
            }
        }
        _ => {}
    }
    if reading.fact.is_inverse() {
        out[first..].iter_mut().for_each(|threshold| *threshold = threshold.leaving());
    }
    match reading.fallback {
        Some(Value::Number(share)) if is_share => out.push(Threshold::share(share)),
        Some(Value::Number(number)) => out.push(Threshold::constant(number)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncation_repeats_after_the_denominator() {
        let cases = [("0.8", Some(5)), ("0.85", Some(20)), ("1.5", Some(2)), ("1", Some(1)), ("0", Some(1))];
        for (share, expected) in cases {
            assert_eq!(period(share.parse().expect("a decimal")), expected, "{share}");
        }
    }

    #[test]
    fn the_size_that_leaves_tokens_free_is_the_rest_of_the_window() {
        let free = Threshold::constant(Decimal::from(20)).leaving();
        assert_eq!(free.at(Some(100), 10), Some(Decimal::from(70)));
        let share = Threshold::share("0.25".parse().expect("a decimal")).leaving();
        assert_eq!((share.at(Some(102), 0), share.at(None, 0)), (Some(Decimal::from(77)), None));
    }
}
