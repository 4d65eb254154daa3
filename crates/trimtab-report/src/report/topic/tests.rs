//! The topic `tests`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "tests",
    aliases: &["testing", "assertion", "assertions", "coverage", "series"],
    summary: "A `test` block in a policy file sets the input with `given` (values of facts, a conversation or a recording) \
              and states the result with `expect`. `trimtab test` runs all tests, `--coverage` shows which rules and \
              comparisons they exercise, and `simulate --assert` checks an expectation on recordings.",
    terms: &[],
    see: &["test", "given", "expect"],
    examples: &[
        "edition 2026\npolicy p {\n  rule mask {\n    when context.ratio >= 60%\n    do mask results\n  }\n}\ntest \
                 \"masks in time\" {\n  given context.ratio 40%, 55%, 62%\n  expect mask first fires at 2\n}",
        "$ trimtab test policy.trim",
    ],
};
