//! Notes on calls without a price, and on calls that are priced without a cache.

use std::collections::BTreeSet;

use crate::report::number::list;
use crate::report::replay_result::ReplayResult;

/// The most models that are named.
const MAX_LISTED: usize = 3;

/// What to do about prices that are unknown; the verdict says how many calls are priced.
pub(crate) fn notes(replays: &[ReplayResult]) -> Vec<String> {
    let all = || replays.iter().map(|replay| &replay.trace.pricing);
    let unpriced: BTreeSet<_> = all().flat_map(|pricing| pricing.unpriced.keys()).collect();
    let mut lines = Vec::new();
    if all().any(|pricing| pricing.without_cache) {
        lines.push("All input is priced as uncached (--no-cache).".to_owned());
    }
    let named: Vec<String> = unpriced.iter().filter_map(|model| Some(format!("`{}`", model.as_ref()?))).collect();
    if !named.is_empty() {
        let (have, price, it) = if named.len() == 1 { ("has", "price", "it") } else { ("have", "prices", "them") };
        let models = list(named, MAX_LISTED);
        lines.push(format!("{models} {have} no known {price}: add {it} to `[models]`, or use --model."));
    } else if !unpriced.is_empty() {
        lines.push("The calls without a price name no model: choose one with --model.".to_owned());
    }
    lines
}
