//! The topic `time`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "time",
    aliases: &["times", "timeout", "clock", "timestamps", "timestamp"],
    summary: "`budget.time` and `session.time` run from the first timestamp of the run or session to the newest one of any \
              message, including tool results; `idle` is the time since the last reply. Without timestamps they are \
              unknown; give a default for that case with `??`. Durations are written `30s`, `10m`, `1h30m`.",
    terms: &[],
    see: &["budget.time", "session.time", "idle", "duration", "iteration"],
    examples: &[
        "edition 2026\npolicy timely {\n  rule late {\n    when (budget.time ?? 0s) >= 30m\n    do stop \"Half an hour \
                 is enough.\"\n  }\n}",
    ],
};
