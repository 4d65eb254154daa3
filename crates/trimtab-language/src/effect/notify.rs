//! `notify`: sends a text to the host.

use super::{Effect, EffectContext, EffectKind, EffectOutput, Operation, Positional, Signal, TextSlot};

pub(super) static EFFECT: Effect = Effect {
    name: "notify",
    summary: "Sends a text to the host, which shows or logs it. The model does not see it.",
    kind: EffectKind::Signal,
    positional: Positional::Text,
    labels: &[],
    variables: &[],
    examples: &["notify \"context at {context.tokens}\""],
    build: |arguments| Box::new(Notify { text: arguments.positional_text() }),
};

#[derive(Debug)]
struct Notify {
    text: TextSlot,
}

impl Operation for Notify {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        EffectOutput::Signal(Signal::Notify(context.text(&self.text, &[])))
    }
}
