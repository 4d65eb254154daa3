//! Finds the place for an option that is not written yet.

use std::rc::Rc;

use serde_json::{Map, Value as Json, json};
use trimtab_base::diagnostic::TextEdit;
use trimtab_base::source::{Source, Span, line_start, slice, starting_at};
use trimtab_syntax::syntax::yaml::node::{Node, Value};

use super::literal;
use crate::system::syntax::Syntax;

/// The indentation of a level where the file shows none.
const INDENT: &str = "  ";

/// The edit that adds an option.
///
/// # Errors
/// There is no place for it.
pub(super) fn edit(
    source: &Source,
    root: Option<&Rc<Node>>,
    syntax: Syntax,
    key: &str,
    value: &Json,
) -> Result<TextEdit, String> {
    if key.contains('*') {
        return Err(format!("`{key}` has no name that could be written"));
    }
    let steps: Vec<&str> = key.split('.').collect();
    let Some(root) = root.filter(|root| matches!(root.value, Value::Map(_))) else {
        return Ok(TextEdit { span: source.span(), text: whole(source, &steps, value, syntax) });
    };
    let (parent, rest) = deepest(root, &steps);
    match (&parent.value, syntax) {
        (Value::List(items), Syntax::Json) => {
            let element = nested(rest, value, true);
            Ok(after_last(source, &parent, items.last().map(|item| item.span), &literal::value(&element, syntax)))
        }
        (Value::List(_), _) => Err(format!("`{key}` is in a list, which is not added to")),
        (Value::Map(entries), Syntax::Json) => {
            let last = entries.iter().map(|entry| entry.value.span).max_by_key(|span| span.end);
            let (name, value) = first(rest, value);
            let entry = format!("{}: {}", literal::key(&name, syntax), literal::value(&value, syntax));
            Ok(after_last(source, &parent, last, &entry))
        }
        (Value::Map(_), Syntax::Toml) => Ok(toml(source, root, &steps, value)),
        (Value::Map(_), Syntax::Yaml) => yaml(source, &parent, rest, value),
        _ => Err(format!("`{key}` has no place in the file")),
    }
}

/// A new file.
fn whole(source: &Source, steps: &[&str], value: &Json, syntax: Syntax) -> String {
    let comments = source.text();
    match syntax {
        Syntax::Json => format!("{:#}\n", nested(steps, value, false)),
        Syntax::Toml => format!("{comments}{}", toml_lines(steps, value)),
        Syntax::Yaml => {
            let (name, value) = first(steps, value);
            format!("{comments}{}", yaml_lines(&name, &value, ""))
        }
    }
}

