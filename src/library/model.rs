//! Models that the embedded table does not have, and other values for its rows.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rust_decimal::Decimal;
use trimtab_language::plan;
use trimtab_model::model::{self, ModelChanges, Models};

use super::policy::Plan;

/// A model of an embedder: a row that the embedded table does not have, or other values for one that it has.
#[derive(Clone, Debug)]
pub struct CustomModel {
    id: String,
    changes: ModelChanges,
    /// The name of a price that is no price.
    invalid: Option<&'static str>,
}

impl CustomModel {
    /// A model with this id, with everything as in the embedded table if that has it.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), changes: ModelChanges::default(), invalid: None }
    }

    /// The window in tokens. Required unless the table has the model.
    #[must_use]
    pub const fn window(mut self, tokens: u64) -> Self {
        self.changes.window = Some(tokens);
        self
    }

    /// The family, such as `claude` or `gpt`: how tokens are counted, and how the provider caches prompts.
    #[must_use]
    pub fn family(mut self, name: &str) -> Self {
        self.changes.family = Some(name.into());
        self
    }

    /// The prices of uncached input and of output, in US dollars per million tokens.
    #[must_use]
    pub fn prices(mut self, input: f64, output: f64) -> Self {
        self.changes.input = self.price("input", input);
        self.changes.output = self.price("output", output);
        self
    }

    /// The prices of input written to the prompt cache and read from it, in US dollars per million tokens. Without them, cached
    /// input costs as much as uncached input.
    #[must_use]
    pub fn cache_prices(mut self, write: f64, read: f64) -> Self {
        self.changes.cache_write = self.price("cache write", write);
        self.changes.cache_read = self.price("cache read", read);
        self
    }

    /// Whether the reasoning in a request is bound to everything before it, so that the provider drops or refuses it after an
    /// edit of an earlier message.
    #[must_use]
    pub const fn binds_reasoning(mut self, binds: bool) -> Self {
        self.changes.binds_reasoning = Some(binds);
        self
    }

    fn price(&mut self, name: &'static str, dollars: f64) -> Option<Decimal> {
        let price = Decimal::try_from(dollars).ok().filter(|price| !price.is_sign_negative());
        self.invalid = self.invalid.or(price.is_none().then_some(name));
        price
    }

    fn resolve(&self) -> Result<model::Model, ModelError> {
        let error = |problem: String| ModelError { id: self.id.clone(), problem };
        if let Some(name) = self.invalid {
            return Err(error(format!("the price of {name} is not a positive number")));
        }
        let resolved = self.changes.apply(&self.id, model::find(&self.id).as_ref());
        resolved.map_err(|missing| error(format!("`{missing}` is missing")))
    }
}

/// A model that lacks a value, or has an invalid price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    id: String,
    problem: String,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model `{}`: {}", self.id, self.problem)
    }
}

impl Error for ModelError {}

impl Plan {
    /// The same plan, in which these models are looked up before those of the embedded table: their windows, prices and
    /// counters. Simulations and sessions of the plan use them. The hash stays, since rules are the same.
    ///
    /// ```
    /// use trimtab::CustomModel;
    ///
    /// let policy = trimtab::compile("p.trim", "edition 2026\npolicy p { rule r { when (budget.cost ?? $0) > $1 do mask results } }");
    /// let own = CustomModel::new("house-model").window(128_000).prices(0.5, 2.0);
    /// let plan = policy.plan(None)?.with_models([own])?;
    ///
    /// let error = plan.with_models([CustomModel::new("other-model")]).unwrap_err();
    /// assert_eq!(error.to_string(), "model `other-model`: `window` is missing");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A model that the table does not have has no window, or only one of the prices of input and output, or a price is
    /// negative or not a number.
    pub fn with_models(&self, models: impl IntoIterator<Item = CustomModel>) -> Result<Self, ModelError> {
        let models: Result<Vec<_>, _> = models.into_iter().map(|model| model.resolve()).collect();
        let mut plan = plan::Plan::clone(&self.0);
        plan.agent.models = Models::with(models?);
        Ok(Self(Arc::new(plan)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::policy::compile;
    use crate::library::recording::read_transcripts;
    use crate::library::simulation::{SimulationOptions, simulate};

    const POLICY: &str = "edition 2026\npolicy p { rule r { when (session.cost ?? $0) >= $1 do notify \"\" } }";
    const RECORDING: &str = r#"{"trimtab":1,"model":"house-model"}
{"role":"user","content":"hi"}
{"role":"assistant","content":"hello","usage":{"input":1000000,"output":0}}
{"role":"user","content":"more"}
{"role":"assistant","content":"yes","usage":{"input":1000100,"output":0}}"#;

    #[test]
    fn rules_see_the_costs_of_an_own_model() {
        let plan = compile("p.trim", POLICY).plan(None).expect("a plan");
        let transcript = read_transcripts(RECORDING.as_bytes(), None).expect("reads").remove(0);
        let fired = |plan: &Plan| {
            let simulation = simulate(plan, &transcript, &SimulationOptions::default());
            simulation.rules().any(|rule| !rule.fired_at.is_empty())
        };
        let own = |input| plan.with_models([CustomModel::new("house-model").window(2_000_000).prices(input, 2.0)]);
        let [dear, cheap] = [1.0, 0.1].map(|input| own(input).expect("complete"));
        assert_eq!([&plan, &dear, &cheap].map(fired), [false, true, false]);
        assert_eq!(dear.hash(), plan.hash());
    }

    #[test]
    fn what_is_no_price_is_an_error() {
        let plan = compile("p.trim", POLICY).plan(None).expect("a plan");
        for price in [-1.0, f64::NAN, f64::INFINITY] {
            let own = CustomModel::new("house-model").window(1).prices(1.0, 1.0).cache_prices(price, 1.0);
            let error = plan.with_models([own]).expect_err("no price");
            assert_eq!(error.to_string(), "model `house-model`: the price of cache write is not a positive number");
        }
    }
}
