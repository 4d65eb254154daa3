//! `report_repeated_calls`

use super::wording::plural;
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "report_repeated_calls",
    summary: "Tells the agent that it repeats a call.",
    purpose: Purpose::Message,
    find,
};

const RULE: &str = "when repeats >= 3\n\
                    do inject \"You have called {call.name ?? \"a tool\"} {repeats} times in a row with the same \
                    arguments. Wait longer if you wait for a change; otherwise try something else.\" as user\n\
                    once per repeats";

fn find(observed: &Observations) -> Option<Finding> {
    let repeats = &observed.repeats;
    if repeats.count == 0 {
        return None;
    }
    let tool = repeats.tool.as_ref().map(|tool| format!(" of `{tool}`")).unwrap_or_default();
    let text = format!(
        "The agent made the same call at least 3 times in a row on {}; the longest row has {}{tool}.",
        plural(repeats.count, "occasion"),
        plural(repeats.longest, "call"),
    );
    Some(Finding { observed: text, variants: vec![RULE.to_owned()] })
}
