//! Sums of money of which some prices may be unknown. Every report says here how much of a sum is priced.

use trimtab_analysis::recording::CostSum;
use trimtab_base::quantity::Decimal;
use trimtab_simulate::simulate::PricedShare;

use super::amount::dollars;
use super::figure::Amount;
use super::number::{count, plural};
use super::verdict::Priced;

/// What calls, cache breaks or transcripts cost together, as far as their prices are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PartialSum {
    /// The cost of those with a known price, in US dollars.
    amount: Decimal,
    /// How many have a known price.
    priced: u64,
    /// Their number.
    total: u64,
}

impl PartialSum {
    pub(super) const fn new(amount: Decimal, priced: u64, total: u64) -> Self {
        Self { amount, priced, total }
    }

    /// The cost of calls of which this share is priced.
    pub(super) fn of_calls(amount: Decimal, share: PricedShare) -> Self {
        Self::from(CostSum { number: share.calls, priced: share.priced_calls, cost: amount })
    }

    /// The cost of calls, of which these are priced.
    pub(super) fn of(amount: Amount, priced: Priced) -> Self {
        Self::new(amount.0.unwrap_or_default(), priced.calls, priced.all_calls)
    }

    const fn is_complete(self) -> bool {
        self.priced == self.total
    }

    /// Returns the cost of those with a known price, or `None` if no price is known, though there are some to be paid.
    fn known(self) -> Option<Decimal> {
        (self.priced > 0 || self.total == 0).then_some(self.amount)
    }

    /// Returns `$0.41`, or `$0.41 (2 of 3 priced)` if some prices are unknown, or `None` if all are.
    pub(super) fn text(self) -> Option<String> {
        let cost = self.known().map(dollars)?;
        let share = format!("{} of {} priced", count(self.priced), count(self.total));
        Some(if self.is_complete() { cost } else { format!("{cost} ({share})") })
    }

    /// The same in a table, where `-` is unknown.
    pub(super) fn cell(self) -> String {
        self.text().unwrap_or_else(|| "-".to_owned())
    }

    /// Returns how many are priced, in words with a noun for them: `2 of 3 calls priced`, or `None` if all are.
    pub(super) fn priced(self, noun: &str) -> Option<String> {
        let total = plural(usize::try_from(self.total).unwrap_or(usize::MAX), noun);
        (!self.is_complete()).then(|| format!("{} of {total} priced", count(self.priced)))
    }
}

impl From<CostSum> for PartialSum {
    fn from(sum: CostSum) -> Self {
        let whole = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        Self { amount: sum.cost, priced: whole(sum.priced), total: whole(sum.number) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_says_how_much_of_it_is_priced() {
        let sum = |costs: &[Option<i64>]| {
            let each = costs.iter().map(|cost| CostSum::of(cost.map(Decimal::from)));
            PartialSum::from(each.fold(CostSum::default(), CostSum::with))
        };
        let all = [&[][..], &[Some(1), Some(2)], &[Some(1), None, Some(2)], &[None]].map(sum);
        assert_eq!(all.map(PartialSum::cell), ["$0.000", "$3.00", "$3.00 (2 of 3 priced)", "-"]);
        let words = all.map(|sum| sum.priced("call"));
        assert_eq!(words, [None, None, Some("2 of 3 calls priced".to_owned()), Some("0 of 1 call priced".to_owned())]);
    }
}
