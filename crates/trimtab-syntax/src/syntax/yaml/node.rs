//! A document as a tree with a span for each key and value: of YAML, and of the formats that settings have.

use std::rc::Rc;

use smol_str::SmolStr;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::Span;

use crate::syntax::tree::Name;

/// A value with its span. The span of an aliased value is that of its definition.
#[derive(Debug)]
pub struct Node {
    /// Its kind and content.
    pub value: Value,
    /// Where it is written.
    pub span: Span,
    /// The number of values in it, including itself and aliased values.
    pub(super) size: u64,
    /// The number of levels in it, including itself.
    pub(super) depth: usize,
}

/// The kind and content of a value.
#[derive(Debug)]
pub enum Value {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Decimal),
    /// A number that is infinite, NaN, or too large or precise for a decimal.
    Huge,
    /// A string.
    Text(SmolStr),
    /// Values in order.
    List(Vec<Rc<Node>>),
    /// Keys with values.
    Map(Vec<Entry>),
    /// A value with an error that is already reported.
    Broken,
}

/// A key with its value. The keys of a map are unique; those of merged maps come last.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Name,
    /// Its value.
    pub value: Rc<Node>,
}

impl Node {
    /// A value without values inside.
    pub fn leaf(value: Value, span: Span) -> Self {
        Self { value, span, size: 1, depth: 1 }
    }

    /// A list or a map.
    pub fn branch(value: Value, span: Span) -> Self {
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

    /// The entries of a map; empty if this is not a map.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a key; `None` if the key is missing or its value is null.
    pub fn get(&self, key: &str) -> Option<&Rc<Self>> {
        let found = self.entries().iter().find(|entry| entry.key.node == key);
        found.map(|entry| &entry.value).filter(|value| !matches!(value.value, Value::Null))
    }

    /// The text, if this is a text.
    pub fn text(&self) -> Option<&SmolStr> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A noun for messages.
    pub fn noun(&self) -> &'static str {
        match self.value {
            Value::Null | Value::Broken => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) | Value::Huge => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// Whether it has an error that is already reported.
    pub const fn is_broken(&self) -> bool {
        matches!(self.value, Value::Broken)
    }
}
