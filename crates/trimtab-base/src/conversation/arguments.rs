//! The arguments of calls.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde_json::Value as Json;

/// The arguments of a call as recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// A string: usually JSON, sometimes invalid JSON or free text.
    Text(ArgumentText),
    /// A JSON value. Indices of calls share it.
    Json(Arc<Json>),
}

/// Arguments that are a string.
#[derive(Clone, Debug)]
pub struct ArgumentText {
    text: Arc<str>,
    /// The value that it parses to, or `None` if it is not JSON. Several facts compare the same arguments, so it is
    /// parsed once.
    parsed: OnceLock<Option<Arc<Json>>>,
}

impl Arguments {
    /// The text that is sent and counted.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            // Faster than through the formatter.
            Self::Json(value) => serde_json::to_string(&**value).unwrap_or_default().into(),
        }
    }

    /// The characters of that text.
    pub fn chars(&self) -> usize {
        match self {
            Self::Text(text) => text.chars().count(),
            Self::Json(value) => json_chars(value),
        }
    }

    /// Whether two calls have the same arguments: equal JSON values if both parse, otherwise equal texts.
    pub fn same(&self, other: &Self) -> bool {
        if let (Self::Text(a), Self::Text(b)) = (self, other)
            && a == b
        {
            return true;
        }
        match (self.parsed(), other.parsed()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.text() == other.text(),
            _ => false,
        }
    }

    /// The JSON value; text that is not JSON is a string.
    pub fn json(&self) -> Cow<'_, Json> {
        self.parsed().map_or_else(|| Cow::Owned(Json::String(self.text().into_owned())), Cow::Borrowed)
    }

    /// The JSON value, if it is JSON or parses as JSON.
    pub fn parsed(&self) -> Option<&Json> {
        match self {
            Self::Json(value) => Some(value.as_ref()),
            Self::Text(text) => text.parsed.get_or_init(|| serde_json::from_str(text).ok().map(Arc::new)).as_deref(),
        }
    }
}

/// The characters of a value written as JSON without white space.
fn json_chars(value: &Json) -> usize {
    // The brackets, and the commas between the items.
    let around = |items: usize| 2 + items.saturating_sub(1);
    match value {
        Json::Null | Json::Bool(true) => 4,
        Json::Bool(false) => 5,
        Json::Number(number) => number.to_string().len(),
        Json::String(text) => string_chars(text),
        Json::Array(items) => around(items.len()) + items.iter().map(json_chars).sum::<usize>(),
        Json::Object(fields) => {
            let field = |(key, value): (&String, &Json)| string_chars(key) + 1 + json_chars(value);
            around(fields.len()) + fields.iter().map(field).sum::<usize>()
        }
    }
}

/// The characters of a string written as JSON: those of the text, quotation marks and escapes.
fn string_chars(text: &str) -> usize {
    let is_escaped = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
    let escapes = text.bytes().filter(is_escaped).count();
    // Control characters without an escape of their own have one of six characters.
    let is_numbered = |byte: &u8| *byte < b' ' && !matches!(byte, 0x08 | b'\t' | b'\n' | 0x0c | b'\r');
    let numbered = if escapes > 0 { text.bytes().filter(is_numbered).count() } else { 0 };
    2 + text.chars().count() + escapes + 4 * numbered
}

impl Deref for ArgumentText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for ArgumentText {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl From<Json> for Arguments {
    fn from(value: Json) -> Self {
        Self::Json(Arc::new(value))
    }
}

impl<T: Into<Arc<str>>> From<T> for ArgumentText {
    fn from(text: T) -> Self {
        Self { text: text.into(), parsed: OnceLock::new() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = Json> {
        let text = r#"[a-zé目😀"\/\x00-\x1f\x7f]{0,8}"#;
        let number = prop_oneof![any::<i64>().prop_map(Json::from), any::<f64>().prop_map(Json::from)];
        let single =
            prop_oneof![Just(Json::Null), any::<bool>().prop_map(Json::from), number, text.prop_map(Json::from)];
        single.prop_recursive(3, 16, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map(text, inner, 0..4).prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_characters_are_those_of_the_text(value in value()) {
            let arguments = Arguments::from(value);
            prop_assert_eq!(arguments.chars(), arguments.text().chars().count(), "{}", arguments.text());
        }
    }
}
