//! Calibration of a token counter with recorded usage.
//!
//! [`Calibration`] takes, call by call, the tokens counted in the messages and the tokens recorded by the provider. It
//! returns the factor between the two tokenizers, the overhead of content that is not recorded (system prompt, tool
//! schemas), and the error of predicting each call from the calls before it. It works with any counter.

mod ratio;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use self::ratio::Ratios;

/// The scale of factors, which are stored in thousandths.
const MILLI: u64 = 1000;

/// The weight, in counted tokens, of the initial factor in the weighted median.
const PRIOR_WEIGHT: u64 = 2000;

/// The number of calls whose median is the overhead. Three calls follow a change quickly and ignore one wrong count.
const OVERHEAD_CALLS: usize = 3;

/// The number of calls with usage from which an error is reported.
pub const MIN_POINTS: usize = 10;

/// The scale of relative errors, which are summed as integers.
const ERROR_SCALE: u64 = 1_000_000_000;

/// A linear fit of recorded tokens to counted tokens, updated call by call: `recorded = overhead + factor × counted`.
///
/// The factor is the weighted median of the growth ratios between successive calls, so content that is not recorded
/// changes the overhead and not the factor. Adding a call takes constant time.
#[derive(Clone, Debug)]
pub struct Calibration {
    ratios: Ratios,
    overhead: Overhead,
    /// Whether the next call with usage is the first of its segment.
    starts_segment: bool,
    points: usize,
    predictions: u64,
    /// The sum of the relative errors of all predictions, times [`ERROR_SCALE`].
    error_sum: u128,
}

impl Calibration {
    /// Creates a calibration without calls, with the usual factor of the model's family.
    pub fn new(factor: Decimal) -> Self {
        let mut ratios = Ratios::default();
        ratios.add(milli(factor), PRIOR_WEIGHT);
        Self { ratios, overhead: Overhead::default(), starts_segment: true, points: 0, predictions: 0, error_sum: 0 }
    }

    /// Starts a new segment after the recorded harness reset its context: the overhead is fitted anew, the factor is kept.
    pub const fn begin_segment(&mut self) {
        self.starts_segment = true;
    }

    /// Adds a call with usage. Returns the tokens predicted by the previous calls, or `None` for the first call.
    #[cfg(any(test, feature = "internals"))]
    pub fn add(&mut self, counted: u64, recorded: u64) -> Option<u64> {
        let predicted = self.predict(counted);
        self.add_predicted(predicted, counted, recorded);
        predicted
    }

    /// Adds a call with usage for which the caller made the prediction.
    pub fn add_predicted(&mut self, predicted: Option<u64>, counted: u64, recorded: u64) {
        if let Some(predicted) = predicted {
            let error = u128::from(predicted.abs_diff(recorded).min(recorded));
            self.error_sum += error * u128::from(ERROR_SCALE) / u128::from(recorded.max(1));
            self.predictions += 1;
        }
        if std::mem::take(&mut self.starts_segment) {
            self.overhead = Overhead::default();
        } else if let Some(&(last_counted, last_recorded)) = self.overhead.recent.last() {
            self.ratios.add_growth(counted.saturating_sub(last_counted), recorded.saturating_sub(last_recorded));
        }
        self.overhead.add(counted, recorded);
        self.points += 1;
    }

    /// Predicts the recorded tokens of a context from its counted tokens. Returns `None` before the first call with
    /// usage.
    pub fn predict(&self, counted: u64) -> Option<u64> {
        let milli = self.ratios.median();
        Some(self.overhead.median(milli)?.saturating_add(scaled(counted, milli)))
    }

    /// The recorded tokens per counted token, between 0.5 and 2, with three decimal places.
    pub fn factor(&self) -> Decimal {
        Decimal::from(self.ratios.median()) / Decimal::from(MILLI)
    }

    /// The number of calls with usage.
    pub const fn points(&self) -> usize {
        self.points
    }

    /// The mean relative error of predicting a call from the previous calls, where each error is at most 1. Returns
    /// `None` for fewer than [`MIN_POINTS`] calls with usage.
    pub fn error(&self) -> Option<Decimal> {
        if self.points < MIN_POINTS {
            return None;
        }
        let mean = self.error_sum / u128::from(self.predictions.max(1));
        Some((Decimal::from(mean) / Decimal::from(ERROR_SCALE)).round_dp(4))
    }
}

/// The recorded tokens of recent calls that do not belong to counted messages.
#[derive(Clone, Debug, Default)]
pub struct Overhead {
    /// Counted and recorded tokens, oldest first.
    recent: Vec<(u64, u64)>,
}

impl Overhead {
    /// Adds a call with usage.
    pub fn add(&mut self, counted: u64, recorded: u64) {
        if self.recent.len() == OVERHEAD_CALLS {
            self.recent.remove(0);
        }
        self.recent.push((counted, recorded));
    }

    /// The overhead in recorded tokens for a given factor. Returns `None` before the first call with usage.
    pub fn get(&self, factor: Decimal) -> Option<u64> {
        self.median(milli(factor))
    }

    fn median(&self, milli: u64) -> Option<u64> {
        let overhead = |(counted, recorded): &(u64, u64)| recorded.saturating_sub(scaled(*counted, milli));
        let mut overheads: Vec<u64> = self.recent.iter().map(overhead).collect();
        overheads.sort_unstable();
        overheads.get(overheads.len() / 2).copied()
    }
}

/// Converts a factor to thousandths.
fn milli(factor: Decimal) -> u64 {
    (factor * Decimal::from(MILLI)).round().to_u64().unwrap_or(MILLI)
}

/// Multiplies counted tokens by a factor in thousandths.
fn scaled(counted: u64, milli: u64) -> u64 {
    u64::try_from(u128::from(counted) * u128::from(milli) / u128::from(MILLI)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
