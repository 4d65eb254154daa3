//! The topic `duplicates`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "duplicates",
    aliases: &["duplicate", "duplicated", "dedupe", "identical"],
    summary: "`repeats` counts identical calls: the same tool with the same arguments. The lint `duplicate-rule` finds \
              rules that repeat another rule.",
    terms: &[],
    see: &["repeats", "once per", "duplicate-rule"],
    examples: &[
        "edition 2026\npolicy again {\n  rule same_call {\n    when repeats(within: 10 calls) >= 3\n    do inject \
                 \"You have made this call {repeats} times.\"\n    once per repeats\n  }\n}",
    ],
};
