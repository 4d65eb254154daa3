//! The errors of reading a request or a reply.

use std::fmt;

use serde_json::Value as Json;

/// The text of an error that a provider describes in JSON: the value itself, or the message in it. Returns `None` if it
/// has neither.
pub fn provider_error(error: &Json) -> Option<&str> {
    error.as_str().or_else(|| error.get("message")?.as_str())
}

/// Why a request or a reply cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestError {
    /// The index of the element of the list, if the error is in one.
    pub element: Option<usize>,
    /// What was expected.
    pub expected: String,
}

impl RequestError {
    /// An error that is in no element.
    pub fn new(expected: impl Into<String>) -> Self {
        Self { element: None, expected: expected.into() }
    }

    pub(super) fn in_element(element: usize, expected: impl Into<String>) -> Self {
        Self { element: Some(element), expected: expected.into() }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            Some(element) => write!(out, "element {element}: expected {}", self.expected),
            None => write!(out, "expected {}", self.expected),
        }
    }
}

impl std::error::Error for RequestError {}
