//! Scales: positions in tenths of a pixel, and the numbers at an axis.

use trimtab_base::quantity::{Decimal, abbreviated};

/// A linear scale from zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    end: u64,
    /// Tenths of a pixel.
    length: u64,
}

impl Scale {
    /// A scale up to `end`, or to 1 if that is zero, over this number of pixels.
    pub(super) fn new(end: u64, pixels: u64) -> Self {
        Self { end: end.max(1), length: pixels * 10 }
    }

    /// The position of a value in tenths of a pixel, at most the length of the scale.
    pub(super) fn position(self, value: u64) -> u64 {
        let at = u128::from(value.min(self.end)) * u128::from(self.length) / u128::from(self.end);
        u64::try_from(at).unwrap_or(self.length)
    }

    /// The values at the axis: at most `most` equal steps of 1, 2 or 5 times a power of ten.
    pub(super) fn ticks(self, most: u64) -> Vec<u64> {
        let powers = (0..20).map_while(|exponent| 10_u64.checked_pow(exponent));
        let steps = powers.flat_map(|power| [1, 2, 5].map(|times| power.saturating_mul(times)));
        let step = steps.into_iter().find(|step| self.end / step <= most).unwrap_or(self.end);
        (0..=self.end / step).map(|at| at * step).collect()
    }
}

/// Tenths of a pixel as pixels: `12.3`.
pub(super) fn pixels(tenths: u64) -> String {
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

/// A number at an axis, as an author writes it: `50k`.
pub(super) fn short_number(value: u64) -> String {
    abbreviated(Decimal::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_from_zero() {
        assert_eq!(Scale::new(200_000, 100).ticks(5), [0, 50_000, 100_000, 150_000, 200_000]);
        assert_eq!(Scale::new(7, 100).ticks(5), [0, 2, 4, 6]);
        assert_eq!(Scale::new(0, 100).ticks(5), [0, 1]);
        assert!(Scale::new(u64::MAX, 100).ticks(5).len() <= 6);
    }

    #[test]
    fn a_value_beyond_the_end_is_at_the_end() {
        let scale = Scale::new(3, 100);
        assert_eq!([0, 1, 2, 3, 9].map(|value| pixels(scale.position(value))), ["0", "33.3", "66.6", "100", "100"]);
        assert_eq!(Scale::new(u64::MAX, 100).position(u64::MAX), 1_000);
    }
}
