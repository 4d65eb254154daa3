//! The topic `cost`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "cost",
    aliases: &["costs", "price", "prices", "budget", "spending"],
    summary: "Limit what a run or a session spends with `budget.cost` and `session.cost`. Prices come from the model table; \
              a cost is unknown only if the model has no known price; give a default for that case with `??`. The report \
              names each rule whose cost was unknown at every call.",
    terms: &[],
    see: &["budget.cost", "session.cost", "budget.tokens", "session.tokens", "stop", "money"],
    examples: &[
        "edition 2026\npolicy capped {\n  rule cap {\n    when (session.cost ?? $0) >= $5\n    do stop \"The budget \
                 is spent.\"\n  }\n}",
        "$ trimtab explain models",
    ],
};
