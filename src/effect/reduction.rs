//! What `mask` and `trim` share: which parts are eligible, and how many of them are taken.

use std::ops::Range;

use smol_str::SmolStr;

use super::{Act, Arguments, Fallback, Idle, Label, Scene, Searched, Shape, Spared};
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
        targets: &[],
        summary: "How much of the tail stays as it is.",
    }
}

pub(super) const EXCEPT: Label = Label {
    name: "except",
    shape: Shape::Tools,
    fallback: Fallback::Absent,
    targets: &[],
    summary: "Tools whose calls and results are left alone.",
};

pub(super) const ONLY: Label = Label {
    name: "only",
    shape: Shape::Tools,
    fallback: Fallback::Absent,
    targets: &[],
    summary: "The only tools whose calls and results are touched.",
};

pub(super) const INCLUDING: Label = Label {
    name: "including",
    shape: Shape::Word(&["errors"]),
    fallback: Fallback::Absent,
    targets: &[],
    summary: "Touches error results too, which are otherwise left alone.",
};

pub(super) const DOWN_TO: Label = Label {
    name: "down_to",
    shape: Shape::Quantity(&[Unit::Share, Unit::Tokens]),
    fallback: Fallback::Absent,
    targets: &[],
    summary: "Takes the oldest first and stops when the context is at or below this.",
};

pub(super) const AT_LEAST: Label = Label {
    name: "at_least",
    shape: Shape::Quantity(&[Unit::Tokens]),
    fallback: Fallback::Absent,
    targets: &[],
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
    let goal = match goal(scene, arguments) {
        Ok(goal) => goal,
        Err(idle) => {
            let searched = Searched { settled: scene.searched.settled, ..Searched::default() };
            return Act::Edits { edits: Vec::new(), short: 0, searched, idle };
        }
    };
    let boundary = boundary(scene, arguments);
    let known = scene.searched;
    let held_back = |saved: i128, searched: Searched| {
        let wanted = gate(arguments).filter(|gate| saved < i128::from(*gate))?;
        let idle = Idle::TooLittle { saved: u64::try_from(saved).unwrap_or(0), wanted };
        Some(Act::Edits { edits: Vec::new(), short: 0, searched, idle })
    };
    // What was below the gate is counted on from where it ended. Only when it is reached are the edits collected.
    if goal.is_none() && known.gated > known.settled && known.gated <= boundary {
        let more = search(scene, arguments, None, known.gated..boundary, &reduce);
        let saving = known.saving + more.saved;
        if let Some(act) = held_back(saving, Searched { gated: boundary, saving, ..known }) {
            return act;
        }
    }
    let Search { edits, saved, settled, short } = search(scene, arguments, goal, known.settled..boundary, &reduce);
    let searched = Searched { settled, ..Searched::default() };
    if edits.is_empty() {
        let idle = if boundary == 0 {
            Idle::Kept
        } else {
            Idle::Nothing(scene.explain.then(|| spared(scene, arguments, boundary)))
        };
        return Act::Edits { edits, short: 0, searched, idle };
    }
    let gated = if goal.is_none() { Searched { gated: boundary, saving: saved, ..searched } } else { searched };
    let idle = Idle::Kept;
    held_back(saved, gated).unwrap_or(Act::Edits { edits, short, searched, idle })
}

/// What a search came to.
struct Search {
    edits: Vec<Edit>,
    /// Tokens that the edits save.
    saved: i128,
    settled: usize,
    /// Tokens by which the goal is missed.
    short: u64,
}

