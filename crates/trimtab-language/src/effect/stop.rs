//! `stop`: ends the run.

use super::{Effect, EffectContext, EffectKind, EffectOutput, Operation, Positional, Signal, TextSlot};

pub(super) static EFFECT: Effect = Effect {
    name: "stop",
    summary: "Ends the run. Edits already made stay, later rules are not tried, and the model is not called.",
    kind: EffectKind::Stop,
    positional: Positional::Text,
    labels: &[],
    variables: &[],
    examples: &["stop \"{failures} failures in a row\""],
    build: |arguments| Box::new(Stop { reason: arguments.positional_text() }),
};

#[derive(Debug)]
struct Stop {
    reason: TextSlot,
}

impl Operation for Stop {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        EffectOutput::Signal(Signal::Stop(context.text(&self.reason, &[])))
    }
}
