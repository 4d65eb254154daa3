//! `mask`: old content gives way to a short placeholder.

use super::reduction::{self, Reduced};
use super::{Act, Arguments, Effect, Fallback, Label, Nature, Scene, Shape, Subject};
use crate::conversation::{Arguments as CallArguments, Body, Entry, Level, shorten};
use crate::quantity::{Counted, Unit};

pub(super) static EFFECT: Effect = Effect {
    name: "mask",
    summary: "Replaces old content with a placeholder and leaves the reasoning and the calls around it. \
              A part is masked only if the placeholder is shorter; error results stay.",
    subject: Subject::Target(&[
        ("results", "The contents of tool results."),
        ("calls", "The arguments of tool calls."),
        ("thinking", "Reasoning, which is taken out; that of the open tool loop stays."),
        ("images", "Images in messages and in tool results."),
    ]),
    labels: &[
        reduction::keep(10, Counted::Messages),
        Label {
            name: "preview",
            shape: Shape::Quantity(&[Unit::Chars]),
            fallback: Fallback::Number(80, Unit::Chars),
            targets: &[],
            summary: "How much of the old content the placeholder shows.",
        },
        reduction::EXCEPT,
        reduction::ONLY,
        reduction::INCLUDING,
        Label {
            name: "placeholder",
            shape: Shape::Text,
            fallback: Fallback::Absent,
            targets: &[],
            summary: "What stands there instead, such as `[{tool}: {preview}]`.",
        },
        reduction::DOWN_TO,
        reduction::AT_LEAST,
    ],
    names: &[("tool", "the tool that was called"), ("preview", "the first characters of the old content")],
    nature: Nature::Edit,
    examples: &[
        "mask results keep 10 messages preview 80 chars",
        "mask results keep 4 results except [read_file, mcp__*] down_to 50% at_least 5k tokens",
        "mask results including errors placeholder \"[{tool} answered: {preview}]\"",
        "mask thinking keep 2 interactions",
        "mask calls keep 20 messages only [write_file]",
        "mask images keep 1 interaction",
    ],
    begin,
    finish: None,
};

fn begin(scene: &Scene<'_>, arguments: &Arguments) -> Act {
    reduction::reduce(scene, arguments, |entry, body, level| {
        match arguments.target.as_str() {
            // An image in a result is masked by itself: the text around it keeps its level.
            "images" if matches!(body, Body::ToolResult(_)) => {
                Some(Reduced { body: Some(without_images(body)?), level })
            }
            _ => (level != Level::Masked).then(|| masked(entry, body, arguments)).flatten(),
        }
    })
}

fn masked(entry: &Entry, body: &Body, arguments: &Arguments) -> Option<Reduced> {
    let placeholder = |kind: &str, tool: &str, text: &str| {
        let preview = shorten(text, arguments.count("preview"));
        match arguments.template("placeholder") {
            Some(template) => template.fill(&[("tool", tool), ("preview", &preview)]),
            None => format!("[{kind} for {tool}: {preview}]"),
        }
    };
    let body = match (arguments.target.as_str(), body) {
        ("results", Body::ToolResult(result)) => {
            let mut result = result.clone();
            let tool = entry.tool().map_or("unknown", |tool| tool.as_str());
            result.text = placeholder("tool result", tool, &result.text).into();
            result.attachments.clear();
            Some(Body::ToolResult(result))
        }
        ("calls", Body::ToolCall { id, name, arguments: old }) => {
            let text = placeholder("arguments", name, &old.text());
            let arguments = CallArguments::Json(serde_json::json!({ "masked": text }));
            Some(Body::ToolCall { id: id.clone(), name: name.clone(), arguments })
        }
        ("thinking", Body::Thinking { .. }) => None,
        ("images", Body::Image { media_type, .. }) => Some(image_placeholder(media_type)),
        _ => return None,
    };
    Some(Reduced { body, level: Level::Masked })
}

/// A result whose images have given way to placeholders; none when it has no image.
fn without_images(body: &Body) -> Option<Body> {
    let Body::ToolResult(result) = body else { return None };
    let is_image = |one: &Body| matches!(one, Body::Image { .. });
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

fn image_placeholder(media_type: &str) -> Body {
    Body::Text(format!("[image: {media_type}]").into())
}
