//! Where an option can be added, and the text that adds it.

use std::rc::Rc;

use serde_json::{Map, Value as Json, json};
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, Span, slice, starting_at};
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

use super::literal;
use crate::system::document::{is_of_type, split};
use crate::system::syntax::Syntax;

/// What a new option needs: a value for a key that has none, or a new element or entry.
pub(super) struct Gap<'s> {
    /// The deepest list or map on the way to the option.
    pub(super) parent: Rc<Node>,
    /// The key in it that has no value.
    pub(super) empty: Option<Entry>,
    /// The steps from the parent on.
    pub(super) steps: &'s [&'s str],
}

impl<'s> Gap<'s> {
    pub(super) fn find(root: &Rc<Node>, steps: &'s [&'s str]) -> Self {
        let (mut parent, mut at) = (Rc::clone(root), 0);
        while let Some(step) = steps.get(at) {
            let (key, kind) = split(step);
            let Some(entry) = parent.entries().iter().rev().find(|entry| entry.key.node == key).cloned() else { break };
            let next = match (&entry.value.value, kind) {
                (Value::Null, _) => return Self { parent, empty: Some(entry), steps: &steps[at..] },
                (Value::Map(_), None) => Some(&entry.value),
                (Value::List(items), Some(kind)) => match items.iter().find(|item| is_of_type(item, kind)) {
                    Some(item) => Some(item),
                    None => return Self { parent: Rc::clone(&entry.value), empty: None, steps: &steps[at..] },
                },
                _ => None,
            };
            let Some(next) = next.cloned() else { break };
            (parent, at) = (next, at + 1);
        }
        Self { parent, empty: None, steps: &steps[at..] }
    }

    /// The new element, if the parent is a list.
    pub(super) fn element(&self, value: &Json) -> Option<Json> {
        matches!(self.parent.value, Value::List(_)).then(|| nested(self.steps, value, true))
    }

    /// The new entry, if the parent is a map.
    pub(super) fn entry(&self, value: &Json) -> (String, Json) {
        first(self.steps, value)
    }
}

/// A value below these steps. `in_list`: the first step is an element of a list.
pub(super) fn nested(steps: &[&str], value: &Json, in_list: bool) -> Json {
    let Some((step, rest)) = steps.split_first() else { return value.clone() };
    let (key, kind) = split(step);
    let inner = nested(rest, value, false);
    let Some(kind) = kind else { return json!({ key: inner }) };
    let mut element = Map::from_iter([("type".to_owned(), json!(kind))]);
    if let Json::Object(map) = inner {
        element.extend(map);
    }
    if in_list { Json::Object(element) } else { json!({ key: [element] }) }
}

/// The key of the first step, and the value below it.
pub(super) fn first(steps: &[&str], value: &Json) -> (String, Json) {
    match nested(steps, value, false) {
        Json::Object(map) => map.into_iter().next().unwrap_or_default(),
        other => (String::new(), other),
    }
}

/// An entry after the last one of a map or list in braces, in the same line.
pub(super) fn inline(source: &Source, parent: &Node, entry: &str) -> TextEdit {
    let text = source.text();
    let Some(last) = last(parent) else {
        let at = parent.span.start as usize + 1;
        let padding = if parent.entries().is_empty() && text.as_bytes().get(at - 1) == Some(&b'[') { "" } else { " " };
        return insertion(source, at, format!("{padding}{entry}{padding}"));
    };
    let end = last.end as usize;
    let blank = starting_at(text, end).len() - starting_at(text, end).trim_start().len();
    if starting_at(text, end + blank).starts_with(',') {
        insertion(source, end + blank + 1, format!(" {entry}"))
    } else {
        insertion(source, end, format!(", {entry}"))
    }
}

/// The last value that is written in a map or list.
pub(super) fn last(parent: &Node) -> Option<Span> {
    let inside = |span: &Span| parent.span.start <= span.start && span.end <= parent.span.end;
    let values: Vec<Span> = match &parent.value {
        Value::List(items) => items.iter().map(|item| item.span).collect(),
        _ => parent.entries().iter().map(|entry| entry.value.span).collect(),
    };
    values.into_iter().filter(inside).max_by_key(|span| span.end)
}

pub(super) fn insertion(source: &Source, at: usize, text: String) -> TextEdit {
    TextEdit { span: Span::new(source.id(), at, at), text }
}

/// The line break that a file has.
pub(super) fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if slice(text, 0..at).ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Where the line after this place begins.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    starting_at(text, at).find('\n').map_or(text.len(), |end| at + end + 1)
}

/// Lines that are inserted here with the line breaks of the file, after a line break if the text before has none.
pub(super) fn with_break(text: &str, at: usize, lines: &str) -> String {
    let lines = lines.replace('\n', line_break(text));
    let before = slice(text, 0..at);
    let is_start = before.is_empty() || before.ends_with(['\n', '\u{FEFF}']);
    if is_start { lines } else { format!("{}{lines}", line_break(text)) }
}

/// The text of a key with its value.
pub(super) fn pair(name: &str, value: &Json, syntax: Syntax) -> String {
    let between = if syntax == Syntax::Toml { " = " } else { ": " };
    format!("{}{between}{}", literal::key(name, syntax), literal::value(value, syntax))
}
