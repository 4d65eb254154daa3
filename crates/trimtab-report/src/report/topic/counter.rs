//! The topic `counter`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "counter",
    aliases: &["counters", "counting", "tokenizer", "estimate", "calibration", "usage"],
    summary: "`simulate --tokens` chooses how contexts are counted. The report gives the error of the counter: each call \
              with recorded usage is predicted from the calls before it. With fewer than ten such calls the error is \
              unknown.",
    terms: &[
        (
            "exact",
            "The counts of the model's tokenizer, if it is published; in builds with the feature `exact`. The default for \
             recordings without usage of such models.",
        ),
        ("estimate", "Characters by kind, with a factor and an overhead that are fitted to the recorded usage."),
        (
            "reported",
            "The recorded input, minus an estimate of what the policy removed. The default for recordings with usage.",
        ),
        ("recorded", "The recorded input, whatever the policy does."),
    ],
    see: &["context.tokens", "reported.tokens", "tokens"],
    examples: &["$ trimtab simulate policy.trim recording.jsonl --tokens estimate"],
};
