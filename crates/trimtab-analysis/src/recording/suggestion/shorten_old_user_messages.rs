//! `shorten_old_user_messages`

use super::scale::{Scale, written};
use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "shorten_old_user_messages",
    summary: "Shortens long texts that a person pasted for earlier requests, such as logs.",
    purpose: Purpose::Saving,
    has_scopes: false,
    find,
};

/// The characters above which texts are shortened, and what is left of them, in thousands, in a window of the usual size.
const LIMITS: [(u64, u64); 2] = [(20, 2), (4, 1)];

/// The least characters that are left.
const LEAST_LEFT: u64 = 200;

/// The least tokens that are removed at once in such a window.
const LEAST: u64 = 1_000;

/// After a pause, an edit of an old message costs no cache.
const COLD: &str = "when known(cache.warm) and not cache.warm\n";

fn find(observed: &Observations) -> Option<Finding> {
    let (texts, scale) = (observed.user_texts, Scale::of(observed));
    let times: &[&str] = if observed.pauses.count > 0 { &["", COLD] } else { &[""] };
    // Enough to read is left, also in a tiny window.
    let limits = LIMITS.map(|(over, left)| {
        let left = scale.chars(left * 1_000).max(LEAST_LEFT);
        (scale.chars(over * 1_000).max(4 * left), left)
    });
    let limits: Vec<(String, String)> = limits
        .into_iter()
        .filter(|(over, _)| u64::try_from(texts.longest_chars).is_ok_and(|longest| longest > *over))
        .map(|(over, left)| (written(over), written(left)))
        .collect();
    let least = format!("keep 0 messages at_least {} tokens", written(scale.amount(LEAST)));
    let least = least.as_str();
    let variants = |effect: &dyn Fn(&str, &str) -> String| -> Vec<String> {
        let effects = limits.iter().map(|(over, left)| effect(over, left));
        effects.flat_map(|effect| times.iter().map(move |time| format!("{time}do {effect} {least}"))).collect()
    };
    // A mask would save hardly more than a trim, and take the question that comes after a pasted log.
    let trims = variants(&|over, left| format!("trim user_messages over {over} chars to {left} chars from middle"));
    let fallbacks = variants(&|over, _| format!("offload user_messages over {over} chars"));
    let text = format!(
        "{} of earlier requests {} long ({} tokens); the longest has {} characters.",
        plural(texts.count, "text"),
        if texts.count == 1 { "is" } else { "are" },
        count(texts.tokens),
        count(texts.longest_chars),
    );
    (!trims.is_empty()).then_some(Finding { observed: text, variants: trims, fallbacks })
}