/// The deepest value on the way to an option, and the steps that are left.
fn deepest<'s>(root: &Rc<Node>, steps: &'s [&'s str]) -> (Rc<Node>, &'s [&'s str]) {
    let (mut node, mut at) = (Rc::clone(root), 0);
    while let Some(step) = steps.get(at) {
        let (key, kind) = split(step);
        let Some(child) = node.get(key).cloned() else { break };
        let Some(kind) = kind else {
            if !matches!(child.value, Value::Map(_)) {
                break;
            }
            (node, at) = (child, at + 1);
            continue;
        };
        let Value::List(items) = &child.value else { break };
        let is_kind =
            |item: &&Rc<Node>| item.get("type").and_then(|value| value.text()).is_some_and(|text| text == kind);
        match items.iter().find(is_kind) {
            Some(item) => (node, at) = (Rc::clone(item), at + 1),
            None => return (child, &steps[at..]),
        }
    }
    (node, &steps[at..])
}

/// A step as a key and the type of an element.
fn split(step: &str) -> (&str, Option<&str>) {
    match step.strip_suffix(']').and_then(|step| step.split_once('[')) {
        Some((key, kind)) => (key, Some(kind)),
        None => (step, None),
    }
}

/// A value below these steps. `in_list`: the first step is an element of a list.
fn nested(steps: &[&str], value: &Json, in_list: bool) -> Json {
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
fn first(steps: &[&str], value: &Json) -> (String, Json) {
    match nested(steps, value, false) {
        Json::Object(map) => map.into_iter().next().unwrap_or_default(),
        other => (String::new(), other),
    }
}

/// An entry after the last one of a map or list of JSON, on a line of its own if that one is.
fn after_last(source: &Source, parent: &Node, last: Option<Span>, entry: &str) -> TextEdit {
    let text = source.text();
    let Some(last) = last else {
        let at = parent.span.start as usize + 1;
        return TextEdit { span: Span::new(source.id(), at, at), text: format!(" {entry} ") };
    };
    let end = last.end as usize;
    let start = line_start(text, last.start as usize);
    let indent: String = starting_at(text, start).chars().take_while(|char| matches!(char, ' ' | '\t')).collect();
    let is_alone = start > parent.span.start as usize;
    let between = if is_alone { format!(",\n{indent}") } else { ", ".to_owned() };
    TextEdit { span: Span::new(source.id(), end, end), text: format!("{between}{entry}") }
}

/// The lines of an option in TOML: below the header of its table.
fn toml_lines(steps: &[&str], value: &Json) -> String {
    let value = literal::value(value, Syntax::Toml);
    match steps {
        [name] => format!("{} = {value}\n", literal::key(name, Syntax::Toml)),
        [table @ .., name] => {
            let table: Vec<String> = table.iter().map(|step| literal::key(step, Syntax::Toml)).collect();
            format!("[{}]\n{} = {value}\n", table.join("."), literal::key(name, Syntax::Toml))
        }
        [] => String::new(),
    }
}

fn toml(source: &Source, root: &Node, steps: &[&str], value: &Json) -> TextEdit {
    let text = source.text();
    let at = |at: usize, text: String| TextEdit { span: Span::new(source.id(), at, at), text };
    let Some((name, tables)) = steps.split_last() else { return at(text.len(), String::new()) };
    let line = format!("{} = {}\n", literal::key(name, Syntax::Toml), literal::value(value, Syntax::Toml));
    let header =
        text.match_indices('[').map(|(at, _)| at).find(|at| slice(text, line_start(text, *at)..*at).trim().is_empty());
    if tables.is_empty() {
        // Before the first table, whose header would take the key.
        let first =
            root.entries().iter().filter(|entry| header.is_none_or(|header| (entry.key.span.start as usize) < header));
        return match first.map(|entry| entry.value.span.end as usize).max() {
            Some(end) => at(next_line(text, end), with_break(text, next_line(text, end), &line)),
            None => at(0, line),
        };
    }
    let table = tables.iter().try_fold(root, |node, step| node.get(step).map(|node| &**node));
    let Some(table) = table else {
        let blank = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
        return at(text.len(), with_break(text, text.len(), &format!("{blank}{}", toml_lines(steps, value))));
    };
    let is_inline = source.slice(table.span).starts_with('{');
    let last =
        table.entries().iter().map(|entry| entry.value.span).filter(|span| span.end > 0).max_by_key(|span| span.end);
    match last {
        _ if is_inline => after_last(source, table, last, line.trim_end()),
        Some(last) => {
            at(next_line(text, last.end as usize), with_break(text, next_line(text, last.end as usize), &line))
        }
        None => at(
            next_line(text, table.span.end as usize),
            with_break(text, next_line(text, table.span.end as usize), &line),
        ),
    }
}

/// Where the line after this place begins.
fn next_line(text: &str, at: usize) -> usize {
    starting_at(text, at).find('\n').map_or(text.len(), |end| at + end + 1)
}

/// A line that is inserted here, after a line break if the text before has none.
fn with_break(text: &str, at: usize, line: &str) -> String {
    let before = slice(text, 0..at);
    if before.is_empty() || before.ends_with('\n') { line.to_owned() } else { format!("\n{line}") }
}

/// The lines of a value in YAML.
fn yaml_lines(name: &str, value: &Json, indent: &str) -> String {
    let key = literal::key(name, Syntax::Yaml);
    match value {
        Json::Object(map) if !map.is_empty() => {
            let deeper = format!("{indent}{INDENT}");
            let inner: String = map.iter().map(|(name, value)| yaml_lines(name, value, &deeper)).collect();
            format!("{indent}{key}:\n{inner}")
        }
        other => format!("{indent}{key}: {}\n", literal::value(other, Syntax::Yaml)),
    }
}

fn yaml(source: &Source, parent: &Node, rest: &[&str], value: &Json) -> Result<TextEdit, String> {
    let text = source.text();
    let (name, value) = first(rest, value);
    let last = parent.entries().iter().max_by_key(|entry| entry.key.span.start);
    if source.slice(parent.span).starts_with('{') {
        let entry = format!("{}: {}", literal::key(&name, Syntax::Yaml), literal::value(&value, Syntax::Yaml));
        return Ok(after_last(source, parent, last.map(|entry| entry.value.span), &entry));
    }
    let last = last.ok_or("an empty map has no place for an option")?;
    let start = line_start(text, last.key.span.start as usize);
    let indent = " ".repeat(last.key.span.start as usize - start);
    let at = next_line(text, (last.value.span.end as usize).max(last.key.span.end as usize));
    let lines = with_break(text, at, &yaml_lines(&name, &value, &indent));
    Ok(TextEdit { span: Span::new(source.id(), at, at), text: lines })
}
