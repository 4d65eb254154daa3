//! Why a stored session cannot be continued.

use std::error::Error;
use std::fmt;
use std::io;

use trimtab_run::run::RestoreError;

/// Why a stored session cannot be continued.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The store failed.
    Store(io::Error),
    /// What the store has cannot be continued under this plan.
    Restore(RestoreError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(out, "the stored session cannot be loaded: {error}"),
            Self::Restore(error) => error.fmt(out),
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            Self::Restore(error) => Some(error),
        }
    }
}
