//! The topic `summaries`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "summaries",
    aliases: &[
        "summary",
        "compaction",
        "compact",
        "compress",
        "summarize",
        "summariser",
        "until next compaction",
        "until the next compaction",
    ],
    summary: "`summarise` replaces the conversation, or its older part, with one message; `slide` keeps a running summary. \
              Limit their length with `at_most`, so that a summary always shrinks the context. A summary that is empty or \
              not shorter than what it replaces counts as failed: the conversation does not change, and `on_failure` \
              defines what happens. `simulate --summariser` selects the summariser. A rule with `changed(compactions, in: session)` \
              fires once until the next compaction.",
    terms: &[],
    see: &["summarise", "slide", "prompt", "on_failure", "at_most", "pin", "compactions", "changed"],
    examples: &[
        "edition 2026\npolicy compacted {\n  rule compact {\n    when context.ratio >= 80%\n    do summarise older \
                 keep 10 messages at_most 4k tokens\n    on_failure keep\n    cooldown 3 iterations\n  }\n}",
    ],
};
