//! The topic `cache`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "cache",
    aliases: &["prompt cache", "caching", "cache read", "cache write", "cold", "expired"],
    summary: "Providers keep the beginning of a request in their prompt cache and read it there the next time for a fraction of \
              the price. An edit of old content invalidates the cache for everything after it, so fewer tokens can cost more. \
              Edit rarely and a lot each time, with `down_to` and `at_least`; edits of `arrivals` are free, and after an `idle` time \
              longer than the cache lasts an edit costs little: `cache.warm` is false then. `simulate` prices reads, writes and breaks.",
    terms: &[],
    see: &["at_least", "down_to", "idle", "cache.warm", "cache-trickle", "no-minimum-saving", "cost"],
    examples: &[
        "edition 2026\npolicy seldom {\n  rule mask_much {\n    when context.ratio >= 60%\n    do mask results keep \
                 10 messages down_to 40% at_least 4k tokens\n  }\n}",
        "$ trimtab simulate policy.trim recording.jsonl --no-cache",
    ],
};
