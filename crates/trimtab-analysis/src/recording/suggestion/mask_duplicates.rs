//! `mask_duplicates`

use super::scale::{Scale, written};
use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_duplicates",
    summary: "Masks results that a newer identical call has returned again.",
    purpose: Purpose::Saving,
    has_scopes: false,
    find,
};

/// The least thousands of tokens that are masked at once in a window of the usual size.
const STEPS: [u64; 3] = [1, 4, 10];

fn find(observed: &Observations) -> Option<Finding> {
    let scale = Scale::of(observed);
    let results = observed.duplicates;
    let variants: Vec<String> = STEPS
        .into_iter()
        .map(|step| scale.amount(step * 1_000))
        .filter(|step| results.tokens >= *step)
        .map(|step| format!("do mask duplicates keep 0 messages at_least {} tokens", written(step)))
        .collect();
    let text = format!(
        "{} {} returned again by a newer identical call ({} tokens).",
        plural(results.count, "tool result"),
        if results.count == 1 { "was" } else { "were" },
        count(results.tokens),
    );
    (!variants.is_empty()).then_some(Finding::new(text, variants))
}
