//! The topic `invariants`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "invariants",
    aliases: &["invariant", "invariants hold", "violation"],
    summary: "What every edit keeps, whatever a policy says. An edit that would break one of these is not made. A replay checks \
              them again before and after each effect, and `expect invariants hold` reports violations.",
    terms: &[
        ("calls and results", "A call and its results stay together, and nothing is inserted between them."),
        ("open calls", "A call without a result stays, since its result may still arrive."),
        ("request", "The message that began the run stays as it is, unless the effect has `pin none`."),
        ("system messages", "They stay."),
        ("restored content", "What `restore` has brought back stays while it is protected."),
        (
            "reasoning",
            "The reasoning of the open tool loop stays, and so does that of a reply that would be empty without it.",
        ),
        ("size", "A part is replaced only if that makes it shorter, and reduced again only by a stronger effect."),
        ("error results", "They stay as they are, unless the effect has `errors include` or `errors only`."),
    ],
    see: &["expect", "pin", "restore", "confirm"],
    examples: &[
        "edition 2026\npolicy p {\n  rule mask {\n    do mask results keep 4 results\n  }\n}\ntest \"nothing breaks\" {\n  \
         given transcript \"recording.jsonl\"\n  expect invariants hold\n}",
        "$ trimtab test policy.trim",
    ],
};
