//! Suggestions with their result for programs.

use super::SuggestionReport;
use crate::report::listing::{Listing, Section};
use crate::report::result::SuggestResult;

/// These sections, with the result.
pub(super) fn listing(report: &SuggestionReport<'_>, sections: Vec<Section>) -> Listing {
    let result = SuggestResult::from(report);
    Listing::new(sections, &result, &result.suggestions)
}
