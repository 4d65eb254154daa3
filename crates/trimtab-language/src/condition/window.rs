//! Windows: if the window is unknown, enough windows to order all thresholds in every possible way.
//!
//! Two thresholds are linear in the window, apart from the truncation of shares, which is less than a token. So their
//! order, and whether there are whole numbers between them, changes only near the window at which they are equal. If they
//! have the same slope and are a few tokens apart, the order repeats with the denominators of their shares.

use trimtab_base::quantity::Decimal;

use super::threshold::{Threshold, period};

/// The least window that is considered if the window is unknown. No model has a smaller one, and in smaller ones
/// different shares are truncated to the same number of tokens.
pub const LEAST_WINDOW: u64 = 1_000;

/// The greatest window that is considered if the window is unknown.
const MAX_WINDOW: u64 = 1 << 60;
/// The most common window, for witnesses.
pub(super) const TYPICAL_WINDOW: u64 = 200_000;
/// Common windows, for witnesses.
const COMMON: [u64; 6] = [TYPICAL_WINDOW, 100_000, 1_000_000, 32_000, 10_000, 4_000];
/// The most windows that are tried.
const MAX_WINDOWS: u64 = 20_000;

/// The windows at which the order of thresholds changes, and the number of windows after which it repeats.
#[derive(Debug)]
struct Changes {
    breaks: Vec<u64>,
    period: u64,
}

/// Windows for the thresholds of each axis, and for shares that one of them must reach exactly, or `None` if there are too many.
pub(super) fn candidates<'a>(
    axes: impl Iterator<Item = &'a [Threshold]>,
    shares: &[Decimal],
    reserve: u64,
) -> Option<Vec<u64>> {
    let mut changes = Changes { breaks: Vec::new(), period: 1 };
    for share in shares {
        changes.repeat(period(*share)?)?;
    }
    for thresholds in axes {
        let mut all = thresholds.to_vec();
        all.push(Threshold::constant(Decimal::ZERO));
        for (at, threshold) in all.iter().enumerate() {
            for other in &all[..at] {
                changes.between(threshold, other, reserve)?;
            }
        }
    }
    changes.windows()
}

impl Changes {
    fn repeat(&mut self, period: u64) -> Option<()> {
        let (mut a, mut b) = (self.period, period);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        self.period = (self.period / a.max(1)).checked_mul(period).filter(|&period| period <= MAX_WINDOWS)?;
        Some(())
    }

    /// Records where the order of two thresholds changes.
    fn between(&mut self, threshold: &Threshold, other: &Threshold, reserve: u64) -> Option<()> {
        let slope = threshold.slope() - other.slope();
        let start = threshold.start(reserve).saturating_sub(other.start(reserve));
        let near = Decimal::from(3);
        if slope.is_zero() {
            let alike = threshold.truncated_term() == other.truncated_term();
            return if alike || start.abs() >= near { Some(()) } else { self.repeat_both(threshold, other) };
        }
        let Some(centre) = start.checked_div(-slope) else { return Some(()) };
        let half = near.checked_div(slope.abs())?;
        let (least, greatest) = (Decimal::from(LEAST_WINDOW), Decimal::from(MAX_WINDOW));
        let low = centre.saturating_sub(half).max(least);
        let high = centre.saturating_add(half).min(greatest);
        if low > high {
            return Some(());
        }
        let (low, high) = (trimtab_base::quantity::whole(low), trimtab_base::quantity::whole(high) + 1);
        if high - low > MAX_WINDOWS {
            return None;
        }
        self.scan(threshold, other, reserve, low, high)
    }

    fn repeat_both(&mut self, threshold: &Threshold, other: &Threshold) -> Option<()> {
        self.repeat(threshold.period()?)?;
        self.repeat(other.period()?)
    }

    fn scan(&mut self, threshold: &Threshold, other: &Threshold, reserve: u64, low: u64, high: u64) -> Option<()> {
        let mut before = None;
        for window in low..=high {
            let [threshold, other] = [threshold, other].map(|threshold| threshold.at(Some(window), reserve));
            let apart = threshold?.checked_sub(other?)?.clamp(-Decimal::TWO, Decimal::TWO);
            if before.is_some_and(|before| before != apart) {
                self.breaks.push(window);
            }
            before = Some(apart);
        }
        Some(())
    }

    /// One window from each interval without a change, or one full period of them; common windows first.
    fn windows(mut self) -> Option<Vec<u64>> {
        self.breaks.sort_unstable();
        self.breaks.dedup();
        let ends = self.breaks.iter().map(|next| next - 1).chain([MAX_WINDOW]);
        let starts = [LEAST_WINDOW].into_iter().chain(self.breaks.iter().copied());
        let mut windows = Vec::new();
        for (start, end) in starts.zip(ends) {
            let most = (end - start + 1).min(self.period);
            let fits = |common: &&u64| (start..=end).contains(*common) && *common + (most - 1) <= end;
            let first = COMMON.iter().find(fits).copied().unwrap_or(start);
            windows.extend(first..first + most);
            if windows.len() as u64 > MAX_WINDOWS {
                return None;
            }
        }
        windows.sort_by_key(|window| COMMON.iter().position(|common| common == window).unwrap_or(COMMON.len()));
        Some(windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> Threshold {
        Threshold::share(text.parse().expect("a decimal"))
    }

    fn windows(thresholds: &[Threshold]) -> Option<Vec<u64>> {
        candidates([thresholds].into_iter(), &[], 0)
    }

    #[test]
    fn shares_have_the_same_order_in_every_window() {
        assert_eq!(windows(&[share("0.8"), share("0.6")]), Some(vec![200_000]));
    }

    #[test]
    fn a_number_of_tokens_and_a_share_are_ordered_in_every_way() {
        let tokens = Threshold::constant(Decimal::from(100_000));
        let windows = windows(&[share("0.8"), tokens]).expect("a few windows");
        assert!(windows.contains(&200_000) && windows.iter().any(|window| *window < 125_000));
        assert!(windows.contains(&125_000), "{windows:?}");
        assert!(windows.len() < 20, "{windows:?}");
    }

    #[test]
    fn close_shares_are_tried_in_consecutive_windows() {
        let windows = windows(&[share("0.8"), share("0.8005")]).expect("some windows");
        let apart = |window: u64| share("0.8005").at(Some(window), 0).zip(share("0.8").at(Some(window), 0));
        let equal = windows.iter().filter(|window| apart(**window).is_some_and(|(a, b)| a == b)).count();
        assert!(equal > 0 && equal < windows.len());
    }
}
