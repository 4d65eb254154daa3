//! Why a plan cannot be loaded.

use std::error::Error;
use std::fmt;

/// Why a text is not a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanLoadError {
    /// It is not JSON, for this reason.
    NotJson(String),
    /// It has another version of the format.
    UnknownVersion {
        /// The version in the text, as JSON.
        found: String,
        /// The version that can be loaded.
        known: u32,
    },
    /// A value is missing, unknown or wrong.
    Invalid {
        /// Its place, such as `rules[2].do[0].labels.keep`; empty for the whole text.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// The hash is not that of the plan: the text was changed.
    WrongHash {
        /// The hash in the text.
        recorded: String,
        /// The hash of its plan.
        actual: String,
    },
    /// There are several errors.
    Several(Vec<PlanLoadError>),
}

impl PlanLoadError {
    pub(super) fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid { path: path.into(), message: message.into() }
    }

    /// Fails if there are errors. The same error twice is one error.
    pub(super) fn all(errors: Vec<Self>) -> Result<(), Self> {
        let mut different: Vec<Self> = Vec::new();
        for error in errors {
            if !different.contains(&error) {
                different.push(error);
            }
        }
        match different.pop() {
            None => Ok(()),
            Some(error) if different.is_empty() => Err(error),
            Some(error) => {
                different.push(error);
                Err(Self::Several(different))
            }
        }
    }

    /// Each error, if there are several; else this one.
    pub fn errors(&self) -> &[Self] {
        match self {
            Self::Several(errors) => errors,
            one => std::slice::from_ref(one),
        }
    }

    /// The place of the first error in the JSON, such as `rules[2].do[0].labels.keep`, if it has one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Several(errors) => errors.first()?.path(),
            Self::Invalid { path, .. } => Some(path),
            Self::UnknownVersion { .. } => Some("schema_version"),
            Self::WrongHash { .. } => Some("hash"),
            Self::NotJson(_) => None,
        }
    }
}

impl fmt::Display for PlanLoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(reason) => write!(out, "the plan is not JSON: {reason}"),
            Self::UnknownVersion { found, known } => {
                write!(out, "schema_version: the plan has version {found} of the format; only {known} can be loaded")
            }
            Self::Invalid { path, message } if path.is_empty() => out.write_str(message),
            Self::Invalid { path, message } => write!(out, "{path}: {message}"),
            Self::Several(errors) => {
                for (at, error) in errors.iter().enumerate() {
                    write!(out, "{}{error}", if at > 0 { "\n" } else { "" })?;
                }
                Ok(())
            }
            Self::WrongHash { .. } => out.write_str("hash: the hash does not match the plan; compile the policy again"),
        }
    }
}

impl Error for PlanLoadError {}
