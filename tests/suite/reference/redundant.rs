//! Redundant results: duplicates, and reads of files that were read or written again.

use serde_json::Value as Json;

use super::machine::Machine;
use super::message::{Answer, arguments_value};
use super::rule::{Choice, Target};
use super::views::fits;

/// A call with its result, as they arrived.
struct Answered {
    tool: String,
    arguments: Json,
    answer: Answer,
}

/// Which tools read and which write a file.
struct Access<'a>(&'a Choice);

impl Machine<'_> {
    fn answered_at(&self, at: usize) -> Option<Answered> {
        let (tool, arguments) = self.call_of(at)?;
        let answer = self.kept[at].arrived.answer()?;
        let answer = Answer { id: String::new(), ..answer.clone() };
        Some(Answered { tool, arguments: arguments_value(&arguments), answer })
    }

    /// Whether a newer result replaces a result: one that is reduced no further, or that is replaced itself. Every result is
    /// taken for other targets.
    pub(super) fn is_redundant(&self, target: Target, choice: &Choice, at: usize) -> bool {
        let access = Access(choice);
        let depth = |at: usize| self.kept[at].message.parts[0].level.depth();
        let relation = |old: &Answered, new: &Answered| match target {
            Target::Duplicates => is_duplicate(old, new).then_some(false),
            _ => access.supersedes(old, new),
        };
        if !matches!(target, Target::Duplicates | Target::SupersededReads) {
            return true;
        }
        let mut older = at;
        while let Some(old) = self.answered_at(older) {
            let replaces = |new: usize| Some((new, relation(&old, &self.answered_at(new)?)?));
            let Some((newer, is_outdated)) = (older + 1..self.kept.len()).find_map(replaces) else { return false };
            if is_outdated || depth(newer) <= depth(at) {
                return true;
            }
            older = newer;
        }
        false
    }
}

fn is_duplicate(old: &Answered, new: &Answered) -> bool {
    old.tool == new.tool && old.arguments == new.arguments && old.answer == new.answer
}

/// The lines of a read: all of them, some of them, or those that arguments of another meaning select.
#[derive(PartialEq)]
enum Lines<'a> {
    All,
    Some(u64, u64),
    Other(&'a Json),
}

/// The path of a call, and the lines.
fn place(call: &Answered) -> Option<(&str, Lines<'_>)> {
    let trimmed = |path: &'_ str| path.strip_prefix("./").map_or(path.len(), str::len);
    if let Json::String(path) = &call.arguments {
        return Some((&path[path.len() - trimmed(path)..], Lines::All));
    }
    let path = call.arguments["path"].as_str()?;
    let number = |key: &str| call.arguments[key].as_u64();
    let lines = match (number("offset"), number("limit")) {
        (Some(first), Some(count)) => Lines::Some(first, (first + count).saturating_sub(1)),
        _ if call.arguments.as_object()?.len() == 1 => Lines::All,
        _ => Lines::Other(&call.arguments),
    };
    Some((&path[path.len() - trimmed(path)..], lines))
}

fn is_stub(read: &Answered) -> bool {
    read.answer.text.starts_with("The file is unchanged")
}

impl Access<'_> {
    fn reads(&self, tool: &str) -> bool {
        let named = tool == "read_file";
        if self.0.reads.is_empty() { named } else { self.0.reads.iter().any(|one| fits(one, tool)) }
    }

    fn writes(&self, tool: &str) -> bool {
        let named = tool == "write_note";
        if self.0.writes.is_empty() { named } else { self.0.writes.iter().any(|one| fits(one, tool)) }
    }

    /// Whether a later access makes a read redundant; with true if its content is outdated.
    fn supersedes(&self, old: &Answered, new: &Answered) -> Option<bool> {
        let writes = self.writes(&new.tool);
        if !self.reads(&old.tool) || !(writes || self.reads(&new.tool)) || new.answer.is_error {
            return None;
        }
        let ((path, lines), (new_path, new_lines)) = (place(old)?, place(new)?);
        let shown = |one: &Answered| one.answer.text.lines().count() as u64;
        // The last line that a result can contain.
        let last = |one: &Answered, first: u64, asked: u64| {
            let end = (first + shown(one)).saturating_sub(1);
            if one.answer.is_error { asked } else { asked.min(end) }
        };
        let covers = match (&lines, &new_lines) {
            _ if writes => true,
            (old, new) if old == new => true,
            (Lines::Some(first, asked), Lines::All) => last(old, *first, *asked).max(*first) <= shown(new),
            (Lines::Some(first, asked), Lines::Some(new_first, new_asked)) => {
                first >= new_first
                    && *first <= last(new, *new_first, *new_asked).max(*new_first)
                    && last(old, *first, *asked) <= last(new, *new_first, *new_asked)
            }
            _ => false,
        };
        // A result that only stands for the content, by its words or because it is far shorter, repeats nothing.
        let repeats = writes || !is_stub(new) && old.answer.text.len() <= 10 * new.answer.text.len();
        (path == new_path && covers && repeats).then_some(writes)
    }
}
