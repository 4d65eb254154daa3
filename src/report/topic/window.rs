//! The topic `window`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "window",
    aliases: &["windows", "context", "context window"],
    summary: "Shares such as `context.ratio >= 80%` are shares of the context window. It comes from `--window`, the `agent` \
              block, a profile of the project, the recording, or the table of models (`trimtab explain models`), in this \
              order. When it is unknown, conditions on shares never hold, and the report says which rules that concerns.",
    terms: &[],
    see: &["agent", "context.ratio", "context.free", "reported.ratio", "share"],
    examples: &["$ trimtab simulate policy.trim recording.jsonl --window 200k", "$ trimtab explain models"],
};
