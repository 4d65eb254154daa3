//! Changes values of a tree, to see what a settings file with other values would mean.

use std::rc::Rc;

use serde_json::Value as Json;
use smol_str::SmolStr;
use trimtab_base::source::{Span, Spanned};
use trimtab_syntax::syntax::yaml;
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

use super::path::{is_of_type, split};

/// Returns the tree with a value at a path, in place of the first one there, or `None` if the path has no place in the
/// tree. New parts have the span `at`.
pub(in super::super) fn with_value(root: Option<&Rc<Node>>, path: &str, value: &Json, at: Span) -> Option<Rc<Node>> {
    let steps: Vec<&str> = path.split('.').filter(|step| !step.is_empty()).collect();
    put(root, &steps, &node(value, at), at)
}

/// A value as a tree.
fn node(json: &Json, at: Span) -> Rc<Node> {
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => yaml::number(&number.to_string()).unwrap_or(Value::Huge),
        Json::String(text) => Value::Text(text.into()),
        Json::Array(items) => Value::List(items.iter().map(|item| node(item, at)).collect()),
        Json::Object(map) => Value::Map(map.iter().map(|(key, value)| entry(key, node(value, at), at)).collect()),
    };
    Rc::new(Node::branch(value, at))
}

fn entry(key: &str, value: Rc<Node>, at: Span) -> Entry {
    Entry { key: Spanned::new(SmolStr::from(key), at), value }
}

fn put(old: Option<&Rc<Node>>, steps: &[&str], value: &Rc<Node>, at: Span) -> Option<Rc<Node>> {
    let Some((step, rest)) = steps.split_first() else { return Some(Rc::clone(value)) };
    let old = old.filter(|node| !matches!(node.value, Value::Null));
    let mut entries = match old.map(|node| &node.value) {
        None => Vec::new(),
        Some(Value::Map(entries)) => entries.clone(),
        Some(_) => return None,
    };
    let span = old.map_or(at, |node| node.span);
    let (key, kind) = split(step);
    let inner = |old: Option<&Rc<Node>>| match kind {
        None => put(old, rest, value, at),
        Some(kind) => put_in_list(old, kind, rest, value, at),
    };
    if key == "*" {
        let found = entries.iter().enumerate().find_map(|(index, entry)| Some((index, inner(Some(&entry.value))?)));
        let (index, changed) = found?;
        entries[index].value = changed;
    } else if let Some(entry) = entries.iter_mut().rev().find(|entry| entry.key.node == key) {
        entry.value = inner(Some(&entry.value))?;
    } else {
        entries.push(entry(key, inner(None)?, at));
    }
    Some(Rc::new(Node::branch(Value::Map(entries), span)))
}

/// The list with a value in its element of this type, which is added if there is none.
fn put_in_list(old: Option<&Rc<Node>>, kind: &str, rest: &[&str], value: &Rc<Node>, at: Span) -> Option<Rc<Node>> {
    let old = old.filter(|node| !matches!(node.value, Value::Null));
    let mut items = match old.map(|node| &node.value) {
        None => Vec::new(),
        Some(Value::List(items)) => items.clone(),
        Some(_) => return None,
    };
    let new = || node(&serde_json::json!({ "type": kind }), at);
    match items.iter_mut().find(|item| is_of_type(item, kind)) {
        Some(item) => *item = put(Some(item), rest, value, at)?,
        None => items.push(put(Some(&new()), rest, value, at)?),
    }
    Some(Rc::new(Node::branch(Value::List(items), old.map_or(at, |node| node.span))))
}

/// Whether two trees have the same values, wherever they are written and in whichever order a map has its keys.
pub(in super::super) fn has_same_values(first: &Node, second: &Node) -> bool {
    match (&first.value, &second.value) {
        (Value::Null | Value::Broken, Value::Null | Value::Broken) | (Value::Huge, Value::Huge) => true,
        (Value::Bool(first), Value::Bool(second)) => first == second,
        (Value::Number(first), Value::Number(second)) => first == second,
        (Value::Text(first), Value::Text(second)) => first == second,
        (Value::List(first), Value::List(second)) => {
            first.len() == second.len()
                && first.iter().zip(second).all(|(first, second)| has_same_values(first, second))
        }
        (Value::Map(first), Value::Map(second)) => {
            let (first, second) = (sorted(first), sorted(second));
            let is_same = |(first, second): (&&Entry, &&Entry)| {
                first.key.node == second.key.node && has_same_values(&first.value, &second.value)
            };
            first.len() == second.len() && first.iter().zip(&second).all(is_same)
        }
        _ => false,
    }
}

/// The entries by their keys, those of the same key as they are written.
fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by_key(|entry| &entry.key.node);
    sorted
}
