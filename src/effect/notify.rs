//! `notify`: a notice for the host.

use super::{Act, Arguments, Effect, Nature, Scene, Subject};

pub(super) static EFFECT: Effect = Effect {
    name: "notify",
    summary: "Hands a text to the host, which shows or logs it. The model does not see it.",
    subject: Subject::Text,
    labels: &[],
    names: &[],
    nature: Nature::Signal,
    examples: &["notify \"context at {context.tokens}\""],
    begin,
    finish: None,
};

fn begin(_: &Scene<'_>, arguments: &Arguments) -> Act {
    Act::Notify(arguments.own_text())
}
