//! TOML values with their spans.

use smol_str::SmolStr;
use toml::Spanned as Located;
use toml::de::{DeTable, DeValue};
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::quantity::{Quantity, Unit};
use trimtab_base::source::{SourceId, Span, Spanned};
use trimtab_syntax::syntax;
use trimtab_syntax::syntax::tree::{ExprKind, Item, Number};

use super::error;

/// A TOML value with its span.
pub(super) type Value<'i> = Located<DeValue<'i>>;

/// Reads values and collects diagnostics.
pub(super) struct Reader {
    pub(super) source: SourceId,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Reader {
    pub(super) fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.source, range.start, range.end)
    }

    /// The entries of a table with one of the known keys; others are reported.
    pub(super) fn table<'v, 'i>(
        &mut self,
        value: &'v Value<'i>,
        what: &str,
        known: &[&'static str],
    ) -> Vec<(&'static str, Span, &'v Value<'i>)> {
        let Some(table) = self.map(value, what) else { return Vec::new() };
        let mut entries = Vec::new();
        for (key, value) in table {
            let span = self.span(key.span());
            match known.iter().find(|name| **name == key.get_ref().as_ref()) {
                Some(name) => entries.push((*name, span, value)),
                None => self.diagnostics.push(error::unknown_key(span, key.get_ref(), what, known)),
            }
        }
        entries
    }

    /// A table with keys of any name.
    pub(super) fn map<'v, 'i>(&mut self, value: &'v Value<'i>, what: &str) -> Option<&'v DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong(value, what, "a table");
        }
        table
    }

    pub(super) fn wrong(&mut self, value: &Value<'_>, what: &str, wanted: &str) {
        let span = self.span(value.span());
        self.diagnostics.push(error::wrong_type(span, what, wanted, value.get_ref().type_str()));
    }

    pub(super) fn text(&mut self, value: &Value<'_>, what: &str) -> Option<Spanned<SmolStr>> {
        let Some(text) = value.get_ref().as_str() else {
            self.wrong(value, what, "a text in quotes");
            return None;
        };
        Some(Spanned::new(text.into(), self.span(value.span())))
    }

    /// A list of texts.
    pub(super) fn texts(&mut self, value: &Value<'_>, what: &str) -> Vec<Spanned<SmolStr>> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(value, what, "a list of texts");
            return Vec::new();
        };
        list.iter().filter_map(|value| self.text(value, what)).collect()
    }

    /// A number with its unit, written as in a policy.
    pub(super) fn quantity(&mut self, value: &Value<'_>, what: &str, unit: Unit) -> Option<Spanned<Quantity>> {
        let span = self.span(value.span());
        let written = match value.get_ref() {
            DeValue::String(text) => quantity(text),
            // Only counts may be written without a unit.
            DeValue::Integer(number) if unit.is_counted() => quantity(number.as_str()),
            _ => None,
        };
        let fits = written.map(|quantity| match quantity.unit {
            Unit::Counted(_) if unit.is_counted() => Quantity { unit, ..quantity },
            _ => quantity,
        });
        match fits {
            Some(quantity) if quantity.unit == unit => Some(Spanned::new(quantity, span)),
            _ => {
                self.diagnostics.push(error::wrong_quantity(span, what, unit, value.get_ref()));
                None
            }
        }
    }

    /// One of several words.
    pub(super) fn choice<T: Copy>(&mut self, value: &Value<'_>, what: &str, words: &[(&'static str, T)]) -> Option<T> {
        let text = self.text(value, what)?;
        let found = words.iter().find(|(word, _)| *word == text.node);
        if found.is_none() {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.diagnostics.push(error::unknown_word(text.span, &text.node, what, &words));
        }
        found.map(|(_, value)| *value)
    }
}

/// Parses a number with its unit as in a policy.
fn quantity(text: &str) -> Option<Quantity> {
    let source = trimtab_base::source::Source::new(SourceId(0), "value", format!("let value = {text}\n"));
    let (file, found) = syntax::parse(&source);
    let [Item::Let(constant)] = file.items.as_slice() else { return None };
    if !found.is_empty() {
        return None;
    }
    let ExprKind::Number(number, unit) = &constant.value.kind else { return None };
    let count = Unit::Counted(trimtab_base::quantity::Counted::Count);
    match (number, unit) {
        (Number::Percent(amount), None) => Some(Quantity::new(*amount, Unit::Share)),
        (Number::Money(amount), None) => Some(Quantity::new(*amount, Unit::Money)),
        (Number::Duration(amount), None) => Some(Quantity::new(*amount, Unit::Duration)),
        (Number::Plain(amount), None) => Some(Quantity::new(*amount, count)),
        (Number::Plain(amount), Some(word)) => Some(Quantity::new(*amount, Unit::from_word(&word.node)?)),
        _ => None,
    }
}
