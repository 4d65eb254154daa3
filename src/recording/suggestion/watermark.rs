//! The size of a context at which old results are masked, and the size that is left.

use rust_decimal::prelude::ToPrimitive;

use super::scale::{Scale, written};
use crate::quantity::Decimal;
use crate::recording::observation::Observations;

/// The high watermarks that are tried, in percent of the window. Smaller ones would mask while there is much room.
const SHARES: [u64; 4] = [75, 60, 45, 30];

/// The high watermarks that are tried if the window is unknown or hardly used, in percent of the largest context.
const PEAK_SHARES: [u64; 3] = [80, 60, 40];

/// The least high watermark in tokens in a window of the usual size: a smaller context is not worth an edit.
const LEAST: u64 = 40_000;

/// A high watermark, and the low one down to which a step masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watermark {
    /// In percent of the window.
    Share(u64),
    /// In tokens.
    Tokens(u64),
}

impl Watermark {
    /// A watermark in tokens, rounded down; none if it is too small.
    pub(super) fn in_tokens(tokens: u64, scale: Scale) -> Option<Self> {
        let unit = scale.amount(1_000).max(2);
        (tokens >= scale.amount(LEAST)).then_some(Self::Tokens(tokens / unit * unit))
    }

    /// Watermarks that the largest context exceeds.
    pub(super) fn below_peak(observed: &Observations, scale: Scale) -> Vec<Self> {
        let share = observed.peak_share.filter(|_| observed.unknown_windows == 0);
        let percent = share.and_then(|share| (share * Decimal::ONE_HUNDRED).to_u64()).unwrap_or_default();
        let shares: Vec<Self> = SHARES.into_iter().filter(|share| *share < percent).map(Self::Share).collect();
        if !shares.is_empty() {
            return shares;
        }
        PEAK_SHARES.into_iter().filter_map(|share| Self::in_tokens(observed.peak / 100 * share, scale)).collect()
    }

    /// The clauses of a rule that masks old results at the high watermark, down to the low one.
    pub(super) fn mask(&self, scale: Scale) -> String {
        let (due, low) = match self {
            Self::Share(percent) => (format!("context.ratio >= {percent}%"), format!("{}%", percent / 10 * 5)),
            Self::Tokens(high) => {
                let tokens = |tokens| format!("{} tokens", written(tokens));
                (format!("context.tokens >= {}", tokens(*high)), tokens(half(*high)))
            }
        };
        format!("when {due}\ndo mask results keep 10 messages down_to {low} {}", scale.at_least())
    }
}

/// Half of a number of tokens; whole thousands stay whole thousands.
const fn half(tokens: u64) -> u64 {
    if tokens.is_multiple_of(1_000) { tokens / 2_000 * 1_000 } else { tokens / 2 }
}
