//! A running weighted median of ratios.

use super::MILLI;

/// The range of plausible ratios between two tokenizers, in thousandths. Ratios outside of it are clamped.
const MIN_RATIO: u64 = 500;
const MAX_RATIO: u64 = 2000;

/// The number of slots for ratios: a power of two that covers the range.
const SLOTS: usize = 2048;

/// The weights by ratio in a binary indexed tree, so that an update and a query take eleven steps each.
#[derive(Clone, Debug)]
pub(super) struct Ratios {
    sums: Vec<u64>,
    total: u64,
}

impl Default for Ratios {
    fn default() -> Self {
        Self { sums: vec![0; SLOTS + 1], total: 0 }
    }
}

impl Ratios {
    /// Adds the ratio by which both counts grew between two calls. Does nothing if one of them did not grow, since the
    /// harness has then removed content.
    pub(super) fn add_growth(&mut self, counted: u64, recorded: u64) {
        if counted > 0 && recorded > 0 {
            let milli = u128::from(recorded) * u128::from(MILLI) / u128::from(counted);
            self.add(u64::try_from(milli).unwrap_or(MAX_RATIO), counted);
        }
    }

    /// Adds a ratio in thousandths with a weight.
    pub(super) fn add(&mut self, milli: u64, weight: u64) {
        let slot = usize::try_from(milli.clamp(MIN_RATIO, MAX_RATIO) - MIN_RATIO).unwrap_or(0) + 1;
        let weight = weight.min(u64::MAX - self.total);
        self.total += weight;
        let mut index = slot;
        while index <= SLOTS {
            self.sums[index] += weight;
            index += index & index.wrapping_neg();
        }
    }

    /// The smallest ratio, in thousandths, that has at least half of the total weight at or below it.
    pub(super) fn median(&self) -> u64 {
        let half = self.total.div_ceil(2);
        let (mut slot, mut below, mut step) = (0, 0, SLOTS / 2);
        while step > 0 {
            if let Some(sum) = self.sums.get(slot + step)
                && below + sum < half
            {
                slot += step;
                below += sum;
            }
            step /= 2;
        }
        u64::try_from(slot).unwrap_or(0) + MIN_RATIO
    }
}
