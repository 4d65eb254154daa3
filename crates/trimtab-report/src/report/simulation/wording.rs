//! Phrases that the reports on one replay and on several share.

use trimtab_base::quantity::{Decimal, percent};
use trimtab_simulate::simulate::{Series, Trace, WindowSource};

use crate::report::number::count;

/// The notice of every report that recorded replies do not react to the policy.
pub(crate) const OPEN_LOOP_NOTICE: &str = "Open-loop replay: the recorded replies do not react to the policy, so \
                                           everything after the first changed context is an estimate.";

/// A number of tokens, with its share of the window where that is known.
pub(super) fn size(tokens: u64, ratio: Option<Decimal>) -> String {
    match ratio {
        Some(ratio) => format!("{} ({})", count(tokens), percent(ratio)),
        None => count(tokens),
    }
}

/// The largest context, with its share of the window where that is known.
pub(super) fn peak(series: Series) -> String {
    size(series.peak, series.peak_ratio)
}

/// Whether the window was chosen for the replay, so that it may differ from the recording's.
pub(super) fn is_chosen_window(trace: &Trace) -> bool {
    matches!(trace.window, Some((_, WindowSource::Flag | WindowSource::Profile)))
}
