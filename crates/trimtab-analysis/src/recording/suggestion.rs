//! Rules that address what was observed in recordings, as policy text: the table of suggestions.
//!
//! A suggestion is one file and two lines here: `mod` and the entry in [`SUGGESTIONS`]. It makes text from figures; what its
//! rule would have done is simulated by the caller.

mod ask_for_a_diagnosis;
mod cut_large_results;
mod mask_before_compaction;
mod mask_before_the_window_is_full;
mod mask_duplicates;
mod mask_in_large_steps;
mod mask_superseded_reads;
mod mask_while_the_cache_is_cold;
mod remind_of_changed_files;
mod report_repeated_calls;
mod shorten_old_user_messages;

mod policy_text;
mod scale;
mod scope;
mod simulated;
mod watermark;
mod wording;

pub use self::policy_text::{SuggestedRule, policy_text};
pub use self::scope::{Scope, scopes};
pub use self::simulated::{SimulatedPolicy, SimulatedRule};
use super::observation::Observations;

/// A rule that may help, and when.
#[derive(Debug)]
pub struct Suggestion {
    /// The name of the rule.
    pub rule: &'static str,
    /// What the rule does, as the first sentence of its comment.
    pub summary: &'static str,
    /// What the rule is for.
    pub purpose: Purpose,
    /// Whether some of the calls may need other thresholds than the others.
    pub has_scopes: bool,
    /// Looks for what the rule addresses.
    pub find: fn(&Observations) -> Option<Finding>,
}

/// What a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It saves tokens.
    Saving,
    /// It keeps longer sessions inside the window, and is for policies without a rule that saves tokens.
    Precaution,
    /// It sends the agent a message, which saves nothing in a replay: the recorded replies do not change.
    Message,
}

/// What was observed, and the rules that may address it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was observed: a sentence with figures.
    pub observed: String,
    /// The clauses of the rule, in one or more variants; lines without indentation.
    pub variants: Vec<String>,
    /// The same with the content left within the agent's reach. One of them is preferred if later calls need what the best
    /// variant removes.
    pub fallbacks: Vec<String>,
}

impl Finding {
    /// A finding whose variants remove content for good, or none.
    const fn new(observed: String, variants: Vec<String>) -> Self {
        Self { observed, variants, fallbacks: Vec::new() }
    }
}

/// The suggestions, in the order of the rules in a policy.
pub static SUGGESTIONS: &[&Suggestion] = &[
    &cut_large_results::SUGGESTION,
    &mask_superseded_reads::SUGGESTION,
    &mask_duplicates::SUGGESTION,
    &shorten_old_user_messages::SUGGESTION,
    &mask_while_the_cache_is_cold::SUGGESTION,
    &mask_before_compaction::SUGGESTION,
    &mask_in_large_steps::SUGGESTION,
    &mask_before_the_window_is_full::SUGGESTION,
    // The message of the other rule ends a row of failures.
    &ask_for_a_diagnosis::SUGGESTION,
    &report_repeated_calls::SUGGESTION,
    &remind_of_changed_files::SUGGESTION,
];

#[cfg(test)]
mod tests;
