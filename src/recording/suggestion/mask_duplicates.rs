//! `mask_duplicates`

use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_duplicates",
    summary: "Masks results that a newer identical call has returned again.",
    purpose: Purpose::Saving,
    find,
};

/// The least thousands of tokens that are masked at once.
const STEPS: [u64; 3] = [1, 4, 10];

fn find(observed: &Observations) -> Option<Finding> {
    let results = observed.duplicates;
    let variants: Vec<String> = STEPS
        .into_iter()
        .filter(|step| results.tokens >= step * 1_000)
        .map(|step| format!("do mask duplicates keep 0 messages at_least {step}k tokens"))
        .collect();
    let text = format!(
        "{} {} returned again by a newer identical call ({} tokens).",
        plural(results.count, "tool result"),
        if results.count == 1 { "was" } else { "were" },
        count(results.tokens),
    );
    (!variants.is_empty()).then_some(Finding { observed: text, variants })
}
