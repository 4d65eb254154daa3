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
    /// The value that it parses to; none if it is not JSON. Several facts compare the same arguments, so it is parsed once.
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

    /// The JSON value, if it is JSON or parses as JSON.
    pub fn parsed(&self) -> Option<&Json> {
        match self {
            Self::Json(value) => Some(value.as_ref()),
            Self::Text(text) => text.parsed.get_or_init(|| serde_json::from_str(text).ok().map(Arc::new)).as_deref(),
        }
    }
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
