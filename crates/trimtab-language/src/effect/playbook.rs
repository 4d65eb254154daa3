//! `playbook`: adds learned strategies to the system prompt.

use trimtab_base::conversation::{Lifetime, View};
use trimtab_base::playbook::DEFAULT_SELECTION;
use trimtab_base::quantity::{Counted, Quantity, Unit};

use super::label::Handle;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation,
    Positional, Shape,
};

pub(super) static EFFECT: Effect = Effect {
    name: "playbook",
    summary: "Adds the most effective strategies of the playbook to the end of the system prompt of the next request. \
              A policy with this effect also learns: at the end of an iteration, strategies are distilled from its tool \
              calls, and those that the reply cites by id are counted as helpful or harmful.",
    kind: EffectKind::Playbook,
    positional: Positional::Values(&[]),
    labels: &[&AT_MOST.label],
    variables: &[],
    examples: &["playbook", "playbook at_most 10 strategies"],
    build: |arguments| Box::new(ShowPlaybook { at_most: AT_MOST.get(arguments) }),
};

const STRATEGIES: Unit = Unit::Counted(Counted::Strategies);

static AT_MOST: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Number(DEFAULT_SELECTION, STRATEGIES),
        role: Some(LabelRole::StrategyLimit),
        ..Label::new("at_most", Shape::Quantity(&[STRATEGIES]), "The maximum number of strategies in the request.")
    },
    read: |value| {
        let limit = value.and_then(Argument::quantity).map_or(0, Quantity::to_u64);
        usize::try_from(limit).unwrap_or(usize::MAX)
    },
};

#[derive(Debug)]
struct ShowPlaybook {
    at_most: usize,
}

impl Operation for ShowPlaybook {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        match context.playbook.text(self.at_most) {
            text if text.is_empty() => EffectOutput::idle(IdleReason::EmptyPlaybook),
            text if context.views.prompt() == Some(&text) => EffectOutput::idle(IdleReason::SameRequest),
            text => EffectOutput::view(View::Prompt(text), Lifetime::Request),
        }
    }
}
