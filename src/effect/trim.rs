//! `trim`: long old results are cut to a length.

use super::reduction::{self, Reduced};
use super::{Act, Arguments, Effect, Fallback, Label, Nature, Scene, Shape, Subject};
use crate::conversation::{Body, Counter, Level, ToolResult};
use crate::quantity::{Counted, Unit};
use crate::source::{starting_at, up_to};

/// The marker behind a text that was cut; documents and tests of the first system know it.
pub(super) const MARKER: &str = "… [trimmed]";

pub(super) static EFFECT: Effect = Effect {
    name: "trim",
    summary: "Cuts long old tool results to a length and marks the cut. \
              A result is cut only if it gets shorter, marker included; error results stay.",
    subject: Subject::Target(&[("results", "The contents of tool results.")]),
    labels: &[
        Label {
            name: "to",
            shape: Shape::Quantity(&[Unit::Chars, Unit::Tokens]),
            fallback: Fallback::Number(500, Unit::Chars),
            targets: &[],
            summary: "How much of a result stays.",
        },
        Label {
            name: "from",
            shape: Shape::Word(&["tail", "head", "middle"]),
            fallback: Fallback::Word("tail"),
            targets: &[],
            summary: "Where it is cut: `tail` keeps the beginning, `head` the end, `middle` both.",
        },
        reduction::keep(4, Counted::Results),
        reduction::EXCEPT,
        reduction::ONLY,
        reduction::INCLUDING,
        Label {
            name: "placeholder",
            shape: Shape::Text,
            fallback: Fallback::Absent,
            targets: &[],
            summary: "The marker at the cut instead of `… [trimmed]`; `{tool}` is the tool.",
        },
        reduction::DOWN_TO,
        reduction::AT_LEAST,
    ],
    names: &[("tool", "the tool that was called")],
    nature: Nature::Edit,
    examples: &[
        "trim results to 500 chars keep 4 results",
        "trim results to 2k tokens from middle keep 1 interaction only [bash]",
        "trim results to 200 chars from head placeholder \"[cut from {tool}] \" down_to 60%",
    ],
    begin,
    finish: None,
};

fn begin(scene: &Scene<'_>, arguments: &Arguments) -> Act {
    reduction::reduce(scene, arguments, |entry, body, level| {
        let Body::ToolResult(result) = body else { return None };
        if level == Level::Masked {
            return None;
        }
        let limit = limit(arguments, result, scene.counter)?;
        let tool = entry.tool().map_or("unknown", |tool| tool.as_str());
        let marker = arguments.template("placeholder").map(|marker| marker.fill(&[("tool", tool)]));
        let from = arguments.word("from").unwrap_or("tail");
        cut(result, limit, from, marker.as_deref().unwrap_or(MARKER))
    })
}

/// The limit in characters; none when the result lies within it.
fn limit(arguments: &Arguments, result: &ToolResult, counter: &dyn Counter) -> Option<usize> {
    let limit = arguments.count("to");
    if arguments.quantity("to")?.unit == Unit::Chars {
        return Some(limit);
    }
    let wanted = u64::try_from(limit).unwrap_or(u64::MAX);
    (counter.text(&result.text) > wanted).then(|| longest_within(&result.text, wanted, counter))
}

/// The number of characters whose beginning of the text still has at most so many tokens.
fn longest_within(text: &str, tokens: u64, counter: &dyn Counter) -> usize {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    ends.partition_point(|&end| counter.text(up_to(text, end)) <= tokens).saturating_sub(1)
}

/// Cuts a result to a number of characters; none when it would not get shorter.
pub(super) fn cut(result: &ToolResult, limit: usize, from: &str, marker: &str) -> Option<Reduced> {
    if result.text.len() <= limit {
        return None;
    }
    let total = result.text.chars().count();
    if total <= limit.saturating_add(marker.chars().count()) {
        return None;
    }
    let at = |chars: usize| result.text.char_indices().nth(chars).map_or(result.text.len(), |(at, _)| at);
    let text = match from {
        "head" => format!("{marker}{}", starting_at(&result.text, at(total - limit))),
        "middle" => {
            let head = limit.div_ceil(2);
            format!(
                "{}{marker}{}",
                up_to(&result.text, at(head)),
                starting_at(&result.text, at(total - (limit - head)))
            )
        }
        _ => format!("{}{marker}", up_to(&result.text, at(limit))),
    };
    let body = Body::ToolResult(Box::new(ToolResult { text: text.into(), ..result.clone() }));
    Some(Reduced { body: Some(body), level: Level::Trimmed { limit: u32::try_from(limit).unwrap_or(u32::MAX) } })
}
