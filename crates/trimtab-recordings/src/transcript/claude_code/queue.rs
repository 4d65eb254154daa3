//! Prompts typed while the model worked.
//!
//! The harness queues them, first in, first out. A prompt that leaves the queue at the end of a turn gets a user record
//! or an attachment. Otherwise the harness sent it to the model together with tool results at the moment it left the
//! queue, and only the record that queued it has the text.

use std::collections::VecDeque;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::line::{Line, LineKind};
use crate::transcript::wire::{self, Content};

/// The queued prompts, each with the index of the line that queued it.
type Queue<'a> = VecDeque<(usize, Content<'a>)>;

/// Moves each prompt without a record of its own to the line with which it left the queue.
pub(super) fn place_queued_prompts(lines: &mut [Line<'_>]) {
    let is_operation = |line: &Line<'_>| line.type_name() == "queue-operation";
    if !lines.iter().any(is_operation) {
        return;
    }
    let mut records = PromptRecords::of(lines);
    let mut queue = Queue::new();
    for (index, line) in lines.iter_mut().enumerate().filter(|(_, line)| is_operation(line)) {
        let content = std::mem::take(&mut line.content);
        match line.operation.as_str() {
            "enqueue" => queue.push_back((index, content)),
            "dequeue" | "remove" => {
                let Some((queued_at, content)) = dequeue(&mut queue, &content) else { continue };
                let text = plain_text(&content);
                if !text.is_empty() && !records.take_after(&text, queued_at) {
                    line.content = content;
                    line.sends_prompt = true;
                }
            }
            // All prompts return to the input field.
            "popAll" => queue.clear(),
            _ => {}
        }
    }
}

/// Removes the prompt with this content from the queue, or the first one if no prompt has it.
fn dequeue<'a>(queue: &mut Queue<'a>, content: &Content<'_>) -> Option<(usize, Content<'a>)> {
    let text = plain_text(content);
    let position = queue.iter().position(|(_, queued)| !text.is_empty() && plain_text(queued) == text);
    queue.remove(position.unwrap_or(0))
}

/// The lines that record a prompt as a user message or an attachment. Each line stands for one queued prompt at most.
struct PromptRecords {
    by_text: HashMap<String, VecDeque<usize>>,
    by_command: HashMap<String, VecDeque<usize>>,
    taken: HashSet<usize>,
}

impl PromptRecords {
    fn of(lines: &[Line<'_>]) -> Self {
        let mut records = Self { by_text: HashMap::new(), by_command: HashMap::new(), taken: HashSet::new() };
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_sidechain.0) {
            let text = match line.kind() {
                LineKind::User => plain_text(&line.message.content),
                LineKind::QueuedPrompt => {
                    line.attachment.as_ref().map_or_else(String::new, |own| plain_text(&own.prompt()))
                }
                _ => continue,
            };
            if let Some(command) = text.split_once("<command-name>").and_then(|(_, rest)| rest.split_once("</")) {
                records.by_command.entry(command.0.trim().to_owned()).or_default().push_back(index);
            }
            records.by_text.entry(text).or_default().push_back(index);
        }
        records
    }

    /// Takes a record of this prompt, or of the slash command that it is, after the line that queued it. Returns
    /// whether there is one.
    fn take_after(&mut self, text: &str, queued_at: usize) -> bool {
        let command = text.split_whitespace().next().filter(|word| word.starts_with('/')).unwrap_or_default();
        let candidates = [self.by_text.get_mut(text), self.by_command.get_mut(command)];
        for indexes in candidates.into_iter().flatten() {
            while let Some(index) = indexes.pop_front() {
                if index > queued_at && self.taken.insert(index) {
                    return true;
                }
            }
        }
        false
    }
}

/// The trimmed text of a message's content.
fn plain_text(content: &Content<'_>) -> String {
    match content {
        Content::Text(text) => text.trim().to_owned(),
        Content::List(pieces) => {
            let texts = pieces.iter().filter_map(|piece| {
                let fields = piece.object::<wire::Fields<'_>>()?;
                fields.get("text")?.text()
            });
            texts.collect::<Vec<_>>().join("\n").trim().to_owned()
        }
        Content::None | Content::Fields(_) => String::new(),
    }
}
