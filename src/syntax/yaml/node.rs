//! A YAML document as a tree whose every key and value knows its place.

use std::rc::Rc;

use smol_str::SmolStr;

use crate::quantity::Decimal;
use crate::source::Span;
use crate::syntax::tree::Name;

/// A value and where it stands; what an alias names stands at its definition.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) span: Span,
    /// How many values it holds, itself and what its aliases name included.
    pub(super) size: u64,
    /// How many levels it has, itself included.
    pub(super) depth: usize,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool,
    Number(Decimal),
    /// A number that is infinite, not a number, or beyond what a decimal holds.
    Huge,
    Text(SmolStr),
    List(Vec<Rc<Node>>),
    Map(Vec<Entry>),
    /// Something that has been reported already.
    Broken,
}

/// A key with its value. Keys are unique in a map; those of merged maps come last.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Name,
    pub(super) value: Rc<Node>,
}

impl Node {
    /// A value that holds no others.
    pub(super) fn leaf(value: Value, span: Span) -> Self {
        Self { value, span, size: 1, depth: 1 }
    }

    /// A value that holds others.
    pub(super) fn branch(value: Value, span: Span) -> Self {
        let (mut size, mut depth) = (1_u64, 0);
        let mut count = |child: &Rc<Self>| {
            size = size.saturating_add(child.size);
            depth = depth.max(child.depth);
        };
        match &value {
            Value::List(children) => children.iter().for_each(&mut count),
            Value::Map(entries) => entries.iter().map(|entry| &entry.value).for_each(&mut count),
            _ => {}
        }
        Self { value, span, size, depth: depth + 1 }
    }

    /// The entries of a map; none when it is something else.
    pub(super) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a key; a value that is left empty is as good as none.
    pub(super) fn get(&self, key: &str) -> Option<&Rc<Self>> {
        let found = self.entries().iter().find(|entry| entry.key.node == key);
        found.map(|entry| &entry.value).filter(|value| !matches!(value.value, Value::Null))
    }

    /// The text, when it is one.
    pub(super) fn text(&self) -> Option<&SmolStr> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, as messages call it.
    pub(super) fn noun(&self) -> &'static str {
        match self.value {
            Value::Null | Value::Broken => "nothing",
            Value::Bool => "a boolean",
            Value::Number(_) | Value::Huge => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// Whether it has been reported already.
    pub(super) const fn is_broken(&self) -> bool {
        matches!(self.value, Value::Broken)
    }
}
