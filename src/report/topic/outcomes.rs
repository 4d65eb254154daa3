//! The topic `outcomes`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "outcomes",
    aliases: &["outcome", "due", "held", "idle", "fired", "fires", "failed", "not due"],
    summary: "A rule is tried at every call, when its phase comes. Tables of `simulate` count how often it was due and how \
              often it fired; `simulate --explain CALL` and `--explain RULE` say why it did not.",
    terms: &[
        ("not due", "Its condition does not hold."),
        ("held", "Its condition holds, and a guard or `unless` holds it back."),
        ("due", "Its condition holds and no guard holds it back."),
        (
            "idle",
            "It was due and its effect had nothing to do: the kept tail is the whole conversation, everything before it is \
             reduced already, `at_least` demands more than there is to save, or `down_to` is reached.",
        ),
        ("fired", "It was due and changed something, or gave a signal. Only firing advances guards."),
        ("failed", "It was due and its summary failed. That counts for `cooldown` and `limit`."),
    ],
    see: &["expect", "when", "unless", "at_least", "down_to", "keep", "fired", "since"],
    examples: &["$ trimtab simulate policy.trim recording.jsonl --explain mask_old"],
};
