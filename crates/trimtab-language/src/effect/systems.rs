//! `systems`: chooses the sections of the system prompt that are sent.

use trimtab_base::conversation::{Lifetime, NameFilter, View};

use super::label::Handle;
use super::lifetime::FOR;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelRole, Operation, Positional,
    Shape,
};

pub(super) static EFFECT: Effect = Effect {
    name: "systems",
    summary: "Chooses the sections of the system prompt that are sent. A section is a system message with a `name`, or a \
              block `<NAME>…</NAME>` that begins at a line of a system message. Text outside of sections is always sent.",
    kind: EffectKind::ChooseSections,
    positional: Positional::AtLeastOneOf(&[&ONLY.label, &HIDE.label]),
    labels: &[&ONLY.label, &HIDE.label, &FOR.label],
    variables: &[],
    examples: &["systems hide [examples]", "systems only [role, rules] for run"],
    build: |arguments| {
        let filter = NameFilter { only: ONLY.get(arguments), hidden: HIDE.get(arguments).unwrap_or_default() };
        Box::new(Systems { filter, lifetime: FOR.get(arguments) })
    },
};

static ONLY: Handle<Option<Vec<smol_str::SmolStr>>> = Handle {
    label: Label {
        role: Some(LabelRole::ShownSections),
        ..Label::new("only", Shape::Names, "The only sections that are sent.")
    },
    read: |value| value.and_then(Argument::names).map(<[_]>::to_vec),
};

static HIDE: Handle<Option<Vec<smol_str::SmolStr>>> = Handle {
    label: Label {
        role: Some(LabelRole::HiddenSections),
        ..Label::new("hide", Shape::Names, "Sections that are not sent.")
    },
    read: |value| value.and_then(Argument::names).map(<[_]>::to_vec),
};

#[derive(Debug)]
struct Systems {
    filter: NameFilter,
    lifetime: Lifetime,
}

impl Operation for Systems {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        if !context.views.changes_sections(&self.filter, self.lifetime, context.conversation) {
            return EffectOutput::idle(IdleReason::SameRequest);
        }
        EffectOutput::view(View::Sections(self.filter.clone()), self.lifetime)
    }
}
