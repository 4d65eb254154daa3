//! The text of a request, which is as long as the conversation and is not copied.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The JSON of a request. Clones share the text.
#[derive(Clone, Default)]
pub struct RequestText(Arc<String>);

impl PartialEq for RequestText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for RequestText {}

impl PartialEq<str> for RequestText {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for RequestText {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<String> for RequestText {
    fn eq(&self, other: &String) -> bool {
        self == other.as_str()
    }
}

impl Deref for RequestText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for RequestText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl AsRef<[u8]> for RequestText {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<String> for RequestText {
    fn from(text: String) -> Self {
        Self(Arc::new(text))
    }
}

impl From<&str> for RequestText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for RequestText {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<&Self> for RequestText {
    fn from(text: &Self) -> Self {
        text.clone()
    }
}

impl From<RequestText> for String {
    fn from(text: RequestText) -> Self {
        Arc::unwrap_or_clone(text.0)
    }
}

impl fmt::Debug for RequestText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl fmt::Display for RequestText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self)
    }
}
