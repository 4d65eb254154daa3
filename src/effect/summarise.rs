//! `summarise`: a summary takes the place of the conversation, or of its older part.

use super::summary::{self, AT_MOST, PIN, USING};
use super::{Act, Arguments, Effect, Fallback, Idle, Label, Nature, Scene, Shape, Subject};
use crate::conversation::{Edit, MessageId, Origin};
use crate::quantity::{Counted, Unit};

pub(super) static EFFECT: Effect = Effect {
    name: "summarise",
    summary: "Asks a summariser and puts one user message with the answer in the place of what was summarised. \
              The system prompt stays; when the summary fails, so does everything else.",
    subject: Subject::Target(&[
        ("all", "Everything behind the system prompt, the newest messages too."),
        ("older", "What lies before the kept tail."),
    ]),
    labels: &[
        Label {
            name: "keep",
            shape: Shape::Quantity(&[
                Unit::Counted(Counted::Messages),
                Unit::Counted(Counted::Results),
                Unit::Counted(Counted::Interactions),
            ]),
            fallback: Fallback::Absent,
            targets: &["older"],
            summary: "How much of the tail stays; 10 messages when it is left out.",
        },
        USING,
        AT_MOST,
        PIN,
    ],
    names: &[],
    nature: Nature::Edit,
    examples: &[
        "summarise all at_most 4k tokens",
        "summarise older keep 10 messages at_most 2k tokens pin first_user",
        "summarise older keep 2 interactions",
    ],
    begin,
    finish: Some(finish),
};

/// What `older` keeps when the policy does not say.
const OLDER_KEEPS: usize = 10;

/// The indices of the messages that the summary replaces.
fn replaced(scene: &Scene<'_>, arguments: &Arguments, pins: &[MessageId]) -> Vec<usize> {
    let Some(last) = boundary(scene, arguments).checked_sub(1) else { return Vec::new() };
    scene.conversation.removable(0..=last, pins)
}

/// Where the kept tail begins.
fn boundary(scene: &Scene<'_>, arguments: &Arguments) -> usize {
    let length = scene.conversation.entries().len();
    match (arguments.quantity("keep"), arguments.target.as_str()) {
        (Some(_), _) => arguments.keep().boundary(scene.conversation),
        (None, "older") => length.saturating_sub(OLDER_KEEPS),
        (None, _) => length,
    }
}

fn begin(scene: &Scene<'_>, arguments: &Arguments) -> Act {
    let replaced = replaced(scene, arguments, &summary::pins(scene.conversation, arguments));
    let only_summary = |&at: &usize| scene.conversation.entries()[at].message().origin == Origin::Summary;
    if replaced.iter().all(only_summary) {
        let keeps_all = boundary(scene, arguments) == 0;
        return Act::idle(if keeps_all { Idle::Kept } else { Idle::Nothing(None) });
    }
    Act::Ask(Box::new(summary::request(scene, arguments, &replaced, None)))
}

fn finish(scene: &Scene<'_>, arguments: &Arguments, answer: &str) -> Result<Vec<Edit>, String> {
    let pins = summary::pins(scene.conversation, arguments);
    let replaced = replaced(scene, arguments, &pins);
    let Some(&last) = replaced.last() else { return Ok(Vec::new()) };
    let whole = last + 1 == scene.conversation.entries().len();
    let message = summary::message(scene, arguments, &replaced, answer, Origin::Summary, |text| frame(text, whole))?;
    let messages = replaced.iter().map(|&at| scene.conversation.entries()[at].id()).collect();
    Ok(vec![Edit::Condense { messages, summary: message }])
}

fn frame(text: &str, whole: bool) -> String {
    let closing = if whole {
        "[Go on with the next steps listed above; do not do again what is listed as done.]"
    } else {
        "[The conversation goes on below.]"
    };
    format!("[Conversation compacted: a summary stands for what came before]\n\n{text}\n\n{closing}")
}
