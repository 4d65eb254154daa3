//! `mask_while_the_cache_is_cold`

use super::scale::Scale;
use super::wording::{count, duration, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_while_the_cache_is_cold",
    summary: "Masks old results after a pause in which the cache has expired: the context is processed again anyway.",
    purpose: Purpose::Saving,
    find,
};

/// How many messages stay as they are.
const KEPT: [u64; 2] = [10, 20];

fn find(observed: &Observations) -> Option<Finding> {
    let pauses = observed.pauses;
    if pauses.count == 0 || observed.results.count == 0 {
        return None;
    }
    let minutes = pauses.lifetime.div_ceil(60).max(5);
    let at_least = Scale::of(observed).at_least();
    let rule = |kept| format!("when (idle ?? 0s) >= {minutes}m\ndo mask results keep {kept} messages {at_least}");
    let text = format!(
        "{} of at least {minutes} min, the longest of {}; the calls after them sent {} tokens.",
        plural(pauses.count, "pause"),
        duration(pauses.longest),
        count(pauses.tokens),
    );
    Some(Finding { observed: text, variants: KEPT.map(rule).into() })
}
