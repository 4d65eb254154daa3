//! `stop`: the run ends.

use super::{Act, Arguments, Effect, Nature, Scene, Subject};

pub(super) static EFFECT: Effect = Effect {
    name: "stop",
    summary: "Ends the run: edits already made stay, later rules are not tried, the model is not called.",
    subject: Subject::Text,
    labels: &[],
    names: &[],
    nature: Nature::Signal,
    examples: &["stop \"{failures} failures in a row\""],
    begin,
    finish: None,
};

fn begin(_: &Scene<'_>, arguments: &Arguments) -> Act {
    Act::Stop(arguments.own_text())
}
