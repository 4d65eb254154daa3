//! Differences of means with intervals that hold at every look.
//!
//! The interval is an asymptotic confidence sequence (I. Waudby-Smith, D. Arbour, R. Sinha, E. Kennedy, A. Ramdas, *Time-uniform
//! central limit theory and asymptotic confidence sequences*, 2021, theorem 2.2): with the given confidence it holds the true
//! difference for all numbers of units at once, so an experiment may be looked at after every unit and stopped at any of them. The
//! usual interval of a single look holds at one number only, which must be fixed before.

/// The confidence of an interval, and of all intervals of a comparison with one arm together.
pub const CONFIDENCE: f64 = 0.95;

/// The least number of units in each arm before there is an interval, since it relies on means being nearly normal.
pub const MIN_UNITS: usize = 10;

/// The number of units at which the interval is narrowest, compared with that of a single look. It must not depend on the data.
const PLANNED_UNITS: f64 = 100.0;

/// The mean of two arms, and how they differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean of the first arm.
    pub baseline: f64,
    /// The mean of the other arm.
    pub mean: f64,
    /// The interval of the difference, or `None` if there are too few units.
    pub interval: Option<(f64, f64)>,
    /// The variances of the two means, times the number of units.
    variances: (f64, f64),
}

impl Difference {
    /// How the mean of an arm differs from that of the first one. `comparisons` is the number of arms that are compared
    /// with the first one, whose intervals hold together. Returns `None` if an arm has no units.
    pub fn of(baseline: &[f64], other: &[f64], comparisons: usize) -> Option<Self> {
        let (first, second) = (mean(baseline)?, mean(other)?);
        let variances = (variance(baseline, first), variance(other, second));
        let mut difference = Self { baseline: first, mean: second, interval: None, variances };
        if baseline.len().min(other.len()) >= MIN_UNITS {
            let radius = difference.radius(number(baseline.len()), number(other.len()), comparisons);
            difference.interval = Some((second - first - radius, second - first + radius));
        }
        Some(difference)
    }

    /// Half the width of the interval for these numbers of units with the variances that were seen.
    fn radius(&self, baseline: f64, other: f64, comparisons: usize) -> f64 {
        let alpha = (1.0 - CONFIDENCE) / number(comparisons.max(1));
        let tuning = (-2.0 * alpha.ln() + (-2.0 * alpha.ln()).ln_1p()) / PLANNED_UNITS;
        let units = (baseline + other) * tuning;
        let error = self.variances.0 / baseline + self.variances.1 / other;
        (error * 2.0 * (units + 1.0) / units * ((units + 1.0).sqrt() / alpha).ln()).sqrt()
    }

    /// Returns about how many units each arm needs until half the width of the interval is at most `margin`, or `None`
    /// if that is out of reach.
    pub fn units_needed(&self, margin: f64, comparisons: usize) -> Option<usize> {
        const MOST: usize = 1 << 24;
        let is_enough = |units: usize| self.radius(number(units), number(units), comparisons) <= margin;
        let above = (0..=24).map(|power| 1_usize << power).find(|units| *units >= MIN_UNITS && is_enough(*units))?;
        let (mut low, mut high) = (MIN_UNITS, above.min(MOST));
        while low < high {
            let middle = low + (high - low) / 2;
            if is_enough(middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Some(low)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / number(values.len()))
}

/// The variance of one value, without bias.
fn variance(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / number(values.len().saturating_sub(1).max(1))
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of numbers between 0 and 1, so that the test is the same everywhere.
    struct Numbers(u64);

    impl Numbers {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(self.0 >> 33).expect("31 bits")) / 2_147_483_648.0
        }

        /// The cost of a session: its logarithm is normal, so few sessions cost most.
        fn cost(&mut self) -> f64 {
            let (one, two) = (self.uniform().max(1e-9), self.uniform());
            ((-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * two).cos() * 0.8).exp()
        }
    }

    /// The share of experiments in which somebody who looks after every unit ever sees an interval without the true difference,
    /// and the share for the interval of a single look.
    fn misses(effect: f64, experiments: usize) -> (f64, f64) {
        let (mut ours, mut usual) = (0_u32, 0_u32);
        let mut numbers = Numbers(7);
        for _ in 0..experiments {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            let (mut has_missed, mut has_missed_usual) = (false, false);
            for _ in 0..300 {
                let is_second = numbers.uniform() < 0.5;
                let cost = numbers.cost();
                let (units, cost) = if is_second { (&mut two, cost + effect) } else { (&mut one, cost) };
                units.push(cost);
                let Some(difference) = Difference::of(&one, &two, 1) else { continue };
                let Some((low, high)) = difference.interval else { continue };
                has_missed |= effect < low || effect > high;
                let error = difference.variances.0 / number(one.len()) + difference.variances.1 / number(two.len());
                has_missed_usual |= (difference.mean - difference.baseline - effect).abs() > 1.96 * error.sqrt();
            }
            ours += u32::from(has_missed);
            usual += u32::from(has_missed_usual);
        }
        let share = |count: u32| f64::from(count) / number(experiments);
        (share(ours), share(usual))
    }

    #[test]
    fn looking_after_every_unit_misses_the_truth_no_more_often_than_promised() {
        for effect in [0.0, 0.5] {
            let (ours, usual) = misses(effect, 600);
            assert!(ours <= 0.05, "{ours}");
            assert!(usual > 0.2, "the interval of a single look does not hold at every look: {usual}");
        }
    }

    #[test]
    fn an_interval_narrows_with_the_units_and_widens_with_the_comparisons() {
        let mut numbers = Numbers(1);
        let values: Vec<f64> = (0..400).map(|_| numbers.cost()).collect();
        let width = |units: usize, comparisons: usize| {
            let difference = Difference::of(&values[..units], &values[200..200 + units], comparisons).expect("units");
            let (low, high) = difference.interval.expect("enough units");
            high - low
        };
        assert!(width(200, 1) < width(50, 1) && width(50, 1) < width(50, 3));
        assert!(Difference::of(&values[..9], &values, 1).expect("units").interval.is_none());
        assert!(Difference::of(&[], &values, 1).is_none());
    }

    #[test]
    fn the_units_that_are_needed_give_an_interval_of_that_width() {
        let mut numbers = Numbers(2);
        let (one, two): (Vec<f64>, Vec<f64>) = (0..40).map(|_| (numbers.cost(), numbers.cost())).unzip();
        let difference = Difference::of(&one, &two, 1).expect("units");
        let needed = difference.units_needed(0.2, 1).expect("in reach");
        assert!(difference.radius(number(needed), number(needed), 1) <= 0.2);
        assert!(difference.radius(number(needed - 1), number(needed - 1), 1) > 0.2);
        assert_eq!(difference.units_needed(0.0, 1), None);
    }
}
