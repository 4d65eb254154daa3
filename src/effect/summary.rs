//! What `summarise` and `slide` share: the request to a summariser, and the making of the summary message.

use std::sync::Arc;

use super::{Arguments, Fallback, Label, Scene, Shape};
use crate::conversation::{Conversation, Entry, Message, MessageId, Origin, Role, render};
use crate::quantity::Unit;
use crate::source::up_to;

/// What a summariser is told when the policy names no prompt.
pub const DEFAULT_PROMPT: &str = "\
You are handing an unfinished job to a colleague who sees only what you write now. Condense the record below.
Use these headings, in this order, and leave none out:
Goal: what was asked for, in the asker's terms, with every constraint that was stated.
Completed work: what is finished, and how that was verified.
Files touched: each path, with what changed in it.
Key decisions: what was settled and the reason, also what was ruled out.
Errors and blockers: what failed, with the exact message, and whether it is solved.
Current state: where things stand at this moment.
Next steps: what to do next, most urgent first.
Keep names, paths, numbers and commands exactly as they are. Invent nothing.";

/// A question to a summariser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRequest {
    /// What the summariser is told to do.
    pub instructions: String,
    /// The summary that this one brings up to date.
    pub previous: Option<String>,
    /// What is to be summarised, as text: one line a part.
    pub transcript: String,
    /// The longest summary that is wanted, in tokens.
    pub at_most: Option<u64>,
}

pub(super) const USING: Label = Label {
    name: "using",
    shape: Shape::Prompt,
    fallback: Fallback::Absent,
    targets: &[],
    summary: "The prompt for the summariser; without it the built-in one with seven headings.",
};

pub(super) const AT_MOST: Label = Label {
    name: "at_most",
    shape: Shape::Quantity(&[Unit::Tokens]),
    fallback: Fallback::Absent,
    targets: &[],
    summary: "The longest summary; a longer answer is cut there.",
};

pub(super) const PIN: Label = Label {
    name: "pin",
    shape: Shape::Words(&["first_user"]),
    fallback: Fallback::Absent,
    targets: &[],
    summary: "Messages that stay: `first_user` is the first message that a person wrote.",
};

/// Asks for a summary of the messages at these indices.
pub(super) fn request(
    scene: &Scene<'_>,
    arguments: &Arguments,
    removed: &[usize],
    previous: Option<String>,
) -> SummaryRequest {
    let entries = scene.conversation.entries();
    SummaryRequest {
        instructions: arguments.template("using").map_or_else(|| DEFAULT_PROMPT.to_owned(), |text| text.fill(&[])),
        previous,
        transcript: render(removed.iter().map(|&at| &entries[at])),
        at_most: arguments.quantity("at_most").map(crate::quantity::Quantity::to_u64),
    }
}

/// The messages that `pin` keeps.
pub(super) fn pins(conversation: &Conversation, arguments: &Arguments) -> Vec<MessageId> {
    let pinned = arguments.names("pin").unwrap_or_default();
    let first = conversation.entries().iter().find(|entry| entry.message().is_person());
    first.filter(|_| pinned.iter().any(|pin| pin == "first_user")).map(Entry::id).into_iter().collect()
}

/// Makes the message that stands for what was summarised.
/// An answer that is empty, or no shorter than what it replaces, is a failure; the reason is given.
pub(super) fn message(
    scene: &Scene<'_>,
    arguments: &Arguments,
    removed: &[usize],
    answer: &str,
    origin: Origin,
    frame: impl FnOnce(&str) -> String,
) -> Result<Box<Message>, String> {
    let answer = capped(scene, arguments, answer.trim());
    if answer.is_empty() {
        return Err("the summary is empty".to_owned());
    }
    let text: Arc<str> = frame(answer).into();
    let (new, old) = (text.chars().count(), scene.conversation.chars(removed));
    if new >= old {
        return Err(format!("the summary has {new} characters, what it would replace has {old}"));
    }
    let mut message = Message::text(Role::User, text);
    message.origin = origin;
    Ok(Box::new(message))
}

/// The answer cut at the cap.
fn capped<'a>(scene: &Scene<'_>, arguments: &Arguments, answer: &'a str) -> &'a str {
    let Some(most) = arguments.quantity("at_most").map(crate::quantity::Quantity::to_u64) else { return answer };
    if scene.counter.text(answer) <= most {
        return answer;
    }
    let ends: Vec<usize> = answer.char_indices().map(|(at, _)| at).collect();
    let fits = ends.partition_point(|&end| scene.counter.text(up_to(answer, end)) <= most);
    up_to(answer, ends[fits.saturating_sub(1)])
}
