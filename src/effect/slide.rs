//! `slide`: three zones, the old one folded into a running summary.

use super::summary::{self, PIN, USING};
use super::trim::{self, MARKER};
use super::{Act, Arguments, Effect, Fallback, Idle, Label, Nature, Scene, Shape, Subject};
use crate::conversation::{Body, Edit, Level, Origin};
use crate::quantity::{Counted, Unit};

pub(super) static EFFECT: Effect = Effect {
    name: "slide",
    summary: "Keeps the newest messages whole, cuts the tool results of those before them, and folds all that is older \
              into one running summary. When the summary fails, everything stays as it was.",
    subject: Subject::None,
    labels: &[
        Label {
            name: "recent",
            shape: Shape::Quantity(&[Unit::Counted(Counted::Messages)]),
            fallback: Fallback::Number(10, Unit::Counted(Counted::Messages)),
            targets: &[],
            summary: "How many of the newest messages stay as they are.",
        },
        Label {
            name: "medium",
            shape: Shape::Quantity(&[Unit::Counted(Counted::Messages)]),
            fallback: Fallback::Number(10, Unit::Counted(Counted::Messages)),
            targets: &[],
            summary: "How many messages before them stay with their tool results cut.",
        },
        Label {
            name: "trim",
            shape: Shape::Quantity(&[Unit::Chars]),
            fallback: Fallback::Number(200, Unit::Chars),
            targets: &[],
            summary: "How much of a tool result stays in the medium zone.",
        },
        USING,
        summary::AT_MOST,
        PIN,
    ],
    names: &[],
    nature: Nature::Edit,
    examples: &["slide recent 10 messages medium 10 messages trim 200 chars", "slide recent 4 messages pin first_user"],
    begin,
    finish: Some(finish),
};

/// Where the zones lie.
struct Zones {
    /// The messages that are folded, without running summaries.
    old: Vec<usize>,
    /// The running summary, wherever another rule has left it. A recording may hold several.
    running: Vec<usize>,
    medium: std::ops::Range<usize>,
}

impl Zones {
    /// Everything that the new running summary replaces.
    fn folded(&self) -> Vec<usize> {
        let mut folded: Vec<usize> = self.old.iter().chain(&self.running).copied().collect();
        folded.sort_unstable();
        folded
    }
}

fn zones(scene: &Scene<'_>, arguments: &Arguments) -> Zones {
    let conversation = scene.conversation;
    let entries = conversation.entries();
    let recent = entries.len().saturating_sub(arguments.count("recent"));
    let cut = conversation.whole_groups_before(recent.saturating_sub(arguments.count("medium")));
    let start = cut.max(conversation.prompt_len()).min(recent);
    let pins = summary::pins(conversation, arguments);
    let folded = cut.checked_sub(1).map(|last| conversation.removable(0..=last, &pins)).unwrap_or_default();
    let is_running = |at: &usize| entries[*at].message().origin == Origin::RunningSummary;
    let old = folded.into_iter().filter(|at| !is_running(at)).collect();
    Zones { old, running: (0..entries.len()).filter(is_running).collect(), medium: start..recent }
}

fn begin(scene: &Scene<'_>, arguments: &Arguments) -> Act {
    let zones = zones(scene, arguments);
    if zones.old.is_empty() {
        let idle = if zones.medium.start == 0 { Idle::Kept } else { Idle::Nothing(None) };
        return Act::edits(medium(scene, arguments, zones.medium), idle);
    }
    let known = zones.running.iter().map(|&at| previous(&scene.conversation.entries()[at].message().plain_text()));
    let known: Vec<String> = known.collect();
    let previous = (!known.is_empty()).then(|| known.join("\n\n"));
    Act::Ask(Box::new(summary::request(scene, arguments, &zones.old, previous)))
}

fn finish(scene: &Scene<'_>, arguments: &Arguments, answer: &str) -> Result<Vec<Edit>, String> {
    let zones = zones(scene, arguments);
    if zones.old.is_empty() {
        return Ok(Vec::new());
    }
    let folded = zones.folded();
    let message = summary::message(scene, arguments, &folded, answer, Origin::RunningSummary, frame)?;
    let messages = folded.iter().map(|&at| scene.conversation.entries()[at].id()).collect();
    let mut edits = medium(scene, arguments, zones.medium);
    edits.push(Edit::Condense { messages, summary: message });
    Ok(edits)
}

const HEADER: &str = "[Context summary: what happened before the messages below]";

fn frame(text: &str) -> String {
    format!("{HEADER}\n\n{text}")
}

/// The summary inside a running summary message.
fn previous(text: &str) -> String {
    text.strip_prefix(HEADER).unwrap_or(text).trim().to_owned()
}

/// The cuts of the medium zone.
fn medium(scene: &Scene<'_>, arguments: &Arguments, zone: std::ops::Range<usize>) -> Vec<Edit> {
    let limit = arguments.count("trim");
    let mut edits = Vec::new();
    for entry in &scene.conversation.entries()[zone] {
        for (part, old) in entry.parts() {
            let Body::ToolResult(result) = &old.body else { continue };
            let Some(new) = trim::cut(result, limit, "tail", MARKER).filter(|_| !result.is_error) else { continue };
            if old.level != Level::Masked && old.level.may_become(new.level) {
                let (message, body, level) = (entry.id(), new.body, new.level);
                edits.push(Edit::Reduce { message, part, body, level, errors: false });
            }
        }
    }
    edits
}
