//! `boost`: asks the host to keep more of the results of a tool that is called again.

use trimtab_base::quantity::{Counted, Quantity, Unit};

use super::label::Handle;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation,
    Positional, Shape, Signal, Target, TargetKind,
};

pub(super) static EFFECT: Effect = Effect {
    name: "boost",
    summary: "Sets the factor by which a host that splits results into chunks should keep more chunks of the tool that is \
              called again. It holds for the rest of the run; a second boost of the same tool replaces the first.",
    kind: EffectKind::Boost,
    positional: Positional::Target(&[Target {
        name: "chunks",
        kind: TargetKind::Chunks,
        summary: "The chunks of the tool's later results.",
    }]),
    labels: &[&BY.label],
    variables: &[],
    examples: &["boost chunks by 2", "boost chunks by 3"],
    build: |arguments| Box::new(Boost { factor: BY.get(arguments) }),
};

static BY: Handle<u64> = Handle {
    label: Label {
        default: LabelDefault::Number(2, Unit::Counted(Counted::Count)),
        role: Some(LabelRole::Factor),
        least: 2,
        ..Label::new("by", Shape::Quantity(&[Unit::Counted(Counted::Count)]), "The factor.")
    },
    read: |value| value.and_then(Argument::quantity).map_or(1, Quantity::to_u64),
};

#[derive(Debug)]
struct Boost {
    factor: u64,
}

impl Operation for Boost {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        match context.miss {
            None => EffectOutput::idle(IdleReason::NoMiss),
            Some(_) if context.boost == self.factor => EffectOutput::idle(IdleReason::AlreadyBoosted),
            Some(miss) => EffectOutput::Signal(Signal::Boost { tool: miss.tool.to_string(), factor: self.factor }),
        }
    }
}
