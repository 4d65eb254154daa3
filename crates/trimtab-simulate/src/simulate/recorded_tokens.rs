//! Counted tokens as the provider counts them, in a replay that counts in another way.

use trimtab_base::quantity::{Decimal, whole};

/// The tokens by the recorded usage for one that the counter of a replay counts.
///
/// A live session decided by its counter, before the usage was known, so a replay that repeats it has the same counter. What it
/// kept out of requests is told in tokens of the provider. In every other replay the counter is fitted to the usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordedTokens(Decimal);

impl Default for RecordedTokens {
    fn default() -> Self {
        Self(Decimal::ONE)
    }
}

impl RecordedTokens {
    /// For a counter with one factor where another one fits the usage.
    pub(super) fn of(counter: Decimal, fitted: Decimal) -> Self {
        fitted.checked_div(counter).map_or_else(Self::default, Self)
    }

    /// What counted tokens are.
    pub(super) fn tokens(self, counted: u64) -> u64 {
        whole(Decimal::from(counted) * self.0)
    }

    /// The same for what each rule has saved; the sum of them is what their sum is.
    pub(super) fn apply(self, saved: &mut [i128]) {
        if self == Self::default() {
            return;
        }
        let (mut counted, mut done) = (0, 0);
        for tokens in saved {
            counted += *tokens;
            *tokens = self.signed(counted) - done;
            done += *tokens;
        }
    }

    fn signed(self, counted: i128) -> i128 {
        let tokens = self.tokens(u64::try_from(counted.unsigned_abs()).unwrap_or(u64::MAX));
        i128::from(tokens) * counted.signum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_over_rules_is_that_of_the_sum() {
        let recorded = RecordedTokens::of(Decimal::new(16, 1), Decimal::ONE);
        let mut saved = [101, -7, 33, 5];
        recorded.apply(&mut saved);
        assert_eq!(saved.iter().sum::<i128>(), i128::from(recorded.tokens(132)));
        assert_eq!(saved[0], i128::from(recorded.tokens(101)));
        let mut same = [3, -4];
        RecordedTokens::default().apply(&mut same);
        assert_eq!(same, [3, -4]);
    }
}
