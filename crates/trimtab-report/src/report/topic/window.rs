//! The topic `window`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "window",
    aliases: &["windows", "context", "context window", "left", "remaining"],
    summary: "`context.ratio >= 80%` compares with a share of the context window. The window is the first one known from: \
              `--window`, the recording of a live session under the same policy, the profile named by `--profile`, the \
              `agent` block, the default profile of the project, the recording, the table of models (`trimtab explain \
              models`). If it is unknown, conditions on shares are never true, and the report says so. `context.free` is what is left.",
    terms: &[],
    see: &["agent", "context.ratio", "context.free", "reported.ratio", "share"],
    examples: &["$ trimtab simulate policy.trim recording.jsonl --window 200k", "$ trimtab explain models"],
};
