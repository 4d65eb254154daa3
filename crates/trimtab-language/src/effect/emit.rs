//! `emit`: sends an event to the hooks of the host.

use smol_str::SmolStr;

use super::label::Handle;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, Label, LabelDefault, LabelRole, Operation, Positional,
    Shape, Signal,
};

pub(super) static EFFECT: Effect = Effect {
    name: "emit",
    summary: "Sends an event with a name and fields to the hooks of the host. The model does not see it. A field is a fact: \
              under its own name, or under the name before a colon. In the event it is a number, a text or a truth value; \
              shares are fractions, durations seconds and money dollars, and a fact that is unknown is null.",
    kind: EffectKind::Signal,
    positional: Positional::Values(&[&NAME.label, &FIELDS.label]),
    labels: &[&NAME.label, &FIELDS.label],
    variables: &[],
    examples: &[
        "emit context_high",
        "emit context_high [context.ratio, tokens: context.tokens, repeats: repeats(in: run)]",
    ],
    build: |arguments| Box::new(Emit { name: NAME.get(arguments), fields: FIELDS.get(arguments) }),
};

static NAME: Handle<SmolStr> = Handle {
    label: Label {
        default: LabelDefault::Required,
        role: Some(LabelRole::EventName),
        ..Label::new("name", Shape::Name, "The name of the event.")
    },
    read: |value| value.and_then(Argument::word).unwrap_or_default().into(),
};

static FIELDS: Handle<Vec<SmolStr>> = Handle {
    label: Label::new(
        "fields",
        Shape::Fields,
        "The facts that the event contains, such as `[iteration, size: context.tokens]`.",
    ),
    read: |value| value.into_iter().flat_map(Argument::fields).map(|(name, ())| name.clone()).collect(),
};

#[derive(Debug)]
struct Emit {
    name: SmolStr,
    /// The names of the fields in their order.
    fields: Vec<SmolStr>,
}

impl Operation for Emit {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let value =
            |name: &SmolStr| (name.to_string(), context.texts.fields().get(name.as_str()).cloned().unwrap_or_default());
        let fields = self.fields.iter().map(value).collect();
        EffectOutput::Signal(Signal::Emit { name: self.name.to_string(), fields })
    }
}
