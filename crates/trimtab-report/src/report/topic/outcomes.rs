//! The topic `outcomes`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "outcomes",
    aliases: &["outcome", "due", "blocked", "held", "idle", "fired", "fires", "failed", "declined", "not due"],
    summary: "The results of trying a rule: not due, blocked, idle, fired, failed or declined. A rule is tried at every call, in its \
              phase. The tables of `simulate` count how often it was due and how \
              often it fired; `simulate --explain CALL` and `--explain RULE` show why it did or did not fire.",
    terms: &[
        ("not due", "It is not triggered: its condition is false or unknown, and no `until` keeps it triggered."),
        ("blocked", "It is triggered, but a guard or `unless` blocks it."),
        ("due", "It is triggered, and its guards and `unless` allow it."),
        (
            "idle",
            "It was due, but its effect had nothing to do: the kept tail is the whole conversation, everything before it \
             is already reduced, `at_least` is more than there is to save, or `down_to` is already reached.",
        ),
        ("fired", "It was due, and its effect changed something or sent a signal. All guards count firings."),
        (
            "declined",
            "It was due and its effect had something to do, but nobody confirmed its question. `once`, `once per`, `once until`, \
             `cooldown` and `limit` count it as a firing.",
        ),
        ("failed", "It was due, but its summary failed. `cooldown` and `limit` also count failed summaries."),
    ],
    see: &["confirm", "expect", "when", "unless", "at_least", "down_to", "keep", "fired", "since"],
    examples: &["$ trimtab simulate policy.trim recording.jsonl --explain mask_old"],
};
