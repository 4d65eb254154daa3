//! Redundant results as the language documentation defines them: for each result, every later one is looked at.

use serde_json::Value as Json;
use trimtab::conversation::{Conversation, Level, ToolResult};

use super::reducing::Kept;

/// A call with its result, as recorded.
pub(super) struct Answered {
    tool: String,
    /// The arguments as a value; a text that is no JSON as a string.
    arguments: Json,
    result: ToolResult,
}

/// The calls that the results of a conversation answer.
pub(super) fn answered(conversation: &Conversation) -> Vec<Option<Answered>> {
    let entries = conversation.entries();
    let one = |at: usize| {
        let result = entries[at].message().results().next()?;
        let mut calls = entries[..at].iter().rev().flat_map(|entry| entry.message().calls());
        let (_, tool, arguments) = calls.find(|(id, ..)| **id == result.id)?;
        let text = arguments.text().into_owned();
        let arguments = serde_json::from_str(&text).unwrap_or(Json::String(text));
        Some(Answered { tool: tool.to_string(), arguments, result: result.clone() })
    };
    (0..entries.len()).map(one).collect()
}

/// Whether the second result makes the first one redundant; with `true` if the first is outdated.
type Relation = fn(&Answered, &Answered) -> Option<bool>;

/// Whether a result is redundant: a newer one replaces it that is reduced no further, or one that is replaced itself.
pub(super) fn is_redundant(at: usize, messages: &[Kept], calls: &[Option<Answered>], relation: Relation) -> bool {
    let reduced = |at: usize| match messages[at].parts[0].level {
        Level::Whole => 0,
        Level::Trimmed { limit } => 1_000_000 - limit,
        Level::Masked | Level::Offloaded => 1_000_001,
    };
    let mut older = at;
    while let Some(old) = &calls[older] {
        let mut later = older + 1..calls.len();
        let replaces = |new: usize| Some((new, relation(old, calls[new].as_ref()?)?));
        let Some((newer, outdated)) = later.find_map(replaces) else { return false };
        if outdated || reduced(newer) <= reduced(at) {
            return true;
        }
        older = newer;
    }
    false
}

/// Identical calls with identical results.
pub(super) fn duplicates(old: &Answered, new: &Answered) -> Option<bool> {
    let content = |one: &Answered| (one.result.text.clone(), one.result.is_error, one.result.attachments.clone());
    let same = old.tool == new.tool && old.arguments == new.arguments && content(old) == content(new);
    same.then_some(false)
}

/// The lines of a read: all of them, some of them, or those that arguments of an unknown meaning select.
#[derive(PartialEq)]
enum Lines<'a> {
    All,
    From(u64, u64),
    Unknown(&'a Json),
}

/// The path of a call, and the lines.
fn parts(one: &Answered) -> Option<(&str, Lines<'_>)> {
    if let Json::String(path) = &one.arguments {
        return Some((path, Lines::All));
    }
    let path = one.arguments["path"].as_str()?;
    let number = |key: &str| one.arguments[key].as_u64();
    let lines = match (number("offset"), number("limit")) {
        (Some(first), Some(count)) => Lines::From(first, (first + count).saturating_sub(1)),
        _ if one.arguments.as_object()?.len() == 1 => Lines::All,
        _ => Lines::Unknown(&one.arguments),
    };
    Some((path, lines))
}

/// A read of a file, and a later access to it that succeeded.
pub(super) fn supersedes(old: &Answered, new: &Answered) -> Option<bool> {
    let writes = new.tool == "write_note";
    if old.tool != "read_file" || !(writes || new.tool == "read_file") || new.result.is_error {
        return None;
    }
    let ((path, lines), (new_path, new_lines)) = (parts(old)?, parts(new)?);
    let shown = |one: &Answered| one.result.text.lines().count() as u64;
    // The last line that a result can contain.
    let last = |one: &Answered, (first, asked): (u64, u64)| {
        let end = (first + shown(one)).saturating_sub(1);
        if one.result.is_error { asked } else { asked.min(end) }
    };
    let covers = match (&lines, &new_lines) {
        _ if writes => true,
        (old, new) if old == new => true,
        (Lines::From(first, asked), Lines::All) => last(old, (*first, *asked)) <= shown(new),
        (Lines::From(first, asked), Lines::From(new_first, new_asked)) => {
            first >= new_first
                && *first <= last(new, (*new_first, *new_asked)).max(*new_first)
                && last(old, (*first, *asked)) <= last(new, (*new_first, *new_asked))
        }
        _ => false,
    };
    (path == new_path && covers).then_some(writes)
}
