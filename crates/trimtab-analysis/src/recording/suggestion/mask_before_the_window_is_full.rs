//! `mask_before_the_window_is_full`

use trimtab_base::quantity::percent;

use super::scale::Scale;
use super::watermark::Watermark;
use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "mask_before_the_window_is_full",
    summary: "Masks old results when little of the window is left, so that longer sessions stay inside it.",
    purpose: Purpose::Precaution,
    has_scopes: false,
    find,
};

/// The high watermarks that are tried, in percent of the window: the first one leaves room for a large result.
const SHARES: [u64; 2] = [80, 90];

fn find(observed: &Observations) -> Option<Finding> {
    if observed.transcripts == 0 {
        return None;
    }
    let window = match (observed.peak_share, observed.unknown_windows) {
        (Some(share), 0) => format!(", {} of the window", percent(share)),
        _ => String::new(),
    };
    let calls = plural(observed.calls, "call");
    let text = match observed.calls {
        0 => "There are no model calls.".to_owned(),
        _ => format!("The largest context of {calls} has {} tokens{window}.", count(observed.peak)),
    };
    let variants = SHARES.map(|share| Watermark::Share(share).mask(Scale::of(observed)));
    Some(Finding::new(text, variants.to_vec()))
}
