//! The topic `protection`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "protection",
    aliases: &["protect", "preserve", "todo", "task list", "first_message", "first message", "tail"],
    summary: "What an effect leaves as it is: `keep` the end of the conversation, `pin` chosen messages, such as `first_user`, the first \
              one of a person, `keep_latest` the newest result of a tool, such as the last list of tasks, and `except` the results of \
              tools. The request of the run is pinned unless the effect has `pin none`.",
    terms: &[],
    see: &["keep", "pin", "keep_latest", "except", "errors", "invariants"],
    examples: &[
        "edition 2026\npolicy keep_the_task {\n  rule drop_old {\n    when context.ratio >= 70%\n    do drop older keep 20 messages pin \
         first_user keep_latest [todo_write] down_to 45%\n  }\n}",
    ],
};