/// Collects the edits of a stretch of messages, until the context is down to the goal.
fn search(
    scene: &Scene<'_>,
    arguments: &Arguments,
    goal: Option<u64>,
    stretch: Range<usize>,
    reduce: &impl Fn(&Entry, &Body, Level) -> Option<Reduced>,
) -> Search {
    let errors = arguments.word("including") == Some("errors");
    let (mut edits, mut saved, mut settled) = (Vec::new(), 0i128, stretch.start);
    let left = |saved: i128| u64::try_from((i128::from(scene.tokens) - saved).max(0)).unwrap_or(u64::MAX);
    for (at, entry) in scene.conversation.entries()[..stretch.end].iter().enumerate().skip(stretch.start) {
        for (part, old) in entry.parts() {
            if goal.is_some_and(|goal| left(saved) <= goal) {
                return Search { edits, saved, settled, short: 0 };
            }
            if !chosen(entry, &old.body, arguments) {
                continue;
            }
            let Some(Reduced { body, level }) = reduce(entry, &old.body, old.level) else { continue };
            // What would not be carried out saves nothing.
            if scene.conversation.may_reduce(at, part, body.as_ref(), level, errors) {
                let after = body.as_ref().map_or(0, |body| scene.counter.body(body));
                saved += i128::from(entry.part_tokens(part, scene.counter)) - i128::from(after);
                edits.push(Edit::Reduce { message: entry.id(), part, body, level, errors });
            }
        }
        if edits.is_empty() {
            settled = at + 1;
        }
    }
    let short = goal.map_or(0, |goal| left(saved).saturating_sub(goal));
    Search { edits, saved, settled, short }
}

/// What is left as it is in front of the kept tail, by the reason.
fn spared(scene: &Scene<'_>, arguments: &Arguments, boundary: usize) -> Spared {
    let mut spared = Spared::default();
    let errors = arguments.word("including") == Some("errors");
    for entry in &scene.conversation.entries()[..boundary] {
        for (_, part) in entry.parts().filter(|(_, part)| is_target(&arguments.target, &part.body)) {
            let is_error = matches!(&part.body, Body::ToolResult(result) if result.is_error);
            let reason = if !chosen(entry, &part.body, arguments) {
                &mut spared.tools
            } else if is_error && !errors {
                &mut spared.errors
            } else if part.level == Level::Whole {
                &mut spared.short
            } else {
                &mut spared.reduced
            };
            *reason += 1;
        }
    }
    spared
}

/// Whether a part is of a kind that a target names.
fn is_target(target: &str, body: &Body) -> bool {
    match body {
        Body::ToolResult(result) => {
            target == "results" || target == "images" && result.attachments.iter().any(|one| is_target(target, one))
        }
        Body::ToolCall { .. } => target == "calls",
        Body::Thinking { .. } => target == "thinking",
        Body::Image { .. } => target == "images",
        _ => false,
    }
}

/// The index behind the parts that may be touched: the kept tail stays, and the thinking of the open tool loop. That
/// loop closes later, so a search must not go past its start.
fn boundary(scene: &Scene<'_>, arguments: &Arguments) -> usize {
    let boundary = arguments.keep().boundary(scene.conversation);
    if arguments.target == "thinking" { boundary.min(scene.conversation.loop_start()) } else { boundary }
}

/// The tokens at which `down_to` is reached; why there is nothing to do when it is reached, or a share of an unknown
/// window.
fn goal(scene: &Scene<'_>, arguments: &Arguments) -> Result<Option<u64>, Idle> {
    let Some(quantity) = arguments.quantity("down_to") else { return Ok(None) };
    let goal = match quantity.unit {
        Unit::Share => share_of(scene.window.ok_or(Idle::NoWindow)?, quantity.amount),
        _ => quantity.to_u64(),
    };
    if scene.tokens <= goal { Err(Idle::AtGoal { tokens: scene.tokens, goal }) } else { Ok(Some(goal)) }
}

/// The tokens that must be saved for anything to be done. Without the label a part is replaced whenever it gets shorter,
/// although a counter may find more tokens in it.
fn gate(arguments: &Arguments) -> Option<u64> {
    arguments.quantity("at_least").map(crate::quantity::Quantity::to_u64)
}

/// Whether the tool of a part is one that the rule touches.
fn chosen(entry: &Entry, body: &Body, arguments: &Arguments) -> bool {
    let tool = match body {
        Body::ToolCall { name, .. } => Some(name),
        Body::ToolResult(_) => entry.tool(),
        Body::Image { .. } => None,
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
