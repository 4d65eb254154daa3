//! The topic `markers`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "markers",
    aliases: &["marker", "passed", "in between", "between", "remember", "state"],
    summary: "Remember that something has happened. A rule with `emit` marks it, and other rules read when: `fired(RULE)` counts the \
              marks, and `since(RULE)` the iterations since the newest one. With `in: session`, both look at all runs. \
              `(since(RULE) ?? 100) >= 10` is true if there was no mark in the last ten iterations.",
    terms: &[],
    see: &["emit", "fired", "since", "changed", "iteration_end", "in"],
    examples: &[
        "edition 2026\npolicy tests_first {\n  rule tests_passed {\n    on iteration_end\n    when used_tool(run_tests, within: 1 \
         iteration) and failures(of: run_tests) == 0\n    do emit tests_passed\n    once in session\n  }\n  rule hide_deploy \
         {\n    when fired(tests_passed, in: session) == 0\n    do tools hide [deploy]\n  }\n}",
    ],
};
