//! `summarise`: replaces the conversation, or its older part, with a summary, or single results with summaries of their own.

mod results;

use trimtab_base::conversation::{Edit, Origin, Pins, Role};
use trimtab_base::quantity::{Counted, Decimal, Quantity, Unit};

use super::label::Handle;
use super::latest::KEEP_LATEST;
use super::pin::pin;
use super::reduction::{self, KEEP_UNITS, NOTHING};
use super::summary::{self, SummaryOptions, summary_message};
use super::tail::Tail;
use super::{
    Argument, Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation,
    Positional, Shape, SummaryRequest, Target, TargetKind,
};
use results::SummariseResults;

pub(super) static EFFECT: Effect = Effect {
    name: "summarise",
    summary: "Replaces messages with one user message that contains a summary of them, or the content of each of several \
              results with a summary of its own. The system prompt is kept. What is not summarised, because a summary \
              failed, does not change.",
    kind: EffectKind::Summarise,
    positional: Positional::Target(&[
        Target {
            name: "all",
            kind: TargetKind::AllMessages,
            summary: "Everything after the system prompt, including the newest messages.",
        },
        Target { name: OLDER, kind: TargetKind::OlderMessages, summary: "Everything before the kept tail." },
        Target {
            name: reduction::RESULTS.name,
            kind: TargetKind::Results,
            summary: "The contents of tool results before the kept tail, each by itself.",
        },
        Target {
            name: reduction::ARRIVALS.name,
            kind: TargetKind::Arrivals,
            summary: "The contents of tool results that no request has contained yet, each by itself.",
        },
    ]),
    labels: &[
        &results::OVER.label,
        &KEEP.label,
        &summary::USING.label,
        &summary::AT_MOST.label,
        &PIN.label,
        &KEEP_LATEST.label,
        &results::EXCEPT.label,
        &results::ONLY.label,
        &results::ERRORS.label,
        &results::INCLUDING.label,
    ],
    variables: &[],
    examples: &[
        "summarise all at_most 4k tokens",
        "summarise older keep 10 messages at_most 2k tokens pin first_user",
        "summarise older keep 2 interactions",
        "summarise older keep 20k tokens pin [first_user, newest 5 users] keep_latest [todo_write]",
        "summarise results over 4k tokens at_most 500 tokens keep 4 results",
        "summarise arrivals over 20k tokens at_most 2k tokens only [web_fetch]",
    ],
    build: |arguments| {
        if arguments.target_kind().is_some_and(TargetKind::is_of_results) {
            return Box::new(SummariseResults::new(arguments, KEEP.get(arguments).unwrap_or(NOTHING)));
        }
        let all = arguments.target_kind() == Some(TargetKind::AllMessages);
        let keep = KEEP.get(arguments).unwrap_or(if all { NOTHING } else { OLDER_KEEPS });
        Box::new(Summarise { keep: Tail::new(keep, None), options: SummaryOptions::new(arguments) })
    },
};

const OLDER: &str = "older";

static PIN: Handle<Pins> = pin(&["all", OLDER]);

/// The tail that `older` keeps without `keep`.
const OLDER_KEEPS: Quantity = Quantity::new(Decimal::TEN, Unit::Counted(Counted::Messages));

/// The tail that `results` keeps without `keep`.
const RESULTS_KEPT: LabelDefault = LabelDefault::Number(4, Unit::Counted(Counted::Results));

const KEEP_SUMMARY: &str = "How much of the tail stays as it is. Tokens, or a share of the window, keep as many whole \
                             groups of messages as fit. Default: 10 messages; of `results`, 4 results.";

static KEEP: Handle<Option<Quantity>> = Handle {
    label: Label {
        targets: &[OLDER, reduction::RESULTS.name],
        other_defaults: &[(reduction::RESULTS.name, RESULTS_KEPT)],
        role: Some(LabelRole::Keep),
        ..Label::new("keep", Shape::Quantity(KEEP_UNITS), KEEP_SUMMARY)
    },
    read: |value| value.and_then(Argument::quantity),
};

#[derive(Debug)]
struct Summarise {
    keep: Tail,
    options: SummaryOptions,
}

impl Operation for Summarise {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let (boundary, replaced) = match self.replaced(context) {
            Ok(found) => found,
            Err(idle_reason) => return EffectOutput::idle(idle_reason),
        };
        // A summary of summaries holds nothing new.
        let origin = |at: usize| context.conversation.entries()[at].message().origin;
        let is_summary = |&at: &usize| matches!(origin(at), Origin::Summary | Origin::RunningSummary);
        if replaced.iter().all(is_summary) {
            return EffectOutput::idle(if boundary == 0 {
                IdleReason::AllKept
            } else {
                IdleReason::NothingToReduce(None)
            });
        }
        EffectOutput::needs_summary(self.options.request(context, &replaced, None))
    }

    fn finish(&self, context: &EffectContext<'_>, _: &SummaryRequest, summary: &str) -> Result<Vec<Edit>, String> {
        let (_, replaced) = self.replaced(context).unwrap_or_default();
        let Some(&first) = replaced.first() else { return Ok(Vec::new()) };
        let entries = context.conversation.entries();
        let stays = |at: &usize| entries[*at].role() != Role::System && replaced.binary_search(at).is_err();
        let is_last = !(first..entries.len()).rev().any(|at| stays(&at));
        let frame = |text: &str| summary_message(text, is_last);
        let summary = self.options.message(context, &replaced, summary, Origin::Summary, frame)?;
        let messages = replaced.iter().map(|&at| entries[at].id()).collect();
        Ok(vec![Edit::Summarise { messages, summary }])
    }
}

impl Summarise {
    /// The index of the first kept message, and those of the messages that the summary replaces.
    fn replaced(&self, context: &EffectContext<'_>) -> Result<(usize, Vec<usize>), IdleReason> {
        let boundary = self.keep.boundary(context)?;
        let replaced =
            boundary.checked_sub(1).map(|last| context.conversation.removable(0..=last, &self.options.kept(context)));
        Ok((boundary, replaced.unwrap_or_default()))
    }
}
