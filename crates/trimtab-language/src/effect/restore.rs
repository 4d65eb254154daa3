//! `restore`: brings back the reduced result of a call that is made again.

use trimtab_base::quantity::{Counted, Unit};

use super::label::Handle;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelRole, Operation, Positional,
    Restoration, Shape, Target, TargetKind, reduction,
};

pub(super) static EFFECT: Effect = Effect {
    name: "restore",
    summary: "Brings back the reduced result of the call that is made again, as it arrived. Until the run ends, or for a \
              number of iterations, no effect reduces or removes it. Nothing happens if its message has been removed.",
    kind: EffectKind::Restore,
    positional: Positional::Target(&[Target {
        name: "result",
        kind: TargetKind::MissedResult,
        summary: "The newest result of the call that is made again.",
    }]),
    labels: &[&FOR.label],
    variables: &[],
    examples: &["restore result", "restore result for 3 iterations"],
    build: |arguments| Box::new(Restore { iterations: FOR.get(arguments) }),
};

static FOR: Handle<Option<u64>> = Handle {
    label: Label {
        role: Some(LabelRole::Lifetime),
        least: 1,
        ..Label::new(
            "for",
            Shape::Quantity(&[Unit::Counted(Counted::Iterations)]),
            "How many of the following iterations it stays as it is; without this label, for the rest of the run.",
        )
    },
    read: |value| value.and_then(Argument::quantity).map(|_| reduction::count(value) as u64),
};

#[derive(Debug)]
struct Restore {
    iterations: Option<u64>,
}

impl Operation for Restore {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let Some(miss) = context.miss else { return EffectOutput::idle(IdleReason::NoMiss) };
        match context.conversation.is_missed_result_reduced(miss) {
            None => EffectOutput::idle(IdleReason::ResultGone),
            Some(false) => EffectOutput::idle(IdleReason::ResultWhole),
            Some(true) => {
                let (message, part) = (miss.message, miss.part);
                EffectOutput::Restore(Restoration { message, part, iterations: self.iterations })
            }
        }
    }
}
