//! `mask_superseded_reads`

use super::scale::{Scale, written};
use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_superseded_reads",
    summary: "Masks what was read from a file before the file was read or written again.",
    purpose: Purpose::Saving,
    has_scopes: false,
    find,
};

/// The least thousands of tokens that are masked at once in a window of the usual size: less often saves less and breaks the cache less.
const STEPS: [u64; 4] = [1, 4, 10, 20];

fn find(observed: &Observations) -> Option<Finding> {
    let scale = Scale::of(observed);
    let reads = observed.superseded;
    let variants: Vec<String> = STEPS
        .into_iter()
        .map(|step| scale.amount(step * 1_000))
        .filter(|step| reads.tokens >= *step)
        .map(|step| format!("do mask superseded_reads keep 0 messages at_least {} tokens", written(step)))
        .collect();
    let text = format!(
        "{} {} superseded when the same file was read or written again ({} tokens).",
        plural(reads.count, "read"),
        if reads.count == 1 { "was" } else { "were" },
        count(reads.tokens),
    );
    (!variants.is_empty()).then_some(Finding::new(text, variants))
}
