//! What a call costs: by its time, its context and how it was served.

use std::sync::Arc;

use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use rust_decimal::Decimal;
use trimtab_base::conversation::{Message, Service, Tier, Usage};

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// Input that is neither read from nor written to the prompt cache.
    pub input: Decimal,
    /// Input written to the prompt cache with the provider's shortest time to live.
    pub cache_write: Decimal,
    /// Input read from the prompt cache.
    pub cache_read: Decimal,
    /// Input written to the prompt cache for an hour.
    pub hour_write: Decimal,
    /// Output.
    pub output: Decimal,
    /// The prices of calls with a long context, if they are different.
    pub long: Option<LongPrices>,
}

/// The prices of a call with a long context, in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongPrices {
    /// The largest context, in tokens, to which these prices do not apply.
    pub above: u64,
    /// As [`Prices::input`].
    pub input: Decimal,
    /// As [`Prices::cache_write`].
    pub cache_write: Decimal,
    /// As [`Prices::cache_read`].
    pub cache_read: Decimal,
    /// As [`Prices::hour_write`].
    pub hour_write: Decimal,
    /// As [`Prices::output`].
    pub output: Decimal,
}

/// Prices of a model that were replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormerPrices {
    /// The first day on which they no longer applied.
    pub until: Date,
    /// The prices.
    pub prices: Prices,
}

/// The factors on all prices of a call that was not served as usual; 1 where the table states none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServiceFactors {
    /// The fast mode of Anthropic, or `None` if the model has none.
    pub fast: Option<Decimal>,
    /// Inference in the United States only.
    pub us: Option<Decimal>,
    /// The tier `priority`.
    pub priority: Option<Decimal>,
    /// The tier `flex`.
    pub flex: Option<Decimal>,
}

/// The prices of a model over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceList {
    /// The current prices.
    pub current: Prices,
    /// The former prices, oldest first.
    pub former: Arc<[FormerPrices]>,
    /// The factors on all of these prices.
    pub factors: ServiceFactors,
}

/// The factor of providers on the prices of a call in a batch.
const BATCH: Decimal = Decimal::from_parts(5, 0, 0, false, 1);

impl Prices {
    /// The prices of a call with a context of this many tokens.
    #[must_use]
    pub fn at(self, context: u64) -> Self {
        let Some(long) = self.long.filter(|long| context > long.above) else { return self };
        let LongPrices { above: _, input, cache_write, cache_read, hour_write, output } = long;
        Self { input, cache_write, cache_read, hour_write, output, long: self.long }
    }

    /// Returns the cost of a call in US dollars, or `None` if it is too large to be represented.
    pub fn cost(self, usage: Usage) -> Option<Decimal> {
        self.scaled_cost(usage, usage.context())
    }

    /// Returns the cost of a call in US dollars if its context had another size in tokens, with the same shares of
    /// cached and uncached input, or `None` if it is too large to be represented.
    pub fn scaled_cost(self, usage: Usage, context: u64) -> Option<Decimal> {
        let prices = self.at(context);
        let hour_write = usage.hour_write.min(usage.cache_write);
        let input = [
            (usage.input, prices.input),
            (usage.cache_read, prices.cache_read),
            (usage.cache_write - hour_write, prices.cache_write),
            (hour_write, prices.hour_write),
        ];
        let mut sum = Decimal::ZERO;
        for (tokens, price) in input.into_iter().filter(|(tokens, _)| *tokens > 0) {
            sum = sum.checked_add(Decimal::from(tokens).checked_mul(price)?)?;
        }
        if context != usage.context() {
            sum = sum.checked_mul(Decimal::from(context) / Decimal::from(usage.context().max(1)))?;
        }
        sum = sum.checked_add(Decimal::from(usage.output).checked_mul(prices.output)?)?;
        Some(sum / Decimal::from(1_000_000))
    }

    /// All prices times a factor.
    fn times(self, factor: Decimal) -> Self {
        Self {
            input: times(self.input, factor),
            cache_write: times(self.cache_write, factor),
            cache_read: times(self.cache_read, factor),
            hour_write: times(self.hour_write, factor),
            output: times(self.output, factor),
            long: self.long.map(|long| LongPrices {
                above: long.above,
                input: times(long.input, factor),
                cache_write: times(long.cache_write, factor),
                cache_read: times(long.cache_read, factor),
                hour_write: times(long.hour_write, factor),
                output: times(long.output, factor),
            }),
        }
    }
}

impl PriceList {
    /// A list of prices that do not change.
    pub fn constant(current: Prices) -> Self {
        Self { current, former: Arc::default(), factors: ServiceFactors::default() }
    }

    /// The prices of a reply, by its recorded time and service; without a time, the current prices. Returns
    /// `None` if the call was served in a mode whose price is unknown.
    pub fn of_reply(&self, reply: &Message) -> Option<Prices> {
        self.of_call(reply.at.as_deref(), reply.usage.map(|usage| usage.service).unwrap_or_default())
    }

