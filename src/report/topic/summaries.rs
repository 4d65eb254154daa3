//! The topic `summaries`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "summaries",
    aliases: &["summary", "compaction", "compact", "compress", "summarize", "summariser"],
    summary: "`summarise` puts one message in the place of the conversation or of its older part, `slide` keeps a running \
              summary. Cap them with `at_most`, so that a summary is sure to shrink the context. A summary that is empty or \
              not shorter than what it replaces has failed: the conversation stays as it was, and `on_failure` says what \
              happens. `simulate --summariser` chooses who writes them.",
    terms: &[],
    see: &["summarise", "slide", "prompt", "on_failure", "at_most", "pin"],
    examples: &[
        "edition 2026\npolicy compacted {\n  rule compact {\n    when context.ratio >= 80%\n    do summarise older \
                 keep 10 messages at_most 4k tokens\n    on_failure keep\n    cooldown 3 iterations\n  }\n}",
    ],
};
