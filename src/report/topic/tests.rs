//! The topic `tests`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "tests",
    aliases: &["testing", "assertion", "assertions", "coverage", "series"],
    summary: "A `test` block beside a policy says with `given` what the agent meets (values of facts, a conversation, a \
              recording) and with `expect` what must come of it. `trimtab test` runs them, `--coverage` shows what they \
              leave out, and `simulate --assert` checks an expectation on recordings.",
    terms: &[],
    see: &["test", "given", "expect"],
    examples: &[
        "edition 2026\npolicy p {\n  rule mask {\n    when context.ratio >= 60%\n    do mask results\n  }\n}\ntest \
                 \"masks in time\" {\n  given context.ratio 40%, 55%, 62%\n  expect mask first fires at 2\n}",
        "$ trimtab test policy.trim",
    ],
};
