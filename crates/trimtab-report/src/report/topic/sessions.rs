//! The topic `sessions`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "sessions",
    aliases: &["session", "scope", "runs", "conversation", "transcript", "recording"],
    summary: "A session is one conversation with a model; a recording holds one or several. It consists of runs: a run begins \
              with a user message while the agent does not work. `budget`, `iteration`, `fired` and `failures.total` count in \
              the run, and guards are reset when the next run begins, unless they have the scope `in session`, such as `once in \
              session`. `session.tokens`, `session.cost`, `session.time` and `session.calls` count over all runs, and so do facts \
              with `in: session`.",
    terms: &[],
    see: &[
        "run",
        "iteration",
        "session.calls",
        "session.tokens",
        "session.cost",
        "session.time",
        "once",
        "fired",
        "used_tool",
        "guard-of-short-runs",
    ],
    examples: &[
        "edition 2026\npolicy limited {\n  rule enough {\n    when session.calls >= 500\n    do stop \"500 calls\"\n  }\n}",
        "$ trimtab transcript stat recording.jsonl",
    ],
};
