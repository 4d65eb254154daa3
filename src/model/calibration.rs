//! Calibration of a counter on the usage that a recording holds.
//!
//! In: for some calls, the tokens counted in the messages and the tokens that the provider recorded. Out: what stands
//! in every context but not in the recording (system prompt, tool schemas), the factor between the two tokenizers,
//! and how far the calibrated counts are off. It does not know what was counted, nor by what.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

/// Factors are found in thousandths.
const MILLI: i128 = 1000;

/// The factors that two tokenizers can differ by, in thousandths; what lies beyond is a fault of the recording.
const LEAST: i128 = 500;
const MOST: i128 = 2000;

/// The steps of the search for the factor, each through the neighbourhood of what the one before it found.
const STEPS: [i128; 4] = [MOST - LEAST, 50, 5, 1];

/// Distances are kept in parts of this.
const PARTS: u32 = 1_000_000_000;

/// How recorded counts follow from counted ones: `recorded = overhead + factor × counted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// Tokens of every context that the recording does not hold.
    pub overhead: u64,
    /// Recorded tokens for a counted one, between 0.5 and 2, to three places.
    pub factor: Decimal,
    /// The mean over the points of the distance from the recorded count as a share of it, no distance above one.
    pub error: Decimal,
    /// The number of points that it rests on.
    pub points: usize,
}

impl Calibration {
    /// The context in recorded tokens, for a context in counted tokens.
    pub fn context(&self, counted: u64) -> u64 {
        let milli = (self.factor * Decimal::from(1000)).to_i128().unwrap_or(MILLI);
        Line { overhead: self.overhead, milli }.at(counted)
    }
}

/// Fits overhead and factor to pairs of a counted and a recorded context; none without a pair that is above zero.
///
/// The overhead is a median and the factor the one that brings the line nearest to the points in relative distance, so
/// that a minority of points may be wrong by any amount. The order of the points does not matter.
pub fn calibrate(points: &[(u64, u64)]) -> Option<Calibration> {
    let usable: Vec<_> = points.iter().copied().filter(|(counted, recorded)| *counted > 0 && *recorded > 0).collect();
    if usable.is_empty() {
        return None;
    }
    let line = nearest(&usable);
    let mean = line.distance(&usable) / u64::try_from(usable.len()).ok()?;
    Some(Calibration {
        overhead: line.overhead,
        factor: Decimal::try_from_i128_with_scale(line.milli, 3).ok()?,
        error: (Decimal::from(mean) / Decimal::from(PARTS)).round_dp(4),
        points: usable.len(),
    })
}

/// A line through points; its factor in thousandths.
#[derive(Clone, Copy)]
struct Line {
    overhead: u64,
    milli: i128,
}

impl Line {
    /// The line of this factor that as many points lie above as below, but never one with a negative overhead.
    fn through(points: &[(u64, u64)], milli: i128) -> Self {
        let rest = |(counted, recorded): &(u64, u64)| i128::from(*recorded) - i128::from(*counted) * milli / MILLI;
        let overhead = median(points.iter().map(rest).collect()).max(0);
        Self { overhead: u64::try_from(overhead).unwrap_or(u64::MAX), milli }
    }

    /// The recorded tokens that it expects.
    fn at(self, counted: u64) -> u64 {
        let sum = i128::from(self.overhead) + i128::from(counted) * self.milli / MILLI;
        u64::try_from(sum).unwrap_or(u64::MAX)
    }

    /// The sum of the relative distances of all points from it, none counted above one.
    fn distance(self, points: &[(u64, u64)]) -> u64 {
        let share = |(counted, recorded): &(u64, u64)| {
            let distance = u128::from(self.at(*counted).abs_diff(*recorded).min(*recorded));
            u64::try_from(distance * u128::from(PARTS) / u128::from(*recorded)).unwrap_or(u64::from(PARTS))
        };
        points.iter().map(share).sum()
    }
}

/// The line nearest to the points; of several, the one whose factor is nearest to one.
fn nearest(points: &[(u64, u64)]) -> Line {
    let mut best = Line::through(points, MILLI);
    for (wide, step) in STEPS.into_iter().zip(STEPS.into_iter().skip(1)) {
        let (low, high) = ((best.milli - wide).max(LEAST), (best.milli + wide).min(MOST));
        let factors = (0..=(high - low) / step).map(|at| low + at * step);
        let lines = factors.map(|milli| Line::through(points, milli));
        let order = |line: &Line| (line.distance(points), (line.milli - MILLI).abs(), line.milli);
        best = lines.min_by_key(order).unwrap_or(best);
    }
    best
}

