//! Why a fix is rejected.

use std::fmt;

use trimtab_base::diagnostic::{Diagnostic, Severity};

use crate::lint::find;

/// Why a fix is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// It adds a finding: its code and message.
    Adds(&'static str, String),
    /// Its finding remains.
    Keeps,
    /// Its edits do not fit the text.
    DoesNotFit,
    /// The limit of analyses was reached before.
    NotTried,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Adds(code, message) => write!(f, "would add {code}: {message}"),
            Self::Keeps => f.write_str("would not remove the finding"),
            Self::DoesNotFit => f.write_str("does not fit the text"),
            Self::NotTried => f.write_str("was not tried after too many failed attempts; run the command again"),
        }
    }
}

/// Whether a finding is an error of an earlier stage than lints, which do not run while there are errors. Findings of
/// lints do not count, whatever their severity.
pub(super) fn is_error(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error && find(finding.code.id).is_none()
}
