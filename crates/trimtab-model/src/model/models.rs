//! The models of a project, in addition to the embedded table and instead of its rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::prices::times;
use super::{LongPrices, Model, PriceList, Prices, caching, family, find_in, id, table};

/// Where models are looked up: first among those of a project, then in the embedded table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Models {
    own: Arc<BTreeMap<SmolStr, Model>>,
    /// The day whose prices apply to every call, or `None` if each call has the prices of its own time.
    prices_of: Option<Date>,
}

impl Models {
    /// The embedded table and these models. A later model replaces an earlier one with the same id.
    pub fn with(own: impl IntoIterator<Item = Model>) -> Self {
        let own = own.into_iter().map(|model| (model.id.clone(), model));
        Self { own: Arc::new(own.collect()), prices_of: None }
    }

    /// Applies the prices of this day to every call; without a day, each call has the prices of its own time.
    #[must_use]
    pub fn priced_on(self, day: Option<Date>) -> Self {
        Self { prices_of: day, ..self }
    }

    /// Finds the model with this id: as [`find`](super::find), with the project's models first.
    pub fn find(&self, id: &str) -> Option<Model> {
        let found = if self.own.is_empty() {
            super::find(id)
        } else {
            find_in(id, |id| self.own.get(id).cloned().or_else(|| table::find(id)))
        };
        let Some(day) = self.prices_of else { return found };
        found.map(|model| Model { prices: model.prices.map(|prices| prices.fixed_on(day)), ..model })
    }

    /// Whether two ids mean the same model.
    pub fn is_same(&self, first: &str, second: &str) -> bool {
        let canonical_id = |id: &str| self.find(id).map(|model| model.id);
        first == second || canonical_id(first).is_some_and(|id| canonical_id(second) == Some(id))
    }

    /// The factor between the estimate and the tokenizer of a model: the factor of its family, or 1.
    pub fn factor(&self, id: &str) -> Decimal {
        family::factor_if_listed(id, self.find(id).as_ref())
    }

    /// Whether the provider of a model drops the reasoning of earlier turns when a person writes; false for unknown
    /// models.
    pub fn drops_reasoning(&self, id: &str) -> bool {
        self.find(id).as_ref().is_some_and(family::drops_reasoning)
    }

    /// Whether the provider of a model binds reasoning to everything before it; false for unknown models.
    pub fn binds_reasoning(&self, id: &str) -> bool {
        self.find(id).is_some_and(|model| model.binds_reasoning)
    }

    /// The id that is the most similar to an unknown id, for suggestions.
    pub fn nearest(&self, id: &str) -> Option<SmolStr> {
        id::nearest(id, self.own.keys().map(SmolStr::as_str)).map(SmolStr::from).or_else(|| super::nearest(id))
    }

    /// All models, sorted by id.
    pub fn all(&self) -> Vec<Model> {
        let mut all: BTreeMap<SmolStr, Model> = super::all().map(|model| (model.id.clone(), model)).collect();
        all.extend(self.own.iter().map(|(id, model)| (id.clone(), model.clone())));
        all.into_values().collect()
    }
}

/// What a project says of the prices of calls with a long context: the factors on the other prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surcharge {
    /// The largest context in tokens without it.
    pub above: u64,
    /// The factor of all input, cached or not.
    pub input: Decimal,
    /// The factor of output.
    pub output: Decimal,
}

impl Surcharge {
    fn on(self, prices: Prices) -> LongPrices {
        LongPrices {
            above: self.above,
            input: times(prices.input, self.input),
            cache_write: times(prices.cache_write, self.input),
            cache_read: times(prices.cache_read, self.input),
            hour_write: times(prices.hour_write, self.input),
            output: times(prices.output, self.output),
        }
    }

    /// The surcharge that gives these prices for input and output.
    fn of(prices: Prices) -> Option<Self> {
        let long = prices.long?;
        let factor = |of_long: Decimal, of_short: Decimal| of_long.checked_div(of_short).unwrap_or(Decimal::ONE);
        let (input, output) = (factor(long.input, prices.input), factor(long.output, prices.output));
        Some(Self { above: long.above, input, output })
    }
}

