//! The topic `steps`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "steps",
    aliases: &["step", "in steps", "increments", "batches"],
    summary: "To edit in steps of a size, use `at_least`: with `at_least 20k tokens` an effect waits until it saves that much, and then \
              changes everything at once. In a label and in a fact the word means something else.",
    terms: &[
        ("for step", "The effect applies to the next request only."),
        ("failures.steps", "Counts replies whose results are all errors."),
    ],
    see: &["at_least", "down_to", "for", "failures.steps", "cache"],
    examples: &[
        "edition 2026\npolicy in_steps {\n  rule mask_old {\n    do mask results keep 8 results at_least 20k tokens\n  }\n}",
    ],
};
