//! `set`: gives a variable of the system prompt a value.

use smol_str::SmolStr;
use trimtab_base::conversation::{Lifetime, View};

use super::label::Handle;
use super::lifetime::FOR;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation,
    Positional, Shape, TextSlot,
};

pub(super) static EFFECT: Effect = Effect {
    name: "set",
    summary: "Gives a variable a text, or takes it away with an empty text. The variables are a block `<variables>` at the \
              end of the system prompt, and `var(NAME)` reads them.",
    kind: EffectKind::SetVariable,
    positional: Positional::Values(&[&NAME.label, &VALUE.label]),
    labels: &[&NAME.label, &VALUE.label, &FOR.label],
    variables: &[],
    examples: &["set mode \"review\"", "set progress \"{iteration} of 40 iterations\" for run"],
    build: |arguments| {
        let value = VALUE.get(arguments);
        Box::new(Set { name: NAME.get(arguments), value, lifetime: FOR.get(arguments) })
    },
};

static NAME: Handle<SmolStr> = Handle {
    label: Label {
        default: LabelDefault::Required,
        role: Some(LabelRole::Variable),
        ..Label::new("name", Shape::Name, "The variable.")
    },
    read: |value| value.and_then(Argument::word).unwrap_or_default().into(),
};

static VALUE: Handle<TextSlot> = Handle {
    label: Label { default: LabelDefault::Required, ..Label::new("value", Shape::Text, "Its value.") },
    read: |value| value.and_then(Argument::text).cloned().unwrap_or_default(),
};

#[derive(Debug)]
struct Set {
    name: SmolStr,
    value: TextSlot,
    lifetime: Lifetime,
}

impl Operation for Set {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let value: SmolStr = context.text(&self.value, &[]).into();
        if !context.views.changes_variable(&self.name, &value, self.lifetime) {
            return EffectOutput::idle(IdleReason::SameRequest);
        }
        EffectOutput::view(View::Variable(self.name.clone(), value), self.lifetime)
    }
}
