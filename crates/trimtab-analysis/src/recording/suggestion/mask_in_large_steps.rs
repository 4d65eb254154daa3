//! `mask_in_large_steps`

use trimtab_base::quantity::percent;
use trimtab_base::quantity::percent_of;

use super::scale::Scale;
use super::watermark::Watermark;
use super::wording::count;
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::{ContentKind, Observations};

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_in_large_steps",
    summary: "Masks old results in few, large steps, because each step makes the provider process the rest again.",
    purpose: Purpose::Saving,
    has_scopes: true,
    find,
};

fn find(observed: &Observations) -> Option<Finding> {
    let results = observed.content.iter().filter(|(kind, _)| matches!(kind, ContentKind::Result(_)));
    let results: u128 = results.map(|(_, tokens)| tokens).sum();
    let scale = Scale::of(observed);
    let watermarks = Watermark::below_peak(observed, scale);
    if results == 0 || watermarks.is_empty() {
        return None;
    }
    let window = observed.peak_share.filter(|_| observed.unknown_windows == 0);
    let window = window.map(|share| format!(" ({} of the window)", percent(share))).unwrap_or_default();
    let text = format!(
        "Tool results are {} of the tokens sent; the largest context has {} tokens{window}.",
        percent_of(results, observed.sent),
        count(observed.peak),
    );
    let variants = watermarks.iter().map(|watermark| watermark.mask(scale));
    Some(Finding::new(text, variants.collect()))
}
