//! The size of a context at which old results are masked, and the size that is left.

use rust_decimal::prelude::ToPrimitive;
use trimtab_base::quantity::Decimal;

use super::scale::Scale;
use crate::recording::observation::Observations;

/// The high watermarks that are tried, in percent of the window. Smaller ones would mask while there is much room.
const SHARES: [u64; 4] = [75, 60, 45, 30];

/// The step between high watermarks in percent of the window. Those of two suggestions are equal, or leave different sizes.
const STEP: u64 = 15;

/// The high watermarks that are tried if the window is unknown or hardly used, in percent of the largest context.
const PEAK_SHARES: [u64; 3] = [80, 60, 40];

/// The largest high watermark in percent of the window, which leaves room for a reply.
const LARGEST: u64 = 90;

/// The least high watermark in tokens: a smaller context is not worth an edit.
const LEAST: u64 = 40_000;

/// A high watermark, and the low one down to which a step masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watermark {
    /// In percent of the window.
    Share(u64),
    /// In thousands of tokens.
    Thousands(u64),
}

impl Watermark {
    /// A watermark of this many tokens: rounded down to thousands, or in a small window to a step of its share. Returns
    /// `None` if it is too small.
    pub(super) fn of_tokens(tokens: u64, scale: Scale) -> Option<Self> {
        match scale.small_window() {
            Some(window) => {
                let percent = tokens.saturating_mul(100) / window / STEP * STEP;
                let least = SHARES.into_iter().min().unwrap_or_default();
                (percent >= least).then_some(Self::Share(percent.min(LARGEST)))
            }
            None => (tokens >= LEAST).then_some(Self::Thousands(tokens / 1_000)),
        }
    }

    /// Watermarks of these many tokens, each once.
    pub(super) fn distinct<const N: usize>(tokens: [u64; N], scale: Scale) -> Vec<Self> {
        let mut all: Vec<Self> = tokens.into_iter().filter_map(|tokens| Self::of_tokens(tokens, scale)).collect();
        all.dedup();
        all
    }

    /// Watermarks that the largest context exceeds.
    pub(super) fn below_peak(observed: &Observations, scale: Scale) -> Vec<Self> {
        let share = observed.peak_share.filter(|_| observed.unknown_windows == 0);
        let percent = share.and_then(|share| (share * Decimal::ONE_HUNDRED).to_u64()).unwrap_or_default();
        let shares: Vec<Self> = SHARES.into_iter().filter(|share| *share < percent).map(Self::Share).collect();
        if !shares.is_empty() {
            return shares;
        }
        Self::distinct(PEAK_SHARES.map(|share| observed.peak / 100 * share), scale)
    }

    /// The clauses of a rule that masks old results at the high watermark, down to the low one.
    pub(super) fn mask(&self, scale: Scale) -> String {
        let (due, low) = match self {
            Self::Share(percent) => (format!("context.ratio >= {percent}%"), format!("{}%", percent / 10 * 5)),
            Self::Thousands(tokens) => {
                (format!("context.tokens >= {tokens}k tokens"), format!("{}k tokens", tokens / 2))
            }
        };
        format!("when {due}\ndo mask results keep 10 messages down_to {low} {}", scale.at_least())
    }
}
