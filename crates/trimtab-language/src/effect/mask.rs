//! `mask`: replaces old content with a short placeholder.

use trimtab_base::conversation::{Arguments as CallArguments, Body, Entry, Level, Part, shorten};
use trimtab_base::quantity::{Counted, Quantity, Unit};

use super::label::Handle;
use super::latest::KEEP_LATEST;
use super::reduction;
use super::selection::{Reduced, Selection};
use super::{
    Arguments, Effect, EffectContext, EffectKind, EffectOutput, Label, LabelDefault, LabelRole, Operation, Positional,
    Shape, Target, TargetKind, TextSlot,
};

/// How the default placeholder calls a result.
const RESULT: &str = "tool result";
/// The variable for the tool that was called.
const TOOL_VARIABLE: &str = "tool";
/// The variable for the beginning of the old content.
const PREVIEW_VARIABLE: &str = "preview";

/// The length of the default placeholder without its preview, for a tool whose name is one character long.
pub const DEFAULT_PLACEHOLDER_CHARS: usize = 21;

pub(super) const THINKING: Target = Target {
    name: "thinking",
    kind: TargetKind::Thinking,
    summary: "Reasoning, which is removed. Reasoning of the open tool loop is kept.",
};

pub(super) const IMAGES: Target = Target {
    name: "images",
    kind: TargetKind::Images,
    summary: "Images in messages and in tool results. `keep 2 images` keeps just the newest two, and no older one of the same \
              message. Those of the message that began the run are kept.",
};

pub(super) static EFFECT: Effect = Effect {
    name: "mask",
    summary: "Replaces old content with a placeholder and keeps the reasoning and the calls around it. \
              A part is masked only if the placeholder is shorter. Error results are kept.",
    kind: EffectKind::ReplaceContent,
    positional: Positional::Target(&[
        reduction::RESULTS,
        reduction::ARRIVALS,
        reduction::DUPLICATES,
        reduction::SUPERSEDED_READS,
        Target { name: "calls", kind: TargetKind::Calls, summary: "The arguments of tool calls." },
        THINKING,
        IMAGES,
        reduction::USER_MESSAGES,
        reduction::REPLIES,
    ]),
    labels: &[
        &OVER.label,
        &KEEP.label,
        &PREVIEW.label,
        &reduction::EXCEPT.label,
        &reduction::ONLY.label,
        &reduction::ERRORS.label,
        &reduction::INCLUDING.label,
        &KEEP_LATEST.label,
        &reduction::READS.label,
        &reduction::WRITES.label,
        &PLACEHOLDER.label,
        &reduction::DOWN_TO.label,
        &reduction::AT_LEAST.label,
    ],
    variables: &[(TOOL_VARIABLE, reduction::TOOL_MEANING), (PREVIEW_VARIABLE, "the beginning of the old content")],
    examples: &[
        "mask results keep 10 messages preview 80 chars",
        "mask results keep 4 results except [read_file, mcp__*] down_to 50% at_least 5k tokens",
        "mask results including errors placeholder \"[{tool} answered: {preview}]\"",
        "mask thinking keep 2 interactions",
        "mask calls keep 20 messages only [write_file]",
        "mask images keep 1 interaction",
        "mask arrivals over 20k tokens except [read_file]",
        "mask duplicates keep 4 messages",
        "mask user_messages over 4k chars preview 400 chars",
        "mask replies over 2k chars keep 6 interactions",
        "mask superseded_reads keep 2 messages reads [view_file] writes [write_file, apply_edit]",
    ],
    build: |arguments| {
        Box::new(Mask {
            selection: Selection::new(arguments, &KEEP, &OVER),
            preview: PREVIEW.get(arguments),
            placeholder: PLACEHOLDER.get(arguments),
        })
    },
};

static OVER: Handle<Option<Quantity>> = reduction::over(&[
    reduction::RESULTS.name,
    reduction::ARRIVALS.name,
    DUPLICATES,
    SUPERSEDED_READS,
    "calls",
    "thinking",
    reduction::USER_MESSAGES.name,
    reduction::REPLIES.name,
]);
static KEEP: Handle<Quantity> = reduction::keep(
    10,
    Counted::Messages,
    &[
        reduction::RESULTS.name,
        DUPLICATES,
        SUPERSEDED_READS,
        "calls",
        "thinking",
        "images",
        reduction::USER_MESSAGES.name,
        reduction::REPLIES.name,
    ],
);

const DUPLICATES: &str = reduction::DUPLICATES.name;
const SUPERSEDED_READS: &str = reduction::SUPERSEDED_READS.name;