/// What a project says of a model. Everything else is as in the row that it changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelChanges {
    /// The model family.
    pub family: Option<SmolStr>,
    /// The window in tokens.
    pub window: Option<u64>,
    /// The window that a request can opt into.
    pub long_window: Option<u64>,
    /// The maximum output tokens of a call.
    pub max_output: Option<u64>,
    /// The price of uncached input; this and the other prices in US dollars per million tokens.
    pub input: Option<Decimal>,
    /// The price of input written to the cache.
    pub cache_write: Option<Decimal>,
    /// The price of input written to the cache for an hour.
    pub hour_write: Option<Decimal>,
    /// The price of input read from the cache.
    pub cache_read: Option<Decimal>,
    /// The price of output.
    pub output: Option<Decimal>,
    /// The surcharge for long contexts.
    pub surcharge: Option<Surcharge>,
    /// The least number of tokens of a prefix that is cached.
    pub cache_minimum: Option<u64>,
    /// How long an unused prefix is kept, in seconds.
    pub cache_lifetime: Option<u64>,
    /// Whether reasoning is bound to everything before it.
    pub binds_reasoning: Option<bool>,
    /// The published tokenizer.
    pub tokenizer: Option<&'static str>,
}

impl ModelChanges {
    /// The model with this id: a row of the table with these changes, or a new one.
    ///
    /// # Errors
    /// A new model has no window, or prices without that of input or output; gives the name of the missing value.
    pub fn apply(&self, id: &str, row: Option<&Model>) -> Result<Model, &'static str> {
        let window = self.window.or(row.map(|row| row.window)).ok_or("window")?;
        let family =
            self.family.clone().or_else(|| row.map(|row| row.family.clone())).unwrap_or_else(|| "other".into());
        let listed = row.and_then(|row| row.prices.as_ref());
        let prices = self.prices(listed.map(|listed| listed.current))?;
        // If a project changes the prices, they apply at any time: former prices are dropped.
        let prices = match (prices, listed) {
            (Some(prices), Some(listed)) if prices == listed.current => Some(listed.clone()),
            (Some(prices), listed) => {
                let factors = listed.map(|listed| listed.factors).unwrap_or_default();
                Some(PriceList { factors, ..PriceList::constant(prices) })
            }
            (None, _) => None,
        };
        let cached = row.and_then(|row| row.caching).filter(|_| self.family.is_none());
        let columns = caching::Columns {
            family: &family,
            prices: prices.as_ref().map(|prices| prices.current),
            minimum: self.cache_minimum.or(cached.map(|caching| caching.minimum)),
            lifetime: self.cache_lifetime.or(cached.map(|caching| caching.lifetime)),
        };
        Ok(Model {
            // Every spelling of a release in the table means the same model.
            id: id::resolve_release(id, table::find).map_or_else(|| id.to_ascii_lowercase().into(), |row| row.id),
            window,
            long_window: self.long_window.or(row.and_then(|row| row.long_window)).filter(|long| *long > window),
            max_output: self.max_output.or(row.and_then(|row| row.max_output)),
            caching: caching::of(&columns),
            prices,
            binds_reasoning: self.binds_reasoning.or(row.map(|row| row.binds_reasoning)).unwrap_or_default(),
            tokenizer: self.tokenizer.or(row.and_then(|row| row.tokenizer)),
            family,
        })
    }

    /// The prices, with those of the row of the table where the project states none. Cache prices that are still
    /// unknown equal the price of input.
    fn prices(&self, listed: Option<Prices>) -> Result<Option<Prices>, &'static str> {
        let given = [self.input, self.cache_write, self.hour_write, self.cache_read, self.output];
        if given.iter().all(Option::is_none) && listed.is_none() {
            return Ok(None);
        }
        let input = self.input.or(listed.map(|prices| prices.input)).ok_or("input")?;
        let output = self.output.or(listed.map(|prices| prices.output)).ok_or("output")?;
        // A listed cache price that equals the price of uncached input is not a separate price.
        let own = |of: fn(Prices) -> Decimal| listed.filter(|listed| of(*listed) != listed.input).map(of);
        let cache_write = self.cache_write.or(own(|prices| prices.cache_write)).unwrap_or(input);
        let hour_write = self.hour_write.or(own(|prices| prices.hour_write)).unwrap_or(cache_write);
        let cache_read = self.cache_read.or(own(|prices| prices.cache_read)).unwrap_or(input);
        let prices = Prices { input, cache_write, cache_read, hour_write, output, long: None };
        let unchanged = listed.filter(|listed| Prices { long: None, ..*listed } == prices && self.surcharge.is_none());
        let long = unchanged.and_then(|prices| prices.long);
        let surcharge = || self.surcharge.or(listed.and_then(Surcharge::of));
        Ok(Some(Prices { long: long.or_else(|| surcharge().map(|surcharge| surcharge.on(prices))), ..prices }))
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::conversation::Service;

    use super::*;

    fn changes() -> ModelChanges {
        ModelChanges {
            window: Some(32_000),
            input: Some(Decimal::TWO),
            output: Some(Decimal::TEN),
            ..Default::default()
        }
    }

    #[test]
    fn a_model_of_the_project_comes_before_the_table_in_every_spelling() {
        let row = super::super::find("claude-sonnet-4-5");
        let changed = changes().apply("claude-sonnet-4-5", row.as_ref()).expect("complete");
        assert_eq!(
            changed.prices.as_ref().map(|prices| prices.current.cache_read),
            row.and_then(|row| row.prices).map(|one| one.current.cache_read)
        );
        let models = Models::with([changed, changes().apply("My-Own", None).expect("complete")]);
        for id in ["claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4.5", "my-own", "MY-OWN", "my-own[1m]"] {
            let window = if id.ends_with("[1m]") { 1_000_000 } else { 32_000 };
            assert_eq!(models.find(id).map(|model| model.window), Some(window), "{id}");
        }
        assert_eq!(models.find("gpt-5"), super::super::find("gpt-5"));
        assert_eq!(models.nearest("my-onw").as_deref(), Some("my-own"));
        assert_eq!(models.nearest("gtp-4o").as_deref(), Some("gpt-4o"));
        assert_eq!(models.all().len(), super::super::all().count() + 1);
    }

    #[test]
    fn every_call_can_have_the_prices_of_one_day() {
        let input = |models: Models| {
            let prices = models.find("gpt-5.6-sol").and_then(|model| model.prices).expect("prices");
            let times = [Some("2026-08-20T12:00:00Z"), Some("2026-08-22T12:00:00Z"), None];
            times.map(|at| prices.of_call(at, Service::default()).map(|prices| prices.input.normalize().to_string()))
        };
        let day = |day| Some(Date::constant(2026, 8, day));
        let [before, after] = ["5", "4"].map(|price| Some(price.to_owned()));
        assert_eq!(input(Models::default().priced_on(day(1))), [before.clone(), before.clone(), before.clone()]);
        assert_eq!(input(Models::default().priced_on(day(22))), [after.clone(), after.clone(), after.clone()]);
        assert_eq!(input(Models::default().priced_on(day(1)).priced_on(None)), [before, after.clone(), after]);
    }

    #[test]
    fn a_new_model_needs_a_window_and_both_prices_or_none() {
        let without =
            |changes: ModelChanges| changes.apply("own", None).map(|model| model.prices.map(|prices| prices.current));
        assert_eq!(without(ModelChanges::default()), Err("window"));
        assert_eq!(without(ModelChanges { output: None, ..changes() }), Err("output"));
        assert_eq!(without(ModelChanges { input: None, ..changes() }), Err("input"));
        assert_eq!(without(ModelChanges { input: None, output: None, ..changes() }), Ok(None));
        let prices = without(changes()).expect("complete").expect("prices");
        assert_eq!([prices.cache_read, prices.cache_write, prices.hour_write], [Decimal::TWO; 3]);
    }

    #[test]
    fn a_model_with_a_family_has_its_caching_and_its_factor() {
        let changes = ModelChanges {
            family: Some("claude".into()),
            cache_read: Some(Decimal::ONE),
            cache_minimum: Some(2048),
            ..changes()
        };
        let models = Models::with([changes.apply("own", None).expect("complete")]);
        let caching = models.find("own").and_then(|model| model.caching).expect("a rule");
        assert_eq!((caching.minimum, caching.lifetime), (2048, 300));
        assert_eq!(models.factor("own"), Models::default().factor("claude-opus-5"));
        assert_eq!(models.factor("other"), Decimal::ONE);
    }

    #[test]
    fn a_model_is_changed_under_every_spelling_of_its_release() {
        for id in ["claude-sonnet-4.5", "claude-sonnet-4-5-20250929", "Claude-Sonnet-4-5"] {
            let changes = ModelChanges { cache_write: Some(Decimal::ONE_HUNDRED), ..ModelChanges::default() };
            let own = changes.apply(id, crate::model::find(id).as_ref()).expect("complete");
            for used in ["claude-sonnet-4-5", "claude-sonnet-4.5", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"] {
                let prices =
                    Models::with([own.clone()]).find(used).and_then(|model| model.prices).expect("prices").current;
                assert_eq!(prices.cache_write, Decimal::ONE_HUNDRED, "{id} for {used}");
            }
        }
    }

    #[test]
    fn a_model_of_one_host_is_found_there_only() {
        let models = Models::with([changes().apply("local/qwen", None).expect("complete")]);
        for id in ["local/qwen", "local/qwen-latest", "openrouter/local/qwen", "local/qwen-2026-01-01"] {
            assert_eq!(models.find(id).map(|model| model.id).as_deref(), Some("local/qwen"), "{id}");
        }
        assert_eq!(models.find("other/qwen"), None);
        let azure = ModelChanges { input: Some(Decimal::ONE), ..ModelChanges::default() };
        let models =
            Models::with([azure.apply("azure/gpt-5", crate::model::find("gpt-5").as_ref()).expect("complete")]);
        let input = |id: &str| models.find(id).and_then(|model| model.prices).map(|prices| prices.current.input);
        assert_eq!(input("azure/gpt-5-2025-08-07"), Some(Decimal::ONE));
        assert_ne!(input("gpt-5"), Some(Decimal::ONE));
        assert_ne!(input("openai/gpt-5"), Some(Decimal::ONE));
    }

    #[test]
    fn prices_of_the_cache_that_are_that_of_input_follow_it() {
        let cheaper = ModelChanges { input: Some(Decimal::new(6, 1)), ..ModelChanges::default() };
        let own = cheaper.apply("gpt-5", crate::model::find("gpt-5").as_ref()).expect("complete");
        let prices = own.prices.expect("prices").current;
        assert_eq!((prices.cache_write, prices.hour_write), (prices.input, prices.input));
        assert!(prices.cache_read < prices.input && own.caching.is_some_and(|caching| !caching.counts_writes));
    }

    #[test]
    fn a_price_of_any_size_has_a_surcharge() {
        let surcharge = Surcharge { above: 1, input: Decimal::TWO, output: Decimal::TEN };
        let changes = ModelChanges {
            input: Some(Decimal::MAX),
            output: Some(Decimal::MAX),
            surcharge: Some(surcharge),
            ..changes()
        };
        let prices = changes.apply("own", None).expect("complete").prices.expect("prices").current;
        assert_eq!(prices.at(2).output, Decimal::MAX);
    }

    #[test]
    fn a_model_of_the_family_of_openai_drops_reasoning_like_it() {
        let own = |binds_reasoning| {
            let changes =
                ModelChanges { family: Some("gpt".into()), binds_reasoning: Some(binds_reasoning), ..changes() };
            Models::with([changes.apply("own", None).expect("complete")])
        };
        assert_eq!([true, false].map(|binds| own(binds).drops_reasoning("own")), [false, true]);
        assert!(!Models::default().drops_reasoning("own"));
    }
}
