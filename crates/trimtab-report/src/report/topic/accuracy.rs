//! The topic `accuracy`.

use super::Topic;

pub(super) static TOPIC: Topic = Topic {
    name: "accuracy",
    aliases: &["trust", "interval", "intervals", "confidence", "open loop"],
    summary: "How far to trust the figures of a simulation. The recorded replies stay as they are, so a replay does not show what \
              the model would have done differently. Sizes of removed content are estimated with a counter of tokens that is \
              fitted to the recording; the interval beside a figure is an 80% interval, built from the measured errors of these estimates. \
              `trimtab calibrate` measures the errors of replays on your recordings.",
    terms: &[],
    see: &["counter", "regret", "cost", "window"],
    examples: &["$ trimtab calibrate recording.jsonl"],
};
