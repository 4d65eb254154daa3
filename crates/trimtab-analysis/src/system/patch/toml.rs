//! Adds options to TOML.

use std::rc::Rc;

use serde_json::Value as Json;
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, line_start, slice};
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

use super::literal;
use super::place::{inline, insertion, next_line, pair, with_break};
use crate::system::syntax::Syntax;

/// The edits that add an option: beside its table's other options, below the header of the table, in a table of its own, or
/// before the first table under its full name.
pub(super) fn candidates(source: &Source, root: &Rc<Node>, steps: &[&str], value: &Json) -> Vec<Vec<TextEdit>> {
    let text = source.text();
    let Some((name, tables)) = steps.split_last() else { return Vec::new() };
    let at_line = |at: usize, lines: &str| vec![insertion(source, at, with_break(text, at, lines))];
    let line = format!("{}\n", pair(name, value, Syntax::Toml));
    let full = format!("{} = {}\n", dotted(steps), literal::value(value, Syntax::Toml));
    let mut found = Vec::new();
    if let Some(table) = tables.iter().try_fold(root, |node, step| node.get(step)) {
        if source.slice(table.span).starts_with('{') {
            found.push(vec![inline(source, table, line.trim_end())]);
        }
        let leaves = table.entries().iter().filter(|entry| is_leaf(source, entry));
        if let Some(end) = leaves.map(|entry| entry.value.span.end as usize).max() {
            found.extend([&line, &full].map(|line| at_line(next_line(text, end), line)));
        }
        if !tables.is_empty() {
            found.push(at_line(next_line(text, table.span.start as usize), &line));
        }
    }
    if !tables.is_empty() {
        let blank = if text.is_empty() || text.ends_with("\n\n") || text.ends_with("\n\r\n") { "" } else { "\n" };
        found.push(at_line(text.len(), &format!("{blank}{}", lines(steps, value))));
    }
    found.push(at_line(first_header(text), &full));
    found.push(at_line(text.len() - text.trim_start_matches('\u{FEFF}').len(), &full));
    found
}

/// Whether an entry is written as `KEY = VALUE`, and not as a table with a header.
fn is_leaf(source: &Source, entry: &Entry) -> bool {
    let text = source.slice(entry.value.span);
    match entry.value.value {
        Value::Map(_) => text.starts_with('{'),
        Value::List(_) => !text.starts_with("[["),
        _ => true,
    }
}

/// The start of the line of the first header; else the end.
fn first_header(text: &str) -> usize {
    let starts = text.match_indices('[').map(|(at, _)| (at, line_start(text, at)));
    let header = starts.into_iter().find(|(at, start)| slice(text, *start..*at).trim().is_empty());
    header.map_or(text.len(), |(_, start)| start)
}

/// The lines of an option below the header of its table.
pub(super) fn lines(steps: &[&str], value: &Json) -> String {
    let line = |name: &str| format!("{}\n", pair(name, value, Syntax::Toml));
    match steps {
        [name] => line(name),
        [tables @ .., name] => format!("[{}]\n{}", dotted(tables), line(name)),
        [] => String::new(),
    }
}

fn dotted(steps: &[&str]) -> String {
    steps.iter().map(|step| literal::key(step, Syntax::Toml)).collect::<Vec<_>>().join(".")
}
