//! A place in a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_base::source::Span;

use crate::report::inspection::Inspection;

/// A place in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    #[schemars(range(min = 1))]
    pub line: usize,
    /// The column in characters, from 1.
    #[schemars(range(min = 1))]
    pub column: usize,
}

impl Place {
    /// Returns the beginning of a span, or `None` for values from the settings.
    pub(super) fn of(inspection: &Inspection<'_>, span: Span) -> Option<Self> {
        let source = inspection.sources.get(span.source)?;
        let at = source.position(span.start);
        Some(Self { file: source.name().to_owned(), line: at.line, column: at.column })
    }
}
