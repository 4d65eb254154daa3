//! Errors about the edition and the `agent` block.

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, nearest};
use trimtab_base::source::{SourceId, Span, Spanned};

use super::suggest;

pub(crate) static EDITION_MISSING: Code = Code::new("E501", Severity::Warning, include_str!("file/E501.md"));
pub(crate) static EDITION_UNKNOWN: Code = Code::new("E502", Severity::Error, include_str!("file/E502.md"));
pub(crate) static EDITION_PLACE: Code = Code::new("E503", Severity::Error, include_str!("file/E503.md"));
pub(crate) static FIELD: Code = Code::new("E504", Severity::Error, include_str!("file/E504.md"));

/// A file without an edition.
pub(crate) fn no_edition(source: SourceId) -> Diagnostic {
    let start = Span::new(source, 0, 0);
    Diagnostic::new(&EDITION_MISSING, start, "this file has no edition", "expected `edition 2026`")
        .help("add `edition 2026` at the top")
        // The caller, who has the text, moves the edit after a byte order mark.
        .fix("add `edition 2026`", false, start, "edition 2026\n\n")
}

/// An edition that this version does not support.
pub(crate) fn unknown_edition(year: Spanned<u32>) -> Diagnostic {
    Diagnostic::new(
        &EDITION_UNKNOWN,
        year.span,
        format!("unknown edition `{}`", year.node),
        "not supported by this version",
    )
    .help("this version supports `edition 2026`; a later version may support more")
    .fix("write `2026`", false, year.span, "2026")
}

/// An edition after other items.
pub(crate) fn late_edition(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&EDITION_PLACE, span, "the edition must come first", "after other items")
        .label(Span { end: first.start, ..first }, "expected here")
        .help("move it to the top")
}

/// A second edition.
pub(crate) fn second_edition(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&EDITION_PLACE, span, "a file has one edition", "second edition")
        .label(first, "first edition")
        .help("remove one of them")
        .fix("remove it", false, span, "")
}

/// An unknown field of the `agent` block.
pub(crate) fn unknown_field(span: Span, word: &str, fields: &[&str]) -> Diagnostic {
    let finding =
        Diagnostic::new(&FIELD, span, format!("unknown field `{word}` in the `agent` block"), "unknown field");
    suggest(finding, span, nearest(word, fields.iter().copied()), || format!("the fields are {}", fields.join(", ")))
}

/// A value without a field name.
pub(crate) fn stray_value(span: Span, fields: &[&str]) -> Diagnostic {
    Diagnostic::new(&FIELD, span, "this value has no field name", "missing field name")
        .help(format!("write the field before it: {}", fields.join(", ")))
}

/// A field that is given twice.
pub(crate) fn second_field(span: Span, word: &str, first: Span) -> Diagnostic {
    Diagnostic::new(&FIELD, span, format!("`{word}` is given twice"), "given again")
        .label(first, "first given here")
        .help("remove one of them")
}

/// A field whose value is missing or has the wrong type.
pub(crate) fn field_takes(span: Span, word: &str, takes: &str, here: &str) -> Diagnostic {
    Diagnostic::new(&FIELD, span, format!("`{word}` takes {takes}"), here).help(format!("write {takes} after it"))
}
