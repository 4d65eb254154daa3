//! `cut_large_results`

use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::{LARGE_RESULT, Observations};

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "cut_large_results",
    summary: "Cuts large results before they are first sent, when neither the model nor the cache has them.",
    purpose: Purpose::Saving,
    find,
};

/// The characters above which results are cut, and what they are cut to, in thousands.
const LIMITS: [(usize, usize); 4] = [(80, 16), (40, 8), (20, 4), (10, 4)];

fn find(observed: &Observations) -> Option<Finding> {
    let results = observed.results;
    let variants: Vec<String> = LIMITS
        .into_iter()
        .filter(|(over, _)| results.largest_chars > over * 1_000)
        .map(|(over, to)| format!("do trim arrivals over {over}k chars to {to}k chars including errors"))
        .collect();
    let text = format!(
        "{} of {} {} at least {} characters ({} tokens); the largest has {}.",
        count(results.large),
        plural(results.count, "tool result"),
        if results.large == 1 { "has" } else { "have" },
        count(LARGE_RESULT),
        count(results.large_tokens),
        count(results.largest_chars),
    );
    (!variants.is_empty()).then_some(Finding { observed: text, variants })
}
