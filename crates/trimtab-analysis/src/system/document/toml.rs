//! Reads TOML.

use std::ops::Range;
use std::rc::Rc;

use smol_str::SmolStr;
use toml::Spanned as Located;
use toml::de::{DeString, DeTable, DeValue};
use trimtab_base::source::{Source, Span, Spanned};
use trimtab_syntax::syntax::yaml;
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

/// The tree.
///
/// # Errors
/// Where the syntax is wrong, and why.
pub(super) fn read(source: &Source) -> Result<Option<Rc<Node>>, (Span, String)> {
    let reader = Reader { source };
    match DeTable::parse(source.text()) {
        Ok(root) => Ok(Some(Rc::new(Node::branch(reader.map(root.get_ref()), reader.span(root.span()))))),
        Err(error) => {
            let span = error.span().map_or(source.span(), |range| reader.span(range));
            Err((span, error.message().lines().next().unwrap_or_default().to_owned()))
        }
    }
}

struct Reader<'s> {
    source: &'s Source,
}

impl Reader<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source.id(), range.start, range.end)
    }

    fn node(&self, located: &Located<DeValue<'_>>) -> Rc<Node> {
        let value = match located.get_ref() {
            DeValue::String(text) => Value::Text(SmolStr::from(text.as_ref())),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Array(items) => Value::List(items.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => self.map(table),
            DeValue::Datetime(_) => Value::Huge,
            DeValue::Integer(_) | DeValue::Float(_) => {
                yaml::number(self.source.slice(self.span(located.span()))).unwrap_or(Value::Huge)
            }
        };
        Rc::new(Node::branch(value, self.span(located.span())))
    }

    /// The entries in the order in which they are written.
    fn map(&self, table: &DeTable<'_>) -> Value {
        let mut entries: Vec<Entry> = table.iter().map(|(key, value)| self.entry(key, value)).collect();
        entries.sort_by_key(|entry| entry.key.span.start);
        Value::Map(entries)
    }

    fn entry(&self, key: &Located<DeString<'_>>, value: &Located<DeValue<'_>>) -> Entry {
        let name = Spanned::new(SmolStr::from(key.get_ref().as_ref()), self.span(key.span()));
        Entry { key: name, value: self.node(value) }
    }
}
