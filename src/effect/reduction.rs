//! What `mask` and `trim` share: which parts are eligible, and how many of them are taken.

use smol_str::SmolStr;

use super::{Act, Arguments, Fallback, Label, Scene, Shape};
use crate::conversation::{Body, Edit, Entry, Level};
use crate::quantity::{Counted, Unit, share_of};

/// The units of `keep`.
const KEEPS: &[Unit] =
    &[Unit::Counted(Counted::Messages), Unit::Counted(Counted::Results), Unit::Counted(Counted::Interactions)];

pub(super) const fn keep(count: u32, counted: Counted) -> Label {
    Label {
        name: "keep",
        shape: Shape::Quantity(KEEPS),
        fallback: Fallback::Number(count, Unit::Counted(counted)),
        summary: "How much of the tail stays as it is.",
    }
}

pub(super) const EXCEPT: Label = Label {
    name: "except",
    shape: Shape::Tools,
    fallback: Fallback::Absent,
    summary: "Tools whose calls and results are left alone.",
};

pub(super) const ONLY: Label = Label {
    name: "only",
    shape: Shape::Tools,
    fallback: Fallback::Absent,
    summary: "The only tools whose calls and results are touched.",
};

pub(super) const INCLUDING: Label = Label {
    name: "including",
    shape: Shape::Word(&["errors"]),
    fallback: Fallback::Absent,
    summary: "Touches error results too, which are otherwise left alone.",
};

pub(super) const DOWN_TO: Label = Label {
    name: "down_to",
    shape: Shape::Quantity(&[Unit::Share, Unit::Tokens]),
    fallback: Fallback::Absent,
    summary: "Takes the oldest first and stops when the context is at or below this.",
};

pub(super) const AT_LEAST: Label = Label {
    name: "at_least",
    shape: Shape::Quantity(&[Unit::Tokens]),
    fallback: Fallback::Absent,
    summary: "Does nothing unless this many tokens are saved in all.",
};

/// A new content for one part, and how far the part is reduced by it.
pub(super) struct Reduced {
    pub(super) body: Option<Body>,
    pub(super) level: Level,
}

/// Goes over the parts outside the kept tail, oldest first, and collects what shrinks.
/// `reduce` gives the new content of a part, or none when it is not one of the target's.
pub(super) fn reduce(
    scene: &Scene<'_>,
    arguments: &Arguments,
    reduce: impl Fn(&Entry, &Body, Level) -> Option<Reduced>,
) -> Act {
    let goal = goal(scene, arguments);
    let errors = arguments.word("including") == Some("errors");
    let boundary = boundary(scene, arguments);
    let (mut edits, mut saved, mut settled) = (Vec::new(), 0, scene.settled);
    for (at, entry) in scene.conversation.entries()[..boundary].iter().enumerate().skip(scene.settled) {
        for (part, old) in entry.message().parts.iter().enumerate() {
            if goal.is_some_and(|goal| scene.tokens.saturating_sub(saved) <= goal) {
                return finish(arguments, edits, saved, 0, settled);
            }
            let spared = matches!(&old.body, Body::ToolResult(result) if result.is_error && !errors);
            if spared || !chosen(entry, &old.body, arguments) {
                continue;
            }
            let Some(new) = reduce(entry, &old.body, old.level) else { continue };
            let shrinks = new.body.as_ref().map_or(0, Body::chars) < old.body.chars();
            if shrinks && old.level.may_become(new.level) {
                let after = new.body.as_ref().map_or(0, |body| scene.counter.body(body));
                saved += entry.part_tokens(part, scene.counter).saturating_sub(after);
                edits.push(Edit::Reduce { message: entry.id(), part, body: new.body, level: new.level, errors });
            }
        }
        if edits.is_empty() {
            settled = at + 1;
        }
    }
    let short = goal.map_or(0, |goal| scene.tokens.saturating_sub(saved).saturating_sub(goal));
    finish(arguments, edits, saved, short, settled)
}

/// The index behind the parts that may be touched: the kept tail, and for thinking the open tool loop, stay.
fn boundary(scene: &Scene<'_>, arguments: &Arguments) -> usize {
    let boundary = arguments.keep().boundary(scene.conversation);
    if arguments.target == "thinking" { boundary.min(scene.conversation.loop_start()) } else { boundary }
}

/// The tokens at which `down_to` is reached. A share of an unknown window is no goal.
fn goal(scene: &Scene<'_>, arguments: &Arguments) -> Option<u64> {
    let quantity = arguments.quantity("down_to")?;
    match quantity.unit {
        Unit::Share => Some(share_of(scene.window?, quantity.amount)),
        _ => Some(quantity.to_u64()),
    }
}

fn finish(arguments: &Arguments, edits: Vec<Edit>, saved: u64, short: u64, settled: usize) -> Act {
    let gate = arguments.quantity("at_least").map_or(0, crate::quantity::Quantity::to_u64);
    if saved < gate {
        Act::Edits { edits: Vec::new(), short: 0, settled }
    } else {
        Act::Edits { edits, short, settled }
    }
}

/// Whether the tool of a part is one that the rule touches.
fn chosen(entry: &Entry, body: &Body, arguments: &Arguments) -> bool {
    let tool = match body {
        Body::ToolCall { name, .. } => Some(name),
        Body::ToolResult(_) => entry.tool(),
        _ => return true,
    };
    let listed = |label: &str| arguments.names(label).map(|names| tool.is_some_and(|tool| matches(names, tool)));
    listed("only").unwrap_or(true) && !listed("except").unwrap_or(false)
}

/// Whether a tool is in a list whose names may end in `*`.
fn matches(names: &[SmolStr], tool: &str) -> bool {
    names.iter().any(|name| match name.strip_suffix('*') {
        Some(prefix) => tool.starts_with(prefix),
        None => tool == name,
    })
}