static PREVIEW: Handle<usize> = Handle {
    label: Label {
        default: LabelDefault::Number(80, Unit::Chars),
        role: Some(LabelRole::Preview),
        inert: |arguments| {
            let is_shown = || PLACEHOLDER.get(arguments).is_none_or(|text| text.uses(PREVIEW_VARIABLE));
            no_placeholder(arguments)
                .or_else(|| (!is_shown()).then_some("the placeholder does not contain `{preview}`"))
        },
        ..Label::new("preview", Shape::Quantity(&[Unit::Chars]), "How much of the old content the placeholder shows.")
    },
    read: reduction::count,
};

static PLACEHOLDER: Handle<Option<TextSlot>> = Handle {
    label: Label {
        role: Some(LabelRole::Placeholder),
        inert: no_placeholder,
        ..Label::new(
            "placeholder",
            Shape::Text,
            "The text that replaces the old content, such as `[{tool}: {preview}]`.",
        )
    },
    read: reduction::text,
};

fn no_placeholder(arguments: &Arguments) -> Option<&'static str> {
    match arguments.target_kind() {
        Some(TargetKind::Thinking) => Some("reasoning is removed without a placeholder"),
        Some(TargetKind::Images) => Some("images have a fixed placeholder"),
        _ => None,
    }
}

#[derive(Debug)]
struct Mask {
    selection: Selection,
    preview: usize,
    placeholder: Option<TextSlot>,
}

impl Operation for Mask {
    fn begin(&self, context: &EffectContext<'_>) -> EffectOutput {
        self.selection.reduce(context, |entry, _, Part { body, level }| match (self.selection.filter.target, body) {
            // An image in a result is masked by itself: the text around it keeps its level.
            (TargetKind::Images, Body::ToolResult(_)) => {
                Some(Reduced { body: Some(without_images(body)?), level: *level })
            }
            _ => (!level.is_replaced()).then(|| self.masked(context, entry, body)).flatten(),
        })
    }
}

impl Mask {
    fn masked(&self, context: &EffectContext<'_>, entry: &Entry, body: &Body) -> Option<Reduced> {
        let placeholder = |kind: &str, tool: Option<&str>, text: &str| {
            let preview = shorten(text, self.preview);
            match &self.placeholder {
                Some(slot) => {
                    let tool = tool.unwrap_or(reduction::UNKNOWN_TOOL);
                    context.text(slot, &[(TOOL_VARIABLE, tool), (PREVIEW_VARIABLE, &preview)])
                }
                None => default_placeholder(kind, tool, &preview),
            }
        };
        let body = match (self.selection.filter.target, body) {
            (target, Body::ToolResult(result)) if target.is_of_results() => {
                let mut result = result.clone();
                let tool = entry.tool().map_or(reduction::UNKNOWN_TOOL, |tool| tool.as_str());
                result.text = placeholder(RESULT, Some(tool), &result.text).into();
                result.attachments.clear();
                Some(Body::ToolResult(result))
            }
            (TargetKind::Calls, Body::ToolCall { id, name, arguments: old }) => {
                let text = placeholder("arguments", Some(name), &old.text());
                let arguments = CallArguments::from(serde_json::json!({ "masked": text }));
                Some(Body::ToolCall { id: id.clone(), name: name.clone(), arguments })
            }
            (TargetKind::Thinking, Body::Thinking { .. }) => None,
            (TargetKind::Images, Body::Image { media_type, .. }) => Some(image_placeholder(media_type)),
            (TargetKind::UserMessages, Body::Text(text)) => Some(Body::Text(placeholder("message", None, text).into())),
            (TargetKind::Replies, Body::Text(text)) => Some(Body::Text(placeholder("reply", None, text).into())),
            _ => return None,
        };
        Some(Reduced { body, level: Level::Masked })
    }
}

/// Returns a result with its images replaced by placeholders, or `None` if it has no image.
fn without_images(body: &Body) -> Option<Body> {
    let Body::ToolResult(result) = body else { return None };
    let is_image = |body: &Body| matches!(body, Body::Image { .. });
    result.attachments.iter().any(is_image).then(|| {
        let mut result = result.clone();
        for attachment in &mut result.attachments {
            if let Body::Image { media_type, .. } = attachment {
                *attachment = image_placeholder(media_type);
            }
        }
        Body::ToolResult(result)
    })
}

fn default_placeholder(kind: &str, tool: Option<&str>, preview: &str) -> String {
    match tool {
        Some(tool) => format!("[{kind} for {tool}: {preview}]"),
        None => format!("[{kind}: {preview}]"),
    }
}

fn image_placeholder(media_type: &str) -> Body {
    Body::Text(format!("[image: {media_type}]").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_placeholder_has_the_length_that_is_published() {
        assert_eq!(default_placeholder(RESULT, Some("x"), "").chars().count(), DEFAULT_PLACEHOLDER_CHARS);
    }
}
