//! Bootstrap intervals of mean differences.

use rust_decimal::prelude::ToPrimitive;
use trimtab_base::quantity::Decimal;

use crate::test::Random;

/// How often transcripts are drawn again.
const RESAMPLES: usize = 1_000;

/// How many resamples are outside the interval at each end: 2.5%.
const OUTSIDE: usize = 25;

/// Differences are summed as multiples of this, exactly.
const SCALE: i64 = 1_000_000_000;

/// A mean difference and its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The mean.
    pub mean: Decimal,
    /// The lower end.
    pub low: Decimal,
    /// The upper end.
    pub high: Decimal,
}

impl Interval {
    /// Returns the percentile bootstrap interval of the mean of some differences, one for each transcript, or `None`
    /// without any.
    pub(super) fn of(differences: &[Decimal], seed: u64) -> Option<Self> {
        let scaled = |difference: &Decimal| (*difference * Decimal::from(SCALE)).round().to_i128();
        let scaled: Vec<i128> = differences.iter().map(scaled).collect::<Option<_>>()?;
        if scaled.is_empty() {
            return None;
        }
        let mut random = Random::new(seed);
        let mut draw = || scaled.iter().map(|_| scaled[random.below(scaled.len())]).sum::<i128>();
        let mut sums: Vec<i128> = (0..RESAMPLES).map(|_| draw()).collect();
        sums.sort_unstable();
        let mean = |sum: i128| {
            let sum = Decimal::try_from_i128_with_scale(sum, 0).ok()?;
            Some(sum / Decimal::from(SCALE) / Decimal::from(scaled.len()))
        };
        let [low, high] = [OUTSIDE, RESAMPLES - 1 - OUTSIDE].map(|at| sums.get(at).copied().and_then(mean));
        Some(Self { mean: mean(scaled.iter().sum())?, low: low?, high: high? })
    }

    /// Whether the difference is below zero beyond noise.
    pub fn is_below_zero(&self) -> bool {
        self.high < Decimal::ZERO
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interval(differences: &[i64]) -> Interval {
        let differences: Vec<Decimal> = differences.iter().map(|cents| Decimal::new(*cents, 2)).collect();
        Interval::of(&differences, 7).expect("there are differences")
    }

    #[test]
    fn equal_differences_have_no_noise() {
        let [low, mean] = [interval(&[-5; 9]).low, interval(&[-5; 9]).mean];
        assert_eq!([low, mean], [Decimal::new(-5, 2); 2]);
        assert!(Interval::of(&[], 7).is_none());
    }

    #[test]
    fn the_interval_of_a_known_sample_agrees_with_the_normal_approximation() {
        // The mean is 49.5, its standard error 2.887: 95% are between 43.8 and 55.2.
        let found = interval(&(0..10_000).step_by(100).collect::<Vec<_>>());
        for (found, expected) in [(found.low, 438), (found.high, 552)] {
            assert!((found - Decimal::new(expected, 1)).abs() < Decimal::ONE, "{found:?}");
        }
    }

    proptest! {
        #[test]
        fn the_interval_lies_within_the_sample_and_is_odd(cents in prop::collection::vec(-9_999_i64..9_999, 1..40)) {
            let found = interval(&cents);
            let [least, most] = [cents.iter().min(), cents.iter().max()].map(|cents| Decimal::new(*cents.unwrap_or(&0), 2));
            prop_assert!(least <= found.low && found.low <= found.high && found.high <= most);
            let negated = interval(&cents.iter().map(|cents| -cents).collect::<Vec<_>>());
            prop_assert_eq!((-negated.high, -negated.low, -negated.mean), (found.low, found.high, found.mean));
        }
    }
}
