//! `summarise`: replaces the conversation, or its older part, with a summary.

use std::sync::Arc;

use trimtab_base::conversation::{Edit, Keep, Origin, Role};

use super::label::Handle;
use super::reduction::{KEEP_UNITS, tail};
use super::summary::{self, SummaryOptions, summary_message};
use super::{
    Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelRole, Operation, Positional, Scope, Shape,
    Target,
};

pub(super) static EFFECT: Effect = Effect {
    name: "summarise",
    summary: "Replaces messages with one user message that contains a summary of them. \
              The system prompt is kept. If the summary fails, the conversation does not change.",
    kind: EffectKind::Summarise,
    positional: Positional::Target(&[
        Target {
            name: "all",
            scope: Scope::AllMessages,
            summary: "Everything after the system prompt, including the newest messages.",
        },
        Target { name: OLDER, scope: Scope::OlderMessages, summary: "Everything before the kept tail." },
    ]),
    labels: &[&KEEP.label, &summary::USING.label, &summary::AT_MOST.label, &summary::PIN.label],
    variables: &[],
    examples: &[
        "summarise all at_most 4k tokens",
        "summarise older keep 10 messages at_most 2k tokens pin first_user",
        "summarise older keep 2 interactions",
    ],
    build: |arguments| {
        let all = arguments.scope() == Some(Scope::AllMessages);
        let keep = KEEP.get(arguments).unwrap_or(if all { Keep::Messages(0) } else { OLDER_KEEPS });
        Box::new(Summarise { keep, options: SummaryOptions::new(arguments) })
    },
};

const OLDER: &str = "older";

/// The tail that `older` keeps without `keep`.
const OLDER_KEEPS: Keep = Keep::Messages(10);

static KEEP: Handle<Option<Keep>> = Handle {
    label: Label {
        targets: &[OLDER],
        role: Some(LabelRole::Keep),
        ..Label::new("keep", Shape::Quantity(KEEP_UNITS), "How much of the tail stays as it is. Default: 10 messages.")
    },
    read: tail,
};

#[derive(Debug)]
struct Summarise {
    keep: Keep,
    options: SummaryOptions,
}

impl Operation for Summarise {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let replaced = self.replaced(context);
        // A summary of summaries holds nothing new.
        let origin = |at: usize| context.conversation.entries()[at].message().origin;
        let is_summary = |&at: &usize| matches!(origin(at), Origin::Summary | Origin::RunningSummary);
        if replaced.iter().all(is_summary) {
            let keeps_all = self.keep.boundary(context.conversation) == 0;
            return EffectOutput::idle(if keeps_all { IdleReason::AllKept } else { IdleReason::NothingToReduce(None) });
        }
        EffectOutput::NeedsSummary(Arc::new(self.options.request(context, &replaced, None)))
    }

    fn finish(&self, context: &EffectContext<'_>, summary: &str) -> Result<Vec<Edit>, String> {
        let replaced = self.replaced(context);
        let Some(&first) = replaced.first() else { return Ok(Vec::new()) };
        let entries = context.conversation.entries();
        let after = entries.iter().skip(first).filter(|entry| entry.role() != Role::System).count();
        let frame = |text: &str| summary_message(text, after == replaced.len());
        let summary = self.options.message(context, &replaced, summary, Origin::Summary, frame)?;
        let messages = replaced.iter().map(|&at| entries[at].id()).collect();
        Ok(vec![Edit::Summarise { messages, summary }])
    }
}

impl Summarise {
    /// The indices of the messages that the summary replaces.
    fn replaced(&self, context: &EffectContext<'_>) -> Vec<usize> {
        let Some(last) = self.keep.boundary(context.conversation).checked_sub(1) else { return Vec::new() };
        context.conversation.removable(0..=last, self.options.pins)
    }
}
