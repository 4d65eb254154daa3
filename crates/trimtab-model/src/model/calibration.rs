//! Calibration of a token counter with recorded usage.
//!
//! [`Calibration`] takes, call by call, the tokens counted in the messages and the tokens recorded by the provider. It
//! returns the factor between the two tokenizers, the overhead of content that is not recorded (system prompt, tool
//! schemas), and the error of predicting each call from the calls before it. It works with any counter. Tokens that the
//! provider has counted itself, such as those of replies, are known and need no factor.

mod ratio;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use self::ratio::Ratios;

/// The scale of factors, which are stored in thousandths.
const MILLI: u64 = 1000;

/// The weight, in counted tokens, of the initial factor in the weighted median.
const PRIOR_WEIGHT: u64 = 2000;

/// The number of recent calls from which the overhead is learned. The newest one follows changes by the harness at once.
const OVERHEAD_CALLS: usize = 3;

/// The newest call is a wrong count if it differs from the median of the recent ones by more than 1/10 of its size.
const MAX_DEVIATION: u64 = 10;

/// The number of calls with usage from which an error is reported.
const MIN_POINTS: usize = 10;

/// The scale of relative errors, which are summed as integers.
const ERROR_SCALE: u64 = 1_000_000_000;

/// The size of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextSize {
    /// The counted tokens of messages whose tokens are not known.
    pub counted: u64,
    /// The tokens of messages that the provider has counted.
    pub known: u64,
}

impl From<u64> for ContextSize {
    fn from(counted: u64) -> Self {
        Self { counted, known: 0 }
    }
}

/// A linear fit of recorded tokens to counted tokens, updated call by call: `recorded = overhead + factor × counted + known`.
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

    /// Creates a calibration without calls whose factor stays 1, for an exact counter.
    pub fn of_exact() -> Self {
        let mut calibration = Self::new(Decimal::ONE);
        calibration.ratios.add(MILLI, u64::MAX);
        calibration
    }

    /// Starts a new segment after the recorded harness reset its context: the overhead is fitted anew, the factor is kept.
    pub const fn begin_segment(&mut self) {
        self.starts_segment = true;
    }

    /// Adds a call with usage. Returns the tokens predicted by the previous calls, or `None` for the first call.
    pub fn add(&mut self, size: impl Into<ContextSize>, recorded: u64) -> Option<u64> {
        let size = size.into();
        let predicted = self.predict(size);
        self.add_predicted(predicted, size, recorded);
        predicted
    }

    /// Adds a call with usage for which the caller made the prediction.
    pub fn add_predicted(&mut self, predicted: Option<u64>, size: ContextSize, recorded: u64) {
        if let Some(predicted) = predicted {
            let error = u128::from(predicted.abs_diff(recorded).min(recorded));
            self.error_sum += error * u128::from(ERROR_SCALE) / u128::from(recorded.max(1));
            self.predictions += 1;
        }
        if std::mem::take(&mut self.starts_segment) {
            self.overhead = Overhead::default();
        } else if let Some((last, last_recorded)) = self.overhead.recent.last() {
            let known = size.known.saturating_sub(last.known);
            let grown = recorded.saturating_add(last.known.saturating_sub(size.known));
            let grown = grown.saturating_sub(*last_recorded).saturating_sub(known);
            self.ratios.add_growth(size.counted.saturating_sub(last.counted), grown);
        }
        self.overhead.add(size, recorded);
        self.points += 1;
    }

    /// Predicts the recorded tokens of a context. Returns `None` before the first call with usage.
    pub fn predict(&self, size: impl Into<ContextSize>) -> Option<u64> {
        let milli = self.ratios.median();
        let tokens = self.overhead.newest(milli)?.saturating_add(tokens(size.into(), milli));
        Some(u64::try_from(tokens.max(0)).unwrap_or(u64::MAX))
    }

    /// The growth of a context from one size to another, in recorded tokens.
    pub fn growth(&self, from: ContextSize, to: ContextSize) -> i128 {
        let milli = self.ratios.median();
        tokens(to, milli) - tokens(from, milli)
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
    /// `None` for too few calls with usage.
    pub fn error(&self) -> Option<Decimal> {
        if self.points < MIN_POINTS {
            return None;
        }
        let mean = self.error_sum / u128::from(self.predictions.max(1));
        Some((Decimal::from(mean) / Decimal::from(ERROR_SCALE)).round_dp(4))
    }
}

/// The recorded tokens of recent calls that do not belong to messages.
#[derive(Clone, Debug, Default)]
pub struct Overhead {
    /// Sizes and recorded tokens, oldest first.
    recent: Vec<(ContextSize, u64)>,
}

impl Overhead {
    /// Adds a call with usage.
    pub fn add(&mut self, size: impl Into<ContextSize>, recorded: u64) {
        if self.recent.len() == OVERHEAD_CALLS {
            self.recent.remove(0);
        }
        self.recent.push((size.into(), recorded));
    }

    /// The overhead in recorded tokens for a given factor. Returns `None` before the first call with usage.
    pub fn get(&self, factor: Decimal) -> Option<u64> {
        let tokens = self.newest(milli(factor))?;
        Some(u64::try_from(tokens.max(0)).unwrap_or(u64::MAX))
    }

    /// The recorded tokens besides `counted` ones of a context of this size, for a given factor. Returns `None` before the
    /// first call with usage.
    pub fn besides(&self, counted: u64, size: ContextSize, factor: Decimal) -> Option<u64> {
        let milli = milli(factor);
        let besides = self.newest(milli)? + tokens(size, milli) - i128::from(scaled(counted, milli));
        Some(u64::try_from(besides.max(0)).unwrap_or(u64::MAX))
    }

    /// The overhead of the newest call, or the median of the recent calls if the newest one is a wrong count. Negative
    /// if counted messages are not sent.
    fn newest(&self, milli: u64) -> Option<i128> {
        let overhead = |(size, recorded): &(ContextSize, u64)| i128::from(*recorded) - tokens(*size, milli);
        let last = self.recent.last()?;
        let newest = overhead(last);
        if self.recent.len() < OVERHEAD_CALLS {
            return Some(newest);
        }
        let mut overheads: Vec<i128> = self.recent.iter().map(overhead).collect();
        overheads.sort_unstable();
        let median = overheads[OVERHEAD_CALLS / 2];
        let is_wrong = newest.abs_diff(median) > u128::from(last.1 / MAX_DEVIATION);
        Some(if is_wrong { median } else { newest })
    }
}

/// The recorded tokens of the messages of a context, for a factor in thousandths.
fn tokens(size: ContextSize, milli: u64) -> i128 {
    i128::from(scaled(size.counted, milli)) + i128::from(size.known)
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
