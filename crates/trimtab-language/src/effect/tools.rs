//! `tools`: chooses the tools that are offered to the model.

use trimtab_base::conversation::{Lifetime, NameFilter, View};

use super::label::Handle;
use super::lifetime::FOR;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelRole, Operation, Positional,
    Shape,
};

pub(super) static EFFECT: Effect = Effect {
    name: "tools",
    summary: "Chooses the tools that are offered to the model. Tools hidden by several rules are all hidden; of several \
              rules with `only` the last one counts. A hidden tool is left out of the request, but calls of it in the \
              conversation stay.",
    kind: EffectKind::ChooseTools,
    positional: Positional::AtLeastOneOf(&[&ONLY.label, &HIDE.label]),
    labels: &[&ONLY.label, &HIDE.label, &FOR.label],
    variables: &[],
    examples: &["tools hide [bash]", "tools only [read_file, mcp__*] for run"],
    build: |arguments| {
        let filter = NameFilter { only: ONLY.get(arguments), hidden: HIDE.get(arguments).unwrap_or_default() };
        Box::new(Tools { filter, lifetime: FOR.get(arguments) })
    },
};

static ONLY: Handle<Option<Vec<smol_str::SmolStr>>> = Handle {
    label: Label {
        role: Some(LabelRole::OfferedTools),
        ..Label::new("only", Shape::Tools, "The only tools that are offered.")
    },
    read: |value| value.and_then(Argument::names).map(<[_]>::to_vec),
};

static HIDE: Handle<Option<Vec<smol_str::SmolStr>>> = Handle {
    label: Label {
        role: Some(LabelRole::HiddenTools),
        ..Label::new("hide", Shape::Tools, "Tools that are not offered.")
    },
    read: |value| value.and_then(Argument::names).map(<[_]>::to_vec),
};

#[derive(Debug)]
struct Tools {
    filter: NameFilter,
    lifetime: Lifetime,
}

impl Operation for Tools {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        if !context.views.changes_tools(&self.filter, self.lifetime, context.tools) {
            return EffectOutput::idle(IdleReason::SameRequest);
        }
        EffectOutput::view(View::Tools(self.filter.clone()), self.lifetime)
    }
}
