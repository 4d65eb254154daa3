//! The answer if no rule would save anything, and why.

use trimtab_analysis::recording::{ContentKind, Observations};
use trimtab_base::quantity::percent_of;

use super::SuggestionReport;
use crate::report::listing::Section;

/// The answer, and the file that is not written.
pub(super) fn section(report: &SuggestionReport<'_>) -> Section {
    let written = report.written.map(|file| format!("{file} was not written."));
    Section {
        title: "No rule would save anything on these recordings, so there is no policy.".to_owned(),
        notes: std::iter::once(reason(report)).chain(written).collect(),
        ..Section::default()
    }
}

/// Why no rule saves anything.
fn reason(report: &SuggestionReport<'_>) -> String {
    let observed = report.observed;
    let unrecorded = tokens(observed, |kind| *kind == ContentKind::Unrecorded);
    let results = tokens(observed, |kind| matches!(kind, ContentKind::Result(_)));
    if observed.calls == 0 {
        "There are no model calls.".to_owned()
    } else if unrecorded > observed.sent / 2 {
        let share = percent_of(unrecorded, observed.sent);
        format!("{share} of the tokens sent are not in the recordings, and rules only remove what is recorded.")
    } else if results <= observed.sent / 2 {
        let share = percent_of(results, observed.sent);
        format!("Tool results, which rules mask or cut, are only {share} of the tokens sent.")
    } else {
        "Below is why each rule is left out.".to_owned()
    }
}

fn tokens(observed: &Observations, is_counted: impl Fn(&ContentKind) -> bool) -> u128 {
    observed.content.iter().filter(|(kind, _)| is_counted(kind)).map(|(_, tokens)| *tokens).sum()
}
