//! `mask_while_the_cache_is_cold`

use super::scale::Scale;
use super::wording::{count, duration, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_while_the_cache_is_cold",
    summary: "Masks old results after a pause in which the cache has expired: the context is processed again anyway.",
    purpose: Purpose::Saving,
    has_scopes: false,
    find,
};

/// How many messages stay as they are.
const KEPT: [u64; 2] = [10, 20];

fn find(observed: &Observations) -> Option<Finding> {
    let pauses = observed.pauses;
    if pauses.count == 0 || observed.results.count == 0 {
        return None;
    }
    let at_least = Scale::of(observed).at_least();
    let rule =
        |kept| format!("when known(cache.warm) and not cache.warm\ndo mask results keep {kept} messages {at_least}");
    let longest = duration(pauses.longest);
    let text = match pauses.count {
        1 => format!("The cache had expired after 1 pause, of {longest}"),
        _ => format!("The cache had expired after {}, the longest of {longest}", plural(pauses.count, "pause")),
    };
    let text = format!("{text}; {} tokens were sent right after.", count(pauses.tokens));
    Some(Finding::new(text, KEPT.map(rule).into()))
}
