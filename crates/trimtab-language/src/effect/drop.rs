//! `drop`: removes parts, or whole groups of messages, without a placeholder.

mod older;
mod redundant;
mod savings;

use trimtab_base::conversation::{Body, Level, Pins};
use trimtab_base::quantity::{Counted, Quantity};

use super::label::Handle;
use super::latest::KEEP_LATEST;
use super::pin::{KeptMessages, pin};
use super::reduction::Errors;
use super::selection::{Reduced, Selection};
use super::{
    Effect, EffectContext, EffectKind, EffectOutput, Label, Operation, Positional, Target, TargetKind, mask, reduction,
};
pub use savings::RemovalCache;

const THINKING: &str = "thinking";
const IMAGES: &str = mask::IMAGES.name;
const OLDER: &str = "older";

pub(super) static EFFECT: Effect = Effect {
    name: "drop",
    summary: "Removes old content without a placeholder. Calls and their results are removed together; to remove only \
              the contents of results, use `mask results` with a short `placeholder`. System messages, open calls and the reasoning \
              of the open tool loop are kept, and so are error results.",
    kind: EffectKind::Remove,
    positional: Positional::Target(&[
        mask::THINKING,
        mask::IMAGES,
        Target {
            name: reduction::SUPERSEDED_READS.name,
            kind: TargetKind::SupersededReads,
            summary: "Calls with their results, if each result is of a read of a file that was read or written again \
                      later, and the reply has no text.",
        },
        Target {
            name: reduction::DUPLICATES.name,
            kind: TargetKind::Duplicates,
            summary: "Calls with their results, if a newer identical call has returned each result again, and the reply \
                      has no text.",
        },
        Target {
            name: OLDER,
            kind: TargetKind::OlderMessages,
            summary: "Everything before the kept tail. If the tail does not begin with a user message, the newest one \
                      before it stays too, whatever is pinned.",
        },
    ]),
    labels: &[
        &OVER.label,
        &KEEP.label,
        &PIN.label,
        &KEEP_LATEST.label,
        &EXCEPT.label,
        &ONLY.label,
        &ERRORS.label,
        &INCLUDING.label,
        &reduction::READS.label,
        &reduction::WRITES.label,
        &reduction::DOWN_TO.label,
        &reduction::AT_LEAST.label,
    ],
    variables: &[],
    examples: &[
        "drop thinking keep 2 interactions",
        "drop images keep 1 interaction",
        "drop superseded_reads keep 4 messages at_least 2k tokens",
        "drop duplicates except [read_plan]",
        "drop older keep 20 messages pin first_user down_to 50%",
    ],
    build: |arguments| {
        let selection = Selection::new(arguments, &KEEP, &OVER).removing();
        Box::new(Drop { selection, kept: KeptMessages::new(arguments, &PIN) })
    },
};

/// The targets that are parts of single calls.
const OF_TOOLS: &[&str] = &[IMAGES, reduction::SUPERSEDED_READS.name, reduction::DUPLICATES.name];

static OVER: Handle<Option<Quantity>> =
    reduction::over(&[THINKING, reduction::SUPERSEDED_READS.name, reduction::DUPLICATES.name]);
static KEEP: Handle<Quantity> = reduction::keep(10, Counted::Messages, &[]);
static PIN: Handle<Pins> = pin(&[OLDER]);
static EXCEPT: Handle<Option<Vec<smol_str::SmolStr>>> =
    Handle { label: Label { targets: OF_TOOLS, ..reduction::EXCEPT.label }, ..reduction::EXCEPT };
static ONLY: Handle<Option<Vec<smol_str::SmolStr>>> =
    Handle { label: Label { targets: OF_TOOLS, ..reduction::ONLY.label }, ..reduction::ONLY };
static ERRORS: Handle<Errors> =
    Handle { label: Label { targets: OF_TOOLS, ..reduction::ERRORS.label }, ..reduction::ERRORS };
static INCLUDING: Handle<bool> =
    Handle { label: Label { targets: OF_TOOLS, ..reduction::INCLUDING.label }, ..reduction::INCLUDING };

#[derive(Debug)]
struct Drop {
    selection: Selection,
    kept: KeptMessages,
}

impl Operation for Drop {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        match self.selection.filter.target {
            TargetKind::OlderMessages => self.older(context),
            target if target.is_redundant() => self.redundant(context),
            target => self.selection.reduce(context, |_, _, part| removed(target, &part.body, part.level)),
        }
    }
}

/// Returns what is left of a part, or `None` if it is not a target.
fn removed(target: TargetKind, body: &Body, level: Level) -> Option<Reduced> {
    match (target, body) {
        (TargetKind::Thinking, Body::Thinking { .. }) | (TargetKind::Images, Body::Image { .. }) => {
            Some(Reduced { body: None, level: Level::Masked })
        }
        (TargetKind::Images, Body::ToolResult(result)) => {
            let mut left = result.clone();
            left.attachments.retain(|attachment| !matches!(attachment, Body::Image { .. }));
            let has_images = left.attachments.len() < result.attachments.len();
            has_images.then_some(Reduced { body: Some(Body::ToolResult(left)), level })
        }
        _ => None,
    }
}
