//! `mask_superseded_reads`

use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_superseded_reads",
    summary: "Masks what was read from a file before the file was read or written again.",
    purpose: Purpose::Saving,
    find,
};

/// The least thousands of tokens that are masked at once: less often saves less and breaks the cache less.
const STEPS: [u64; 4] = [1, 4, 10, 20];

fn find(observed: &Observations) -> Option<Finding> {
    let reads = observed.superseded;
    let variants: Vec<String> = STEPS
        .into_iter()
        .filter(|step| reads.tokens >= step * 1_000)
        .map(|step| format!("do mask superseded_reads keep 0 messages at_least {step}k tokens"))
        .collect();
    let text = format!(
        "{} {} superseded when the same file was read or written again ({} tokens).",
        plural(reads.count, "read"),
        if reads.count == 1 { "was" } else { "were" },
        count(reads.tokens),
    );
    (!variants.is_empty()).then_some(Finding { observed: text, variants })
}
