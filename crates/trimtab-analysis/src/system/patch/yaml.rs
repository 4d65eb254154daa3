//! Adds options to YAML.

use serde_json::Value as Json;
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, line_start, slice, starting_at};
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

use super::literal;
use super::place::{Gap, inline, insertion, next_line, pair, with_break};
use crate::system::syntax::Syntax;

/// The indentation of a new level.
const INDENT: &str = "  ";

pub(super) fn candidates(source: &Source, gap: &Gap<'_>, value: &Json) -> Vec<Vec<TextEdit>> {
    let syntax = Syntax::Yaml;
    let (name, entry) = gap.entry(value);
    if let Some(empty) = &gap.empty {
        return vec![vec![filled(source, empty, &literal::value(&entry, syntax))]];
    }
    let parent = &gap.parent;
    let is_flow = source.slice(parent.span).starts_with(['{', '[']);
    match gap.element(value) {
        Some(element) if is_flow => vec![vec![inline(source, parent, &literal::value(&element, syntax))]],
        Some(element) => block(source, parent, |indent| item(&element, indent)),
        None if is_flow => vec![vec![inline(source, parent, &pair(&name, &entry, syntax))]],
        None => block(source, parent, |indent| lines(&name, &entry, indent)),
    }
}

/// A value for a key that has none.
fn filled(source: &Source, empty: &Entry, value: &str) -> TextEdit {
    let span = empty.value.span;
    if span.start < span.end && empty.key.span.end <= span.start {
        return TextEdit { span, text: value.to_owned() };
    }
    let end = empty.key.span.end as usize;
    let colon = starting_at(source.text(), end).find(':').map_or(end, |at| end + at + 1);
    insertion(source, colon, format!(" {value}"))
}

/// Lines after a map or list, or before it.
fn block(source: &Source, parent: &Node, lines: impl Fn(&str) -> String) -> Vec<Vec<TextEdit>> {
    let text = source.text();
    let first = match &parent.value {
        Value::List(items) => items.first().map_or(parent.span, |item| item.span),
        _ => parent.span,
    };
    let start = first.start as usize;
    let before = slice(text, line_start(text, start)..start).trim_start_matches('\u{FEFF}');
    // An element is indented as the sign of the first one, an entry as the first key.
    let width = before.find('-').filter(|_| matches!(parent.value, Value::List(_))).unwrap_or(before.chars().count());
    let indent = " ".repeat(width);
    let lines = lines(&indent);
    let at_line = |at: usize| vec![insertion(source, at, with_break(text, at, &lines))];
    vec![at_line(next_line(text, parent.span.end as usize)), at_line(line_start(text, start))]
}

/// The lines of an element of a list.
fn item(element: &Json, indent: &str) -> String {
    let Json::Object(map) = element else { return format!("{indent}- {}\n", literal::value(element, Syntax::Yaml)) };
    let deeper = format!("{indent}{INDENT}");
    let entries: String = map.iter().map(|(name, value)| lines(name, value, &deeper)).collect();
    format!("{indent}- {}", entries.trim_start())
}

/// The lines of a value.
pub(super) fn lines(name: &str, value: &Json, indent: &str) -> String {
    let deeper = format!("{indent}{INDENT}");
    match value {
        Json::Object(map) if !map.is_empty() => {
            let inner: String = map.iter().map(|(name, value)| lines(name, value, &deeper)).collect();
            format!("{indent}{}:\n{inner}", literal::key(name, Syntax::Yaml))
        }
        Json::Array(items) if items.iter().any(Json::is_object) => {
            let inner: String = items.iter().map(|value| item(value, &deeper)).collect();
            format!("{indent}{}:\n{inner}", literal::key(name, Syntax::Yaml))
        }
        other => format!("{indent}{}\n", pair(name, other, Syntax::Yaml)),
    }
}
