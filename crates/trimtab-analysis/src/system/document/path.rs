//! Finds values by their paths.

use std::rc::Rc;

use trimtab_base::source::Span;
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

/// A value and its key.
#[derive(Clone, Debug)]
pub(in super::super) struct KeyedValue {
    /// The key; the value itself if it stands in a list.
    pub(in super::super) key: Span,
    /// The value, which is not null.
    pub(in super::super) node: Rc<Node>,
}

/// The values at a path, in the order in which they are written. Several can be there if it has a `*` or a `[TYPE]`.
pub(in super::super) fn find(root: &Rc<Node>, path: &str) -> Vec<KeyedValue> {
    let mut places = vec![KeyedValue { key: root.span, node: Rc::clone(root) }];
    for step in path.split('.').filter(|step| !step.is_empty()) {
        places = places.iter().flat_map(|place| children(&place.node, step)).collect();
    }
    places.retain(|place| !matches!(place.node.value, Value::Null));
    places
}

/// The maps at the path of a section.
pub(in super::super) fn sections(root: &Rc<Node>, path: &str) -> Vec<Rc<Node>> {
    let maps = find(root, path).into_iter().map(|place| place.node);
    maps.filter(|node| matches!(node.value, Value::Map(_))).collect()
}

/// The values at a step below a value.
pub(in super::super) fn children(node: &Node, step: &str) -> Vec<KeyedValue> {
    let (key, kind) = split(step);
    let fits = |entry: &&Entry| key == "*" || entry.key.node == key;
    // A key that is written twice in JSON has its last value.
    let mut entries: Vec<&Entry> = node.entries().iter().filter(fits).collect();
    if key != "*" {
        entries = entries.pop().into_iter().collect();
    }
    let place = |entry: &Entry| KeyedValue { key: entry.key.span, node: Rc::clone(&entry.value) };
    match kind {
        None => entries.into_iter().map(place).collect(),
        Some(kind) => entries.into_iter().flat_map(|entry| elements(&entry.value, kind)).collect(),
    }
}

/// The elements of a list with this `type`.
fn elements(list: &Node, kind: &str) -> Vec<KeyedValue> {
    let Value::List(nodes) = &list.value else { return Vec::new() };
    let place = |node: &Rc<Node>| KeyedValue { key: node.span, node: Rc::clone(node) };
    nodes.iter().filter(|node| is_of_type(node, kind)).map(place).collect()
}

/// A step as a key and the type of an element.
pub(in super::super) fn split(step: &str) -> (&str, Option<&str>) {
    match step.strip_suffix(']').and_then(|step| step.split_once('[')) {
        Some((key, kind)) => (key, Some(kind)),
        None => (step, None),
    }
}

/// Whether an element of a list has this `type`.
pub(in super::super) fn is_of_type(element: &Node, kind: &str) -> bool {
    element.get("type").and_then(|value| value.text()).is_some_and(|text| text == kind)
}
