//! Reads the values of a map as a given type. A value of another type is reported and treated as missing.

use std::rc::Rc;

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::{Decimal, whole};
use trimtab_base::source::Spanned;

use super::error;
use super::node::{Node, Value};

/// The entries of a list.
pub(super) fn list<'a>(map: &'a Node, key: &str, findings: &mut Vec<Diagnostic>) -> &'a [Rc<Node>] {
    match map.get(key) {
        Some(node) => match &node.value {
            Value::List(items) => items,
            _ => wrong_type(node, key, "a list", findings).unwrap_or_default(),
        },
        None => &[],
    }
}

/// A map.
pub(super) fn map<'a>(map: &'a Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<&'a Node> {
    let node = map.get(key)?;
    if matches!(node.value, Value::Map(_)) { Some(node) } else { wrong_type(node, key, "a map", findings) }
}

/// A text.
pub(super) fn text(map: &Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<Spanned<SmolStr>> {
    let node = map.get(key)?;
    match node.text() {
        Some(text) => Some(Spanned::new(text.clone(), node.span)),
        None => wrong_type(node, key, "a string", findings),
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
        _ => wrong_type(node, key, "a number", findings),
    }
}

/// A list of strings.
pub(super) fn names(node: &Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<Vec<SmolStr>> {
    let Value::List(items) = &node.value else { return wrong_type(node, key, "a list of strings", findings) };
    let name = |item: &Rc<Node>| match item.text() {
        Some(text) => Some(text.clone()),
        None => wrong_type(item, key, "a list of strings", findings),
    };
    items.iter().map(name).collect()
}

/// A duration in seconds, written as the original system writes it: `1h30m`, `8m30s`, `1.5h`, `500ms`.
pub(super) fn duration(node: &Node, key: &str, findings: &mut Vec<Diagnostic>) -> Option<Spanned<Decimal>> {
    const WANTED: &str = "a duration string, such as \"8m30s\"";
    let Some(text) = node.text() else { return wrong_type(node, key, WANTED, findings) };
    let seconds = seconds(text);
    if seconds.is_none() {
        findings.push(error::out_of_range(node.span, key, WANTED));
    }
    seconds.map(|seconds| Spanned::new(seconds, node.span))
}

/// The seconds of a duration text.
fn seconds(text: &str) -> Option<Decimal> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (Decimal::NEGATIVE_ONE, rest),
        None => (Decimal::ONE, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(Decimal::ZERO);
    }
    let mut sum = (!rest.is_empty()).then_some(Decimal::ZERO)?;
    while !rest.is_empty() {
        let number = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        rest = rest.strip_prefix(number)?;
        let unit = rest.split(|c: char| c.is_ascii_digit() || c == '.').next()?;
        rest = rest.strip_prefix(unit)?;
        let scale = match unit {
            "h" => Decimal::from(3600),
            "m" => Decimal::from(60),
            "s" => Decimal::ONE,
            "ms" => Decimal::new(1, 3),
            "us" | "µs" | "μs" => Decimal::new(1, 6),
            "ns" => Decimal::new(1, 9),
            _ => return None,
        };
        sum = sum.checked_add(Decimal::from_str_exact(number).ok()?.checked_mul(scale)?)?;
    }
    sum.checked_mul(sign)
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

fn wrong_type<T>(node: &Node, key: &str, wanted: &str, findings: &mut Vec<Diagnostic>) -> Option<T> {
    if !node.is_broken() {
        findings.push(error::wrong_value(node.span, key, wanted, node.noun()));
    }
    None
}

/// Reports misspelt keys. Other unknown keys belong to the host and are ignored.
pub(super) fn check_spelling(map: &Node, owner: &str, keys: &[&str], also: &[&str], findings: &mut Vec<Diagnostic>) {
    for entry in map.entries() {
        let word = entry.key.node.as_str();
        if keys.contains(&word) || also.contains(&word) {
            continue;
        }
        if let Some(key) = error::nearest(word, keys.iter().copied()).filter(|key| is_misspelt(word, key)) {
            findings.push(error::unknown_key(&entry.key, owner, Some(key), false));
        }
    }
}

/// Whether a word is so similar to a key that it can hardly be another word, as `actions` and `options` are.
fn is_misspelt(word: &str, key: &str) -> bool {
    const LONG: usize = 10;
    strsim::damerau_levenshtein(word, key) <= if key.len() < LONG { 1 } else { 2 }
}
