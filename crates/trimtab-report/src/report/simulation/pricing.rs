//! Notes on calls without a price, and on calls that are priced without a cache.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use trimtab_simulate::simulate::{PricedShare, Pricing};

use crate::report::number::{list, plural, whole};
use crate::report::replay_result::ReplayResult;

/// The most models that are named.
const MAX_LISTED: usize = 3;

/// What is said about the prices of replays.
pub(crate) fn notes(replays: &[ReplayResult]) -> Vec<String> {
    let all = || replays.iter().map(|replay| &replay.trace.pricing);
    let mut unpriced: BTreeMap<_, usize> = BTreeMap::new();
    for (model, calls) in all().flat_map(|pricing| &pricing.unpriced) {
        *unpriced.entry(model).or_default() += calls;
    }
    let mut lines = Vec::new();
    if all().any(|pricing| pricing.without_cache) {
        lines.push("All input is priced as uncached (--no-cache).".to_owned());
    }
    let calls: usize = unpriced.values().sum();
    let lack = format!("{} of {}", whole(calls), plural(all().map(|pricing| pricing.calls).sum(), "call"));
    let lack = if calls == 1 { format!("{lack} has no cost") } else { format!("{lack} have no cost") };
    let named: Vec<String> = unpriced.keys().filter_map(|model| Some(format!("`{}`", model.as_ref()?))).collect();
    if !named.is_empty() {
        let price = if named.len() == 1 { "The price of" } else { "The prices of" };
        let (are, them) = if named.len() == 1 { ("is", "it") } else { ("are", "them") };
        let models = list(named, MAX_LISTED);
        lines.push(format!(
            "{price} {models} {are} unknown, so {lack}: add {them} to `[models]` in trimtab.toml, or choose a model with \
             --model."
        ));
    } else if calls > 0 {
        lines.push(format!("The model is not recorded, so {lack}: choose one with --model."));
    }
    lines
}

/// How many calls have a price: `30 of 40 calls priced`; none if all have.
pub(crate) fn priced_calls(priced: PricedShare) -> Option<String> {
    let all = plural(priced.calls, "call");
    (!priced.is_complete()).then(|| format!("{} of {all} priced", whole(priced.priced_calls)))
}

/// The calls without a price, by their model.
pub(super) fn json(pricing: &Pricing) -> Json {
    pricing.unpriced.iter().map(|(model, calls)| json!({ "model": model, "calls": calls })).collect()
}