/// The middle value, the mean of the two middle ones when their number is even; 0 of none.
fn median(mut values: Vec<i128>) -> i128 {
    let (half, is_even) = (values.len() / 2, values.len().is_multiple_of(2));
    if values.is_empty() {
        return 0;
    }
    let (below, upper, _) = values.select_nth_unstable(half);
    let lower = if is_even { below.iter().max().copied() } else { None };
    i128::midpoint(lower.unwrap_or(*upper), *upper)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Points that lie on a line: 20 000 more than 1.2 times the counted.
    fn line(points: u64) -> Vec<(u64, u64)> {
        (1..=points).map(|at| (at * 1_000, 20_000 + at * 1_200)).collect()
    }

    fn parts(points: &[(u64, u64)]) -> (u64, Decimal, Decimal) {
        let found = calibrate(points).expect("usable points");
        (found.overhead, found.factor, found.error)
    }

    #[test]
    fn a_line_is_found_exactly() {
        assert_eq!(parts(&line(20)), (20_000, Decimal::new(12, 1), Decimal::ZERO));
        assert_eq!(calibrate(&line(20)).map(|found| found.context(5_000)), Some(26_000));
    }

    #[test]
    fn wrong_points_do_not_move_the_line() {
        let mut points = line(20);
        points[3].1 = 2;
        points[9].1 = 900_000;
        points[15].1 = 13;
        points.extend([(0, 0), (4_000, 0), (0, 9_000)]);
        let (overhead, factor, error) = parts(&points);
        assert_eq!((overhead, factor), (20_000, Decimal::new(12, 1)));
        assert!(error > Decimal::ZERO && error < Decimal::new(2, 1), "{error}");
    }

    #[test]
    fn the_order_of_points_does_not_matter() {
        let mut points = line(31);
        points[7].1 += 555;
        let forward = calibrate(&points);
        points.reverse();
        assert_eq!(calibrate(&points), forward);
    }

    #[test]
    fn one_point_gives_the_overhead_alone() {
        assert_eq!(parts(&[(1_000, 31_000)]), (30_000, Decimal::ONE, Decimal::ZERO));
        assert_eq!(parts(&[(1_000, 31_000); 5]), (30_000, Decimal::ONE, Decimal::ZERO));
    }

    #[test]
    fn an_overhead_is_never_negative() {
        let points: Vec<_> = (1..=10).map(|at| (at * 1_000, at * 800)).collect();
        assert_eq!(parts(&points), (0, Decimal::new(8, 1), Decimal::ZERO));
        assert_eq!(parts(&[(1_000, 900)]), (0, Decimal::new(9, 1), Decimal::ZERO));
    }

    #[test]
    fn factors_stay_between_a_half_and_two() {
        let steep: Vec<_> = (1..=10).map(|at| (at * 1_000, 5_000 + at * 9_000)).collect();
        assert_eq!(parts(&steep).1, Decimal::TWO);
        let falling: Vec<_> = (1..=10).map(|at| (at * 1_000, 50_000 - at * 1_000)).collect();
        assert_eq!(parts(&falling).1, Decimal::new(5, 1));
    }

    #[test]
    fn without_usable_points_there_is_no_calibration() {
        assert_eq!(calibrate(&[]), None);
        assert_eq!(calibrate(&[(0, 10), (10, 0)]), None);
    }

    proptest! {
        #[test]
        fn any_points_are_calibrated_within_bounds(points in prop::collection::vec(any::<(u64, u64)>(), 0..40)) {
            if let Some(found) = calibrate(&points) {
                prop_assert!((Decimal::new(5, 1)..=Decimal::TWO).contains(&found.factor));
                prop_assert!((Decimal::ZERO..=Decimal::ONE).contains(&found.error));
                let (less, more) = (found.context(0), found.context(u64::MAX));
                prop_assert!(less == found.overhead && less <= more);
            }
        }

        #[test]
        fn any_line_is_found_again(
            overhead in 0u64..100_000,
            milli in 500u64..=2_000,
            counts in prop::collection::btree_set(1u64..1_000, 2..60),
        ) {
            let points: Vec<_> = counts.iter().map(|at| (at * 1_000, overhead + at * milli)).collect();
            let found = calibrate(&points).expect("usable points");
            prop_assert_eq!((found.overhead, found.factor), (overhead, Decimal::from(milli) / Decimal::from(1_000)));
        }
    }
}
