//! Errors of predictions, relative to what was recorded.

use trimtab_base::quantity::Decimal;

use super::counter_fit::Prediction;

/// The least growth between two calls whose prediction is measured, in tokens. The error of a smaller growth is that of
/// single messages, and large only as a percentage.
const MIN_GROWTH: u64 = 1_000;

/// The scale of stored errors.
const SCALE: i128 = 1_000_000;

/// The errors of one measure: the difference between prediction and recording, relative to the recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// Each error, times [`SCALE`].
    relative: Vec<i32>,
    /// The sum of the differences, and that of what they are relative to.
    difference: i128,
    base: i128,
}

impl Errors {
    /// Adds a prediction; its error is relative to `base`.
    pub(super) fn add(&mut self, predicted: i128, recorded: i128, base: i128) {
        if base <= 0 {
            return;
        }
        let difference = predicted.saturating_sub(recorded);
        let error = difference.saturating_mul(SCALE) / base;
        let error = error.clamp(i32::MIN.into(), i32::MAX.into());
        self.relative.push(i32::try_from(error).unwrap_or(i32::MAX));
        self.difference = self.difference.saturating_add(difference);
        self.base = self.base.saturating_add(base);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.relative.extend(other.relative);
        self.difference = self.difference.saturating_add(other.difference);
        self.base = self.base.saturating_add(other.base);
    }

    /// The number of predictions.
    pub const fn count(&self) -> usize {
        self.relative.len()
    }

    /// The size of the error that half of the predictions do not exceed.
    pub fn median(&self) -> Option<Decimal> {
        self.at(1, 2)
    }

    /// The size of the error that nine of ten predictions do not exceed.
    pub fn p90(&self) -> Option<Decimal> {
        self.at(9, 10)
    }

    /// The error of the sum of all predictions: positive if they are too large.
    pub fn total(&self) -> Option<Decimal> {
        let most = i128::from(i64::MAX);
        (self.base > 0).then(|| decimal((self.difference.saturating_mul(SCALE) / self.base).clamp(-most, most)))
    }

    /// The smallest error that this part of the predictions does not exceed.
    fn at(&self, part: usize, of: usize) -> Option<Decimal> {
        let mut sizes: Vec<u32> = self.relative.iter().map(|error| error.unsigned_abs()).collect();
        sizes.sort_unstable();
        let index = (sizes.len() * part).div_ceil(of).saturating_sub(1);
        sizes.get(index).map(|size| decimal(i128::from(*size)))
    }
}

fn decimal(scaled: i128) -> Decimal {
    Decimal::try_from_i128_with_scale(scaled, 6).map_or(Decimal::MAX, |error| error.round_dp(4).normalize())
}

/// The errors of the growth between calls: those of the estimate of the content that came between them.
pub(super) fn of_growth(predictions: &[Prediction]) -> Errors {
    let mut errors = Errors::default();
    let growths = predictions.iter().filter_map(|prediction| prediction.growth);
    for growth in growths.filter(|growth| growth.recorded >= MIN_GROWTH) {
        let recorded = i128::from(growth.recorded);
        errors.add(growth.predicted, recorded, recorded);
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(pairs: &[(i128, i128)]) -> Errors {
        let mut errors = Errors::default();
        for &(predicted, recorded) in pairs {
            errors.add(predicted, recorded, recorded);
        }
        errors
    }

    #[test]
    fn errors_are_relative_to_what_was_recorded() {
        let errors = errors(&[(90, 100), (103, 100), (100, 100), (0, 0)]);
        assert_eq!(errors.count(), 3);
        assert_eq!(errors.median(), Some(Decimal::new(3, 2)));
        assert_eq!(errors.p90(), Some(Decimal::new(1, 1)));
        assert_eq!(errors.total(), Some(Decimal::new(-233, 4)));
        assert_eq!((Errors::default().median(), Errors::default().total()), (None, None));
    }

    #[test]
    fn errors_of_any_size_are_numbers() {
        let errors = errors(&[(i128::MAX, 1), (i128::MAX, 2), (0, i128::MAX)]);
        for share in [errors.median(), errors.p90(), errors.total()] {
            assert!(share.is_some_and(|share| share < Decimal::from(10_000_000_000_000_u64)), "{share:?}");
        }
    }

    #[test]
    fn the_errors_of_parts_add_up() {
        let mut sum = errors(&[(90, 100), (103, 100)]);
        sum.merge(errors(&[(100, 100)]));
        assert_eq!(sum, errors(&[(90, 100), (103, 100), (100, 100)]));
    }
}
