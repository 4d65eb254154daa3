//! `remind_of_changed_files`

use super::wording::{count, plural};
use super::{Finding, Purpose, Suggestion};
use crate::recording::observation::Observations;

pub(super) static SUGGESTION: Suggestion = Suggestion {
    rule: "remind_of_changed_files",
    summary: "Names the files that the agent has changed after a compaction, which may leave them out of its summary.",
    purpose: Purpose::Message,
    has_scopes: false,
    find,
};

const RULE: &str = "on compaction\n\
                    when files.changed >= 1\n\
                    do inject \"The conversation was compacted. You have changed these files in this session: \
                    {files.changed}. Read them again before you edit them.\"";

fn find(observed: &Observations) -> Option<Finding> {
    let files = observed.changed_files;
    // An agent that goes on with other files needs no reminder.
    if files.used_again == 0 {
        return None;
    }
    let text = format!(
        "After {} of the harness, calls read or changed {} of {} again that had been changed before.",
        plural(files.compactions, "compaction"),
        count(files.used_again),
        plural(files.changed, "file"),
    );
    Some(Finding::new(text, vec![RULE.to_owned()]))
}
