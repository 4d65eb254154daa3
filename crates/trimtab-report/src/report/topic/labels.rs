//! The topic `labels`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "labels",
    aliases: &["label", "argument", "arguments", "named argument"],
    summary: "The named arguments of effects, such as `keep 10 messages` or `at_least 4k tokens`. A label is written after the \
              target of its effect, in any order; one that is left out has its default. `trimtab explain EFFECT` lists the labels \
              of an effect, and `trimtab explain LABEL` the effects that have it.",
    terms: &[],
    see: &["keep", "at_least", "down_to", "idle-label"],
    examples: &[
        "edition 2026\npolicy p {\n  rule mask {\n    when context.ratio >= 60%\n    do mask results keep 10 messages down_to 40% \
         at_least 4k tokens\n  }\n}",
        "$ trimtab explain mask",
    ],
};
