//! `cut_large_results`

use super::scale::{Scale, written};
use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "cut_large_results",
    summary: "Cuts large results before they are first sent, when neither the model nor the cache has them.",
    purpose: Purpose::Saving,
    has_scopes: true,
    find,
};

/// The characters above which results are cut, and what they are cut to, in thousands, in a window of the usual size.
const LIMITS: [(u64, u64); 4] = [(80, 16), (40, 8), (20, 4), (10, 4)];

fn find(observed: &Observations) -> Option<Finding> {
    let (results, scale) = (observed.results, Scale::of(observed));
    let variants: Vec<String> = LIMITS
        .into_iter()
        .map(|(over, to)| (scale.chars(over * 1_000), scale.chars(to * 1_000)))
        .filter(|(over, _)| u64::try_from(results.largest_chars).is_ok_and(|largest| largest > *over))
        .map(|(over, to)| {
            format!("do trim arrivals over {} chars to {} chars including errors", written(over), written(to))
        })
        .collect();
    let text = format!(
        "{} of {} {} large ({} tokens); the largest has {} characters.",
        count(results.large),
        plural(results.count, "tool result"),
        if results.large == 1 { "is" } else { "are" },
        count(results.large_tokens),
        count(results.largest_chars),
    );
    (!variants.is_empty()).then_some(Finding::new(text, variants))
}
