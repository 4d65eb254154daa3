//! `inject`: a message is added at the end of the conversation.

use super::{Act, Arguments, Effect, Fallback, Idle, Label, Nature, Scene, Shape, Subject};
use crate::conversation::{Edit, Message, Origin, Role};

pub(super) static EFFECT: Effect = Effect {
    name: "inject",
    summary: "Adds a message at the end of the conversation, behind the results of calls that are still open. \
              With `for step` it is in the coming request only.",
    subject: Subject::Text,
    labels: &[
        Label {
            name: "as",
            shape: Shape::Word(&["user", "system", "assistant"]),
            fallback: Fallback::Word("user"),
            targets: &[],
            summary: "Whose message it is.",
        },
        Label {
            name: "for",
            shape: Shape::Word(&["step"]),
            fallback: Fallback::Absent,
            targets: &[],
            summary: "With `step`, the message is not kept.",
        },
    ],
    names: &[],
    nature: Nature::Edit,
    examples: &[
        "inject \"Stop and think before the next call.\"",
        "inject \"You are at {context.ratio} of the window.\" as system for step",
    ],
    begin,
    finish: None,
};

fn begin(_: &Scene<'_>, arguments: &Arguments) -> Act {
    let role = match arguments.word("as") {
        Some("system") => Role::System,
        Some("assistant") => Role::Assistant,
        _ => Role::User,
    };
    let mut message = Message::text(role, arguments.own_text());
    message.origin = Origin::Injected;
    match arguments.word("for") {
        Some(_) => Act::View(Box::new(message)),
        None => Act::edits(vec![Edit::Append(Box::new(message))], Idle::Refused),
    }
}
