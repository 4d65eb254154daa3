//! `report_repeated_calls`

use super::wording::plural;
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "report_repeated_calls",
    summary: "Tells the agent that it repeats a call that has the same result each time.",
    purpose: Purpose::Message,
    has_scopes: false,
    find,
};

/// An agent that polls repeats a call too, and sees another result in the end.
const RULE: &str = "when cycles(period: 1) >= 3\n\
                    do inject \"You have called {call.name ?? \"a tool\"} {cycles} times in a row with the same \
                    arguments, and the result was the same each time. Wait longer if you wait for a change; otherwise \
                    try something else.\" as user\n\
                    once per cycles";

fn find(observed: &Observations) -> Option<Finding> {
    let repeats = &observed.repeats;
    if repeats.count == 0 {
        return None;
    }
    let tool = repeats.tool.as_ref().map(|tool| format!(" of `{tool}`")).unwrap_or_default();
    let text = format!(
        "The agent made the same call with the same result at least 3 times in a row on {}; the longest row has {}{tool}.",
        plural(repeats.count, "occasion"),
        plural(repeats.longest, "call"),
    );
    Some(Finding::new(text, vec![RULE.to_owned()]))
}
