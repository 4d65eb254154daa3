//! `ask_for_a_diagnosis`

use super::wording::plural;
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "ask_for_a_diagnosis",
    summary: "Asks the agent for a diagnosis when calls keep failing.",
    purpose: Purpose::Message,
    has_scopes: false,
    find,
};

const RULE: &str = "when failures >= 3\n\
                    do inject \"The last {failures} tool results were errors. Before the next call, name the likely \
                    cause and how you will check it.\" as user\n\
                    once per failures";

fn find(observed: &Observations) -> Option<Finding> {
    let failures = &observed.failures;
    if failures.count == 0 {
        return None;
    }
    let text = format!(
        "At least 3 tool results in a row were errors on {}; the longest row has {}.",
        plural(failures.count, "occasion"),
        plural(failures.longest, "tool result"),
    );
    Some(Finding::new(text, vec![RULE.to_owned()]))
}
