//! Prompts that were typed while the model worked.
//!
//! The harness queues them, first in, first out. A prompt that leaves the queue becomes a user record or an attachment
//! when the turn is over. When neither follows, it was put into the open loop where it left the queue, and stands only in
//! the record that queued it.

use std::collections::{HashMap, HashSet, VecDeque};

use super::line::{Kind, Line};
use crate::transcript::wire::{self, Content, Words};

/// A prompt in the queue: where it was queued, and its text.
type Waiting<'a> = VecDeque<(usize, Content<'a>)>;

/// Moves the prompts that stand only in the queue to the records with which they left it.
pub(super) fn place(lines: &mut [Line<'_>]) {
    let is_operation = |line: &Line<'_>| line.label() == "queue-operation";
    if !lines.iter().any(is_operation) {
        return;
    }
    let mut recorded = Recorded::of(lines);
    let mut waiting = Waiting::new();
    for (at, line) in lines.iter_mut().enumerate().filter(|(_, line)| is_operation(line)) {
        let content = std::mem::take(&mut line.content);
        match line.operation.word() {
            "enqueue" => waiting.push_back((at, content)),
            "dequeue" | "remove" => {
                let Some((queued, content)) = leaves(&mut waiting, &content) else { continue };
                let text = text(&content);
                if !text.is_empty() && !recorded.follows(&text, queued) {
                    line.content = content;
                    line.is_queued = true;
                }
            }
            // All of them go back to the person.
            "popAll" => waiting.clear(),
            _ => {}
        }
    }
}

/// The prompt that leaves the queue: the one that the record names, else the first.
fn leaves<'a>(waiting: &mut Waiting<'a>, named: &Content<'_>) -> Option<(usize, Content<'a>)> {
    let name = text(named);
    let at = waiting.iter().position(|(_, content)| !name.is_empty() && text(content) == name);
    waiting.remove(at.unwrap_or(0))
}

/// User records and attachments by their text, each to be found once.
struct Recorded {
    by_text: HashMap<String, VecDeque<usize>>,
    commands: HashMap<String, VecDeque<usize>>,
    found: HashSet<usize>,
}

impl Recorded {
    fn of(lines: &[Line<'_>]) -> Self {
        let mut recorded = Self { by_text: HashMap::new(), commands: HashMap::new(), found: HashSet::new() };
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_sidechain.0) {
            let text = match line.kind() {
                Kind::User => text(&line.message.content),
                Kind::Queued => text(&line.attachment.prompt),
                _ => continue,
            };
            if let Some(command) = text.split_once("<command-name>").and_then(|(_, rest)| rest.split_once("</")) {
                recorded.commands.entry(command.0.trim().to_owned()).or_default().push_back(at);
            }
            recorded.by_text.entry(text).or_default().push_back(at);
        }
        recorded
    }

    /// Whether a record with the text of a prompt, or one of the command that it is, comes after this place.
    fn follows(&mut self, text: &str, queued: usize) -> bool {
        let command = text.split_whitespace().next().filter(|word| word.starts_with('/')).unwrap_or_default();
        let places = [self.by_text.get_mut(text), self.commands.get_mut(command)];
        for places in places.into_iter().flatten() {
            while let Some(at) = places.pop_front() {
                if at > queued && self.found.insert(at) {
                    return true;
                }
            }
        }
        false
    }
}

/// The text of a content, without what stands around it.
fn text(content: &Content<'_>) -> String {
    match content {
        Content::Text(text) => text.trim().to_owned(),
        Content::List(pieces) => {
            let texts = pieces.iter().filter_map(|piece| {
                let fields = wire::object::<wire::Fields<'_>>(piece)?;
                wire::parse::<Words>(fields.get("text")?)?.0
            });
            texts.collect::<Vec<_>>().join("\n").trim().to_owned()
        }
        Content::None | Content::Fields(_) => String::new(),
    }
}
