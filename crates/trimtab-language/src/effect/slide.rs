//! `slide`: a sliding window over the conversation with a running summary of what left it.

use std::ops::Range;

use trimtab_base::conversation::{Body, Edit, Origin, PinnedMessages};
use trimtab_base::quantity::{Counted, Unit};

use super::label::Handle;
use super::latest::KEEP_LATEST;
use super::reduction::count;
use super::summary::{self, SummaryOptions, running_message, summary_text};
use super::trim::{self, MARKER};
use super::{
    Effect, EffectContext, EffectKind, EffectOutput, IdleReason, Label, LabelDefault, LabelRole, Operation, Positional,
    Shape, SummaryRequest, TextSlot,
};

pub(super) static EFFECT: Effect = Effect {
    name: "slide",
    summary: "Keeps the newest messages, cuts the tool results of those before them, and replaces everything older with \
              one running summary. If the summary fails, the conversation does not change.",
    kind: EffectKind::Summarise,
    positional: Positional::Values(&[]),
    labels: &[
        &RECENT.label,
        &MEDIUM.label,
        &TRIM.label,
        &USING.label,
        &summary::AT_MOST.label,
        &summary::PIN.label,
        &KEEP_LATEST.label,
    ],
    variables: &[],
    examples: &["slide recent 10 messages medium 10 messages trim 200 chars", "slide recent 4 messages pin first_user"],
    build: |arguments| {
        Box::new(Slide {
            recent: RECENT.get(arguments),
            medium: MEDIUM.get(arguments),
            limit: TRIM.get(arguments),
            options: SummaryOptions::new(arguments),
        })
    },
};

static RECENT: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Number(10, Unit::Counted(Counted::Messages)),
        role: Some(LabelRole::RecentZone),
        ..Label::new(
            "recent",
            Shape::Quantity(&[Unit::Counted(Counted::Messages)]),
            "How many of the newest messages stay as they are.",
        )
    },
    read: count,
};

/// A single result is never summarised, so there is no prompt for it.
static USING: Handle<Option<TextSlot>> =
    summary::using("The prompt for the summariser. Default: the built-in prompt with seven headings.");

static MEDIUM: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Number(10, Unit::Counted(Counted::Messages)),
        role: Some(LabelRole::MediumZone),
        ..Label::new(
            "medium",
            Shape::Quantity(&[Unit::Counted(Counted::Messages)]),
            "How many messages before those are kept with their tool results cut.",
        )
    },
    read: count,
};

static TRIM: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Number(200, Unit::Chars),
        role: Some(LabelRole::ResultLimit),
        ..Label::new(
            "trim",
            Shape::Quantity(&[Unit::Chars]),
            "The length to which tool results in the medium zone are cut.",
        )
    },
    read: count,
};

#[derive(Debug)]
struct Slide {
    recent: usize,
    medium: usize,
    limit: usize,
    options: SummaryOptions,
}

/// The zones of the window.
struct Zones {
    /// The messages to summarise, without running summaries.
    old: Vec<usize>,
    /// The running summaries, wherever other rules have left them. A recording may contain several.
    running: Vec<usize>,
    medium: Range<usize>,
    /// The messages that stay as they are.
    kept: PinnedMessages,
}

impl Zones {
    /// Everything that the new running summary replaces.
    fn replaced(&self) -> Vec<usize> {
        let mut replaced: Vec<usize> = self.old.iter().chain(&self.running).copied().collect();
        replaced.sort_unstable();
        replaced
    }
}

impl Operation for Slide {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        let zones = self.zones(context);
        if zones.old.is_empty() {
            let is_whole = zones.medium.start == 0;
            let idle_reason = if is_whole { IdleReason::AllKept } else { IdleReason::NothingToReduce(None) };
            return EffectOutput::edits(self.cut_medium(context, &zones), idle_reason);
        }
        let entries = context.conversation.entries();
        let summaries = zones.running.iter().map(|&at| summary_text(&entries[at].message().plain_text()).to_owned());
        let summaries: Vec<String> = summaries.collect();
        let previous = (!summaries.is_empty()).then(|| summaries.join("\n\n"));
        EffectOutput::needs_summary(self.options.request(context, &zones.old, previous))
    }

    fn finish(&self, context: &EffectContext<'_>, _: &SummaryRequest, summary: &str) -> Result<Vec<Edit>, String> {
        let zones = self.zones(context);
        if zones.old.is_empty() {
            return Ok(Vec::new());
        }
        let replaced = zones.replaced();
        let summary = self.options.message(context, &replaced, summary, Origin::RunningSummary, running_message)?;
        let messages = replaced.iter().map(|&at| context.conversation.entries()[at].id()).collect();
        let mut edits = self.cut_medium(context, &zones);
        edits.push(Edit::Summarise { messages, summary });
        Ok(edits)
    }
}

impl Slide {
    fn zones(&self, context: &EffectContext<'_>) -> Zones {
        let conversation = context.conversation;
        let entries = conversation.entries();
        let recent = entries.len().saturating_sub(self.recent);
        let kept = self.options.kept(context);
        let cut = conversation.whole_groups_before(recent.saturating_sub(self.medium));
        let start = cut.max(conversation.prompt_len()).min(recent);
        let removable = cut.checked_sub(1).map(|last| conversation.removable(0..=last, &kept));
        let is_running = |at: &usize| entries[*at].message().origin == Origin::RunningSummary;
        let running = conversation.summaries().iter().copied().filter(is_running).collect();
        let old = removable.unwrap_or_default().into_iter().filter(|at| !is_running(at)).collect();
        Zones { old, running, medium: start..recent, kept }
    }

    /// Cuts the tool results of the medium zone.
    fn cut_medium(&self, context: &EffectContext<'_>, zones: &Zones) -> Vec<Edit> {
        let mut edits = Vec::new();
        for at in zones.medium.clone().filter(|at| !zones.kept.contains(context.conversation, *at)) {
            let entry = &context.conversation.entries()[at];
            for (part, old) in entry.parts() {
                let Body::ToolResult(result) = &old.body else { continue };
                let new = trim::cut(&old.body, (self.limit, 0), MARKER);
                let Some(new) = new.filter(|_| !result.is_error) else { continue };
                if !old.level.is_replaced() && old.level.may_become(new.level) {
                    let (message, body, level) = (entry.id(), new.body, new.level);
                    edits.push(Edit::Reduce { message, part, body, level, errors: false });
                }
            }
        }
        edits
    }
}