    /// The prices of a call at a time, as RFC 3339; otherwise as [`PriceList::of_reply`].
    pub fn of_call(&self, at: Option<&str>, service: Service) -> Option<Prices> {
        let prices = if self.former.is_empty() { self.current } else { self.on(at.and_then(day)) };
        if service == Service::default() {
            return Some(prices);
        }
        let ServiceFactors { fast, us, priority, flex } = self.factors;
        let fast = if service.is_fast { fast? } else { Decimal::ONE };
        let us = us.filter(|_| service.is_us_only).unwrap_or(Decimal::ONE);
        let tier = match service.tier {
            Tier::Standard => None,
            Tier::Priority => priority,
            Tier::Flex => flex,
            Tier::Batch => Some(BATCH),
        };
        Some(prices.times(fast * us * tier.unwrap_or(Decimal::ONE)))
    }

    /// The prices on a day in UTC, or the current prices without a day.
    pub fn on(&self, day: Option<Date>) -> Prices {
        let former = day.and_then(|day| self.former.iter().find(|former| day < former.until));
        former.map_or(self.current, |former| former.prices)
    }

    /// Returns the list for calls in the fast mode, or `None` if the model has none.
    pub(super) fn in_fast_mode(self) -> Option<Self> {
        let fast = self.factors.fast?;
        let former = self.former.iter().map(|former| FormerPrices { prices: former.prices.times(fast), ..*former });
        Some(Self { current: self.current.times(fast), former: former.collect(), factors: ServiceFactors::default() })
    }

    /// The list with the prices of this day for every call.
    #[must_use]
    pub fn fixed_on(self, day: Date) -> Self {
        Self { current: self.on(Some(day)), former: Arc::default(), ..self }
    }
}

/// A price times a factor; the largest number if it cannot be represented.
pub(super) fn times(price: Decimal, factor: Decimal) -> Decimal {
    price.checked_mul(factor).unwrap_or(Decimal::MAX)
}

/// The day of a time, as RFC 3339, in UTC.
fn day(at: &str) -> Option<Date> {
    at.parse::<Timestamp>().ok().map(|at| at.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::find;

    fn list(id: &str) -> PriceList {
        find(id).and_then(|model| model.prices).expect("prices")
    }

    fn input(id: &str, at: Option<&str>, context: u64) -> String {
        let prices = list(id).of_call(at, Service::default()).expect("known");
        prices.at(context).input.normalize().to_string()
    }

    #[test]
    fn a_long_context_has_prices_of_its_own() {
        assert_eq!(input("claude-haiku-5-5", None, 100_000), "0.1");
        assert_eq!(input("claude-haiku-5-5", None, 100_001), "0.5");
        assert_eq!(list("claude-haiku-5-5").current.at(150_000).hour_write, Decimal::ONE);
        assert_eq!(list("gpt-6.1-sol").current.at(300_000).output.normalize().to_string(), "15");
    }

    #[test]
    fn a_call_has_the_prices_of_its_time() {
        let before = Some("2026-08-20T23:59:59Z");
        assert_eq!(input("gpt-5.6-sol", before, 1), "5");
        assert_eq!(input("gpt-5.6-sol", Some("2026-08-21T01:59:59+02:00"), 1), "5");
        assert_eq!(input("gpt-5.6-sol", Some("2026-08-21T00:00:00Z"), 1), "4");
        assert_eq!(["", "noon"].map(|at| input("gpt-5.6-sol", Some(at), 1)), ["4", "4"]);
        assert_eq!(input("claude-opus-4-6", Some("2026-03-12T10:00:00Z"), 200_001), "10");
        assert_eq!(input("claude-opus-4-6", Some("2026-03-13T10:00:00Z"), 200_001), "5");
        assert_eq!(list("gpt-5.6-sol").fixed_on(Date::constant(2026, 8, 1)).current.input, Decimal::from(5));
    }

    #[test]
    fn the_service_of_a_call_changes_all_prices() {
        let of =
            |id: &str, service| list(id).of_call(None, service).map(|prices| prices.output.normalize().to_string());
        let fast = Service { is_fast: true, ..Service::default() };
        assert_eq!(of("claude-opus-4-8", fast).as_deref(), Some("50"));
        assert_eq!(of("claude-opus-4-6", fast).as_deref(), Some("150"));
        assert_eq!(of("claude-sonnet-4-5", fast), None);
        let us = Service { is_us_only: true, is_fast: true, ..Service::default() };
        assert_eq!(of("claude-opus-4-8", us).as_deref(), Some("55"));
        assert_eq!(list("anthropic/claude-opus-4.8-fast").current.output.normalize().to_string(), "50");
        assert_eq!(find("claude-sonnet-4-5-fast").and_then(|model| model.prices), None);
        let tier = |tier| Service { tier, ..Service::default() };
        assert_eq!(of("gpt-5", tier(Tier::Priority)).as_deref(), Some("20"));
        assert_eq!(of("gpt-5", tier(Tier::Flex)).as_deref(), Some("5"));
        assert_eq!(of("claude-sonnet-4-5", tier(Tier::Batch)).as_deref(), Some("7.5"));
        assert_eq!(of("claude-sonnet-4-5", tier(Tier::Priority)).as_deref(), Some("15"));
    }
}
