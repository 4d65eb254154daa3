//! `ask_for_a_diagnosis`

use super::wording::plural;
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "ask_for_a_diagnosis",
    summary: "Asks the agent for a diagnosis when calls keep failing.",
    purpose: Purpose::Message,
    find,
};

const RULE: &str = r#"when failures >= 3
do inject "The last {failures} tool results were errors. Before the next call, name the likely cause and how you will check it." as user
once per failures"#;

fn find(observed: &Observations) -> Option<Finding> {
    let failures = &observed.failures;
    if failures.count == 0 {
        return None;
    }
    let text = format!(
        "3 or more tool results in a row were errors: {}, the longest row of {}.",
        plural(failures.count, "time"),
        plural(failures.longest, "result"),
    );
    Some(Finding { observed: text, variants: vec![RULE.to_owned()] })
}
