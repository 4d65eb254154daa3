//! The topic `messages`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "messages",
    aliases: &["message", "person", "people", "human", "user", "user message", "user messages"],
    summary: "A user message is one from a person or, for a sub-agent, from the agent that called it; messages of the harness and of \
              rules are not. One that comes after a finished reply begins a run: it is the request, which `request.words` and \
              `request.mentions` read, and at which `iteration` is 0. One that comes while the agent works begins an interaction of the \
              same run. `confirm` asks a person.",
    terms: &[],
    see: &["context.interactions", "iteration", "run", "request.mentions", "pin", "user_messages", "confirm", "inject"],
    examples: &[
        "edition 2026\npolicy between_runs {\n  rule compact {\n    when context.ratio >= 60% and iteration == 0\n    do summarise older \
         keep 10 messages pin users\n    on_failure keep\n  }\n}",
    ],
};
