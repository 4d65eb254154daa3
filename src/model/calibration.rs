//! Calibration of a counter on the usage that a recording holds.
//!
//! In: call by call, the tokens counted in the messages and the tokens that the provider recorded. Out: the factor
//! between the two tokenizers, what the recording leaves out of every context (system prompt, tool schemas), and how
//! far each call was from what the calls before it predict. It does not know what was counted, nor by what.

mod ratio;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use self::ratio::Ratios;

/// Factors are found in thousandths.
const MILLI: u64 = 1000;

/// Counted tokens that must grow in agreement before they outweigh the factor of the model's family.
const PRIOR_WEIGHT: u64 = 2000;

/// The overhead is the median over this many calls: it follows a change at once, and one wrong count does not move it.
const RECENT: usize = 3;

/// The fewest calls with usage that an error is given for.
pub const LEAST_POINTS: usize = 10;

/// Distances are kept in parts of this.
const PARTS: u64 = 1_000_000_000;

/// How recorded counts follow from counted ones, fitted call by call: `recorded = overhead + factor × counted`.
///
/// The factor is the weighted median of what each message added, so that content that the recording does not hold
/// moves the overhead and not the factor. The time for each call does not depend on the calls before it.
#[derive(Clone, Debug)]
pub struct Calibration {
    ratios: Ratios,
    overhead: Overhead,
    /// Whether a segment has begun in which no call with usage has come.
    begins: bool,
    points: usize,
    predicted: u64,
    distance: u128,
}

impl Calibration {
    /// Before the first call; `factor` is the usual one of the model's family.
    pub fn new(factor: Decimal) -> Self {
        let mut ratios = Ratios::default();
        ratios.add(milli(factor), PRIOR_WEIGHT);
        Self { ratios, overhead: Overhead::default(), begins: true, points: 0, predicted: 0, distance: 0 }
    }

    /// The recorded harness began its context anew: the overhead may be another from now on, the factor is the same.
    pub const fn begin_segment(&mut self) {
        self.begins = true;
    }

    /// Takes a call with usage, and returns the tokens that the calls before it predict; none for the first.
    pub fn add(&mut self, counted: u64, recorded: u64) -> Option<u64> {
        let predicted = self.predict(counted);
        self.add_predicted(predicted, counted, recorded);
        predicted
    }

    /// The same for a call that something else has predicted.
    pub fn add_predicted(&mut self, predicted: Option<u64>, counted: u64, recorded: u64) {
        if let Some(predicted) = predicted {
            let distance = u128::from(predicted.abs_diff(recorded).min(recorded));
            self.distance += distance * u128::from(PARTS) / u128::from(recorded.max(1));
            self.predicted += 1;
        }
        if std::mem::take(&mut self.begins) {
            self.overhead = Overhead::default();
        } else if let Some(&(before, tokens)) = self.overhead.recent.last() {
            self.ratios.grown(counted.saturating_sub(before), recorded.saturating_sub(tokens));
        }
        self.overhead.add(counted, recorded);
        self.points += 1;
    }

    /// The context in recorded tokens that the calls so far predict for a context in counted tokens; none before the
    /// first call with usage.
    pub fn predict(&self, counted: u64) -> Option<u64> {
        let milli = self.ratios.median();
        Some(self.overhead.median(milli)?.saturating_add(scaled(counted, milli)))
    }

    /// Recorded tokens for a counted one, between 0.5 and 2, to three places.
    pub fn factor(&self) -> Decimal {
        Decimal::from(self.ratios.median()) / Decimal::from(MILLI)
    }

    /// The number of calls with usage.
    pub const fn points(&self) -> usize {
        self.points
    }

    /// The mean distance of the recorded tokens of a call from those that the calls before it predict, as a share of
    /// the recorded ones, no distance above one; none below [`LEAST_POINTS`].
    pub fn error(&self) -> Option<Decimal> {
        if self.points < LEAST_POINTS {
            return None;
        }
        let mean = self.distance / u128::from(self.predicted.max(1));
        Some((Decimal::from(mean) / Decimal::from(PARTS)).round_dp(4))
    }
}

/// What the newest calls hold beside the counted messages.
#[derive(Clone, Debug, Default)]
pub struct Overhead {
    /// Counted and recorded tokens, oldest first.
    recent: Vec<(u64, u64)>,
}

impl Overhead {
    /// Takes a call with usage.
    pub fn add(&mut self, counted: u64, recorded: u64) {
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push((counted, recorded));
    }

    /// The overhead in tokens when the factor is this; none before the first call with usage.
    pub fn get(&self, factor: Decimal) -> Option<u64> {
        self.median(milli(factor))
    }

    fn median(&self, milli: u64) -> Option<u64> {
        let rest = |(counted, recorded): &(u64, u64)| recorded.saturating_sub(scaled(*counted, milli));
        let mut rest: Vec<u64> = self.recent.iter().map(rest).collect();
        rest.sort_unstable();
        rest.get(rest.len() / 2).copied()
    }
}

/// A factor in thousandths.
fn milli(factor: Decimal) -> u64 {
    (factor * Decimal::from(MILLI)).round().to_u64().unwrap_or(MILLI)
}

/// Counted tokens in recorded ones.
fn scaled(counted: u64, milli: u64) -> u64 {
    u64::try_from(u128::from(counted) * u128::from(milli) / u128::from(MILLI)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
