//! Errors of JavaScript.

use napi::Error;

/// The classes of errors: the `code` of an error names its class.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A policy or a plan is invalid.
    Policy,
    /// The JSON is not a request or a reply in the dialect.
    Request,
    /// A saved session cannot be continued under this policy.
    Restore,
    /// A value of an argument is invalid.
    Value,
    /// A file cannot be read.
    File,
}

impl AsRef<str> for Kind {
    fn as_ref(&self) -> &str {
        match self {
            Self::Policy => "PolicyError",
            Self::Request => "RequestError",
            Self::Restore => "RestoreError",
            Self::Value => "ValueError",
            Self::File => "FileError",
        }
    }
}

/// A result of a function that JavaScript calls.
pub(crate) type Result<T> = std::result::Result<T, Error<Kind>>;

impl Kind {
    /// An error of this class.
    pub(crate) fn error(self, reason: impl ToString) -> Error<Self> {
        Error::new(self, reason.to_string())
    }
}

/// A number of tokens, or of something else that is counted.
pub(crate) fn count(name: &str, value: Option<i64>) -> Result<Option<u64>> {
    let negative = |_| Kind::Value.error(format!("`{name}` is negative"));
    value.map(|value| u64::try_from(value).map_err(negative)).transpose()
}

/// A result as JSON.
pub(crate) fn json(result: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(result).map_err(|error| Kind::Value.error(error))
}
