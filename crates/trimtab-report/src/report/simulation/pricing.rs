//! Notes on calls without a price, and on calls that are priced without a cache or as those of another model.

use std::collections::BTreeSet;

use trimtab_base::source::sanitize::one_line;
use trimtab_language::plan::Plan;

use crate::report::number::{list, plural};
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

/// A note on recordings of another model than the one that the caller or the policy names.
pub(super) fn other_model(plan: &Plan, replays: &[ReplayResult]) -> Option<String> {
    let models = replays.iter().filter_map(|ReplayResult { trace, .. }| {
        let (recorded, used) = (trace.observed.model.as_ref()?, trace.model.as_ref()?);
        (!plan.agent.models.is_same(recorded, used)).then_some((recorded, used))
    });
    let others: Vec<_> = models.collect();
    let (recorded, used) = others.first()?;
    let whose = match (replays.len(), others.len()) {
        (1, _) => format!("the recording names `{}`", one_line(recorded)),
        (_, 1) => "1 transcript is of another model".to_owned(),
        (_, count) => format!("{} are of other models", plural(count, "transcript")),
    };
    Some(format!("Contexts are counted and calls are priced as those of `{}`; {whose}.", one_line(used)))
}
