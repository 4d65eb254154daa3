//! The topic `images`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "images",
    aliases: &["image", "screenshot", "screenshots", "pictures"],
    summary: "Old screenshots are large and seldom needed again. `mask images` replaces each with a short text, `drop images` \
              removes it; both take images in messages and in tool results, and leave the text around them as it is. \
              Images of the request stay until the run ends. `only [TOOL…]` chooses those in results of some tools.",
    terms: &[],
    see: &["mask", "drop", "keep", "only", "pin"],
    examples: &[
        "edition 2026\npolicy screens {\n  rule hide_old {\n    do mask images keep 4 messages at_least 4k tokens\n  }\n}",
    ],
};
