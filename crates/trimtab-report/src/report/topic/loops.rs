//! The topic `loops`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "loops",
    aliases: &["loop", "stuck", "repetition", "cycle", "retry"],
    summary: "Detect a stuck agent by identical calls in a row (`repeats`), by errors in a row (`failures`), or by the \
              number of its calls (`iteration`, `budget.calls`). Then send it a message with `inject`, or end the run \
              with `stop`. Guards such as `once per` and `cooldown` prevent a message at every call.",
    terms: &[],
    see: &["repeats", "failures", "failures.steps", "budget.calls", "once per", "cooldown", "inject", "stop"],
    examples: &[
        "edition 2026\npolicy steady {\n  rule stuck {\n    when repeats(within: 10 calls) >= 5 or failures >= 4 \
                 results\n    do inject \"This does not work. Take another approach.\"\n    cooldown 5 iterations\n  }\n}",
    ],
};
