//! `mask_before_compaction`

use super::scale::Scale;
use super::watermark::Watermark;
use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_before_compaction",
    summary: "Masks old results in one large step before the context is as large as when the harness compacted.",
    purpose: Purpose::Saving,
    has_scopes: false,
    find,
};

/// The watermarks, in percent of the smallest context at which the harness compacted.
const SHARES: [u64; 2] = [85, 70];

fn find(observed: &Observations) -> Option<Finding> {
    let compactions = observed.compactions;
    let smallest = compactions.smallest?;
    let scale = Scale::of(observed);
    let watermarks = Watermark::distinct(SHARES.map(|share| smallest / 100 * share), scale);
    let variants: Vec<String> = watermarks.iter().map(|watermark| watermark.mask(scale)).collect();
    let text = format!(
        "The harness compacted {}, first at {} tokens: {} tokens left the context, and {} were processed without the \
         cache afterwards.",
        plural(compactions.count, "time"),
        count(smallest),
        count(compactions.freed),
        count(compactions.rewritten),
    );
    (!variants.is_empty()).then_some(Finding::new(text, variants))
}
