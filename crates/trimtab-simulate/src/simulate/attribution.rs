//! Divides the savings of a call among the rules.

use trimtab_base::conversation::Usage;
use trimtab_base::quantity::Decimal;
use trimtab_language::check::Rule;
use trimtab_model::model::Prices;

use super::rule_trace::RuleTrace;

/// The largest number of tokens whose price is computed.
const MOST: i128 = 1 << 60;

/// The prices of a call's input in US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    /// Of input that is new to the cache.
    new: Decimal,
    /// Of input that has been sent before.
    sent: Decimal,
}

/// The prices of a call's input. Where nothing is read from the cache, input that has been sent before costs as much as new
/// input.
pub(super) fn rates(prices: Prices, usage: Usage) -> Rates {
    let prices = prices.at(usage.context());
    let new = match usage {
        Usage { hour_write: 1.., .. } => prices.hour_write,
        Usage { cache_write: 1.., .. } => prices.cache_write,
        _ => prices.input,
    };
    Rates { new, sent: if usage.cache_read > 0 { prices.cache_read } else { new } }
}

/// The share of each rule in a saving. `saved` has the tokens that each rule saved, and `unsent` how many of these no
/// call had sent before.
///
/// A share is the price of the tokens, and a part of the difference between the saving and all such prices, in proportion to
/// the tokens: longer contexts may have higher prices, and providers cache in steps.
pub(super) fn shares(saving: Decimal, rates: Rates, saved: &[i128], unsent: &[i128]) -> Vec<Decimal> {
    // At most calls, most rules have saved nothing.
    let price = |tokens: i128, rate: Decimal| match tokens {
        0 => Decimal::ZERO,
        _ => Decimal::from(tokens.clamp(-MOST, MOST)) * rate / Decimal::from(1_000_000),
    };
    let prices: Vec<Decimal> = saved
        .iter()
        .zip(unsent)
        .map(|(saved, unsent)| price(saved - unsent, rates.sent) + price(*unsent, rates.new))
        .collect();
    let weight = |tokens: &i128| Decimal::from(tokens.abs().min(MOST));
    if saved.iter().all(|tokens| *tokens == 0) {
        return prices;
    }
    let weights: Decimal = saved.iter().map(weight).sum();
    let rest = saving - prices.iter().sum::<Decimal>();
    let share = |(price, saved): (&Decimal, &i128)| match saved {
        0 => *price,
        _ => price + rest * (weight(saved) / weights),
    };
    prices.iter().zip(saved).map(share).collect()
}

/// Reduces savings that cannot have been made, beginning with the rules that fired last.
pub(super) fn limit(saved: &mut [i128], traces: &[RuleTrace], rules: &[Rule], unremoved: u64) {
    let mut excess = i128::from(unremoved);
    let mut latest: Vec<usize> = (0..saved.len()).filter(|_| excess > 0).collect();
    latest.sort_by_key(|rule| std::cmp::Reverse((traces[*rule].calls.last(), rules[*rule].phase, *rule)));
    for rule in latest {
        let less = excess.min(saved[rule].max(0));
        saved[rule] -= less;
        excess -= less;
    }
}
