//! Amounts that suit the window: what is little in a large window fills a small one.

use crate::recording::observation::Observations;

/// The window that amounts are written for, in tokens. In larger windows they stay as they are.
const USUAL_WINDOW: u64 = 200_000;

/// The least tokens that a step removes in such a window.
const LEAST_STEP: u64 = 4_000;

/// The scale of amounts for the recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    /// The smallest window in tokens, at most the usual one.
    window: u64,
}

impl Scale {
    /// The scale for the smallest known window.
    pub(super) fn of(observed: &Observations) -> Self {
        Self { window: observed.smallest_window.map_or(USUAL_WINDOW, |window| window.clamp(1, USUAL_WINDOW)) }
    }

    /// An amount that is written for the usual window, rounded down to one digit in a smaller one.
    pub(super) fn amount(self, usual: u64) -> u64 {
        if self.window == USUAL_WINDOW {
            return usual;
        }
        let scaled = usual.saturating_mul(self.window) / USUAL_WINDOW;
        let digit = 10u64.pow(scaled.checked_ilog10().unwrap_or(0));
        (scaled / digit * digit).max(1)
    }

    /// A number of characters, scaled, of which enough are left to read: at least a fortieth of the usual one.
    pub(super) fn chars(self, usual: u64) -> u64 {
        self.amount(usual).max(usual / 40)
    }

    /// The smallest window, if it is smaller than the usual one.
    pub(super) fn small_window(self) -> Option<u64> {
        (self.window < USUAL_WINDOW).then_some(self.window)
    }

    /// The label for the least tokens that a step removes: `at_least 4k tokens`.
    pub(super) fn at_least(self) -> String {
        format!("at_least {} tokens", written(self.amount(LEAST_STEP)))
    }
}

/// A number as a policy writes it: `1M`, `4k`, `300`.
pub(super) fn written(number: u64) -> String {
    match number {
        1_000_000.. if number.is_multiple_of(1_000_000) => format!("{}M", number / 1_000_000),
        1_000.. if number.is_multiple_of(1_000) => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_shrink_with_the_window_and_keep_one_digit() {
        let scale = |window| Scale::of(&Observations { smallest_window: window, ..Observations::default() });
        let steps = [None, Some(1_000_000), Some(200_000), Some(128_000), Some(32_000), Some(6_000), Some(1)];
        assert_eq!(steps.map(|window| scale(window).amount(4_000)), [4_000, 4_000, 4_000, 2_000, 600, 100, 1]);
        assert_eq!(scale(Some(128_000)).at_least(), "at_least 2k tokens");
        assert_eq!(scale(Some(6_000)).at_least(), "at_least 100 tokens");
    }
}
