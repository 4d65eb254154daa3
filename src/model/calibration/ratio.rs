//! The weighted median of ratios that come one after the other.

use super::MILLI;

/// The ratios that two tokenizers can have, in thousandths; what lies beyond counts as the nearest of them.
const LEAST: u64 = 500;
const MOST: u64 = 2000;

/// Places for ratios, as many as a binary search halves evenly.
const PLACES: usize = 2048;

/// Weights by ratio, as partial sums of a binary indexed tree, so that adding and asking take eleven steps each.
#[derive(Clone, Debug)]
pub(super) struct Ratios {
    sums: Vec<u64>,
    total: u64,
}

impl Default for Ratios {
    fn default() -> Self {
        Self { sums: vec![0; PLACES + 1], total: 0 }
    }
}

impl Ratios {
    /// Adds what a segment of messages added to both counts. Counts that fall or stand still say nothing about the
    /// ratio: the harness took something away.
    pub(super) fn grown(&mut self, counted: u64, recorded: u64) {
        if counted > 0 && recorded > 0 {
            let milli = u128::from(recorded) * u128::from(MILLI) / u128::from(counted);
            self.add(u64::try_from(milli).unwrap_or(MOST), counted);
        }
    }

    /// Adds a ratio in thousandths with a weight.
    pub(super) fn add(&mut self, milli: u64, weight: u64) {
        let place = usize::try_from(milli.clamp(LEAST, MOST) - LEAST).unwrap_or(0) + 1;
        let weight = weight.min(u64::MAX - self.total);
        self.total += weight;
        let mut at = place;
        while at <= PLACES {
            self.sums[at] += weight;
            at += at & at.wrapping_neg();
        }
    }

    /// The least ratio with half of all weight at or below it, in thousandths.
    pub(super) fn median(&self) -> u64 {
        let half = self.total.div_ceil(2);
        let (mut place, mut below, mut step) = (0, 0, PLACES / 2);
        while step > 0 {
            if let Some(sum) = self.sums.get(place + step)
                && below + sum < half
            {
                place += step;
                below += sum;
            }
            step /= 2;
        }
        u64::try_from(place).unwrap_or(0) + LEAST
    }
}
