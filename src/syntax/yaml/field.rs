//! Fields of a map by the type that they must have. What is of another type is reported and is as good as none.

use std::rc::Rc;

use smol_str::SmolStr;

use super::error;
use super::node::{Node, Value};
use crate::diagnostic::Diagnostic;
use crate::quantity::{Decimal, whole};
use crate::source::Spanned;

/// The items of a list.
pub(super) fn list<'a>(map: &'a Node, key: &str, findings: &mut Vec<Diagnostic>) -> &'a [Rc<Node>] {
    match map.get(key) {
        Some(node) => match &node.value {
            Value::List(items) => items,
            _ => refuse(node, key, "a list", findings).unwrap_or_default(),
        },
        None => &[],
    }
}

/// A map.
pub(super) fn map<'a>(map: &'a Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<&'a Node> {
    let node = map.get(key)?;
    if matches!(node.value, Value::Map(_)) { Some(node) } else { refuse(node, key, "a map", findings) }
}

/// A text.
pub(super) fn text(map: &Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<Spanned<SmolStr>> {
    let node = map.get(key)?;
    match node.text() {
        Some(text) => Some(Spanned::new(text.clone(), node.span)),
        None => refuse(node, key, "a string", findings),
    }
}

/// A number.
pub(super) fn number(node: &Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<Spanned<Decimal>> {
    match node.value {
        Value::Number(number) => Some(Spanned::new(number, node.span)),
        Value::Huge => {
            findings.push(error::out_of_range(node.span, key, "a finite number of at most 18 digits"));
            None
        }
        _ => refuse(node, key, "a number", findings),
    }
}

/// A window in tokens, zero or more.
pub(super) fn window(node: &Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<Spanned<u64>> {
    let number = number(node, key, findings)?;
    if number.node.is_sign_negative() && !number.node.is_zero() {
        findings.push(error::out_of_range(node.span, key, "0 or more"));
        return None;
    }
    Some(Spanned::new(whole(number.node), node.span))
}

fn refuse<T>(node: &Node, key: &str, wanted: &str, findings: &mut Vec<Diagnostic>) -> Option<T> {
    if !node.is_broken() {
        findings.push(error::wrong_value(node.span, key, wanted, node.noun()));
    }
    None
}

/// Reports keys that look like mistyped ones of those that are read here. All others are the host's.
pub(super) fn near_misses(map: &Node, holder: &str, read: &[&str], also: &[&str], findings: &mut Vec<Diagnostic>) {
    for entry in map.entries() {
        let word = entry.key.node.as_str();
        if read.contains(&word) || also.contains(&word) {
            continue;
        }
        if let Some(meant) = error::meant(word, read.iter().copied()).filter(|meant| is_slip(word, meant)) {
            findings.push(error::unknown_key(&entry.key, holder, Some(meant), false));
        }
    }
}

/// Whether a word is so near to another that it can hardly be one of its own: `actions` is not `options`.
fn is_slip(word: &str, meant: &str) -> bool {
    const LONG: usize = 10;
    strsim::damerau_levenshtein(word, meant) <= if meant.len() < LONG { 1 } else { 2 }
}
