//! The edition, the agent block, and what this version does not do.

use super::suggest;
use crate::diagnostic::{Code, Diagnostic, Severity, nearest};
use crate::source::{SourceId, Span, Spanned};

pub(crate) static EDITION_MISSING: Code = Code {
    id: "E501",
    severity: Severity::Warning,
    title: "no edition",
    why: "`edition 2026` at the top of a file says which rules of the language it was written for, so that it means the \
          same when the language has moved on. Without it the file is read by the newest. A warning.",
    wrong: "policy p {\n  rule a { do notify \"x\" }\n}\n",
    right: "edition 2026\npolicy p {\n  rule a { do notify \"x\" }\n}\n",
};

pub(crate) static EDITION_UNKNOWN: Code = Code {
    id: "E502",
    severity: Severity::Error,
    title: "unknown edition",
    why: "This version knows the edition 2026 only. A file of a later edition may mean something else by the same words.",
    wrong: "edition 2031\n",
    right: "edition 2026\n",
};

pub(crate) static EDITION_PLACE: Code = Code {
    id: "E503",
    severity: Severity::Error,
    title: "edition in the wrong place",
    why: "The edition holds for the whole file, so it stands before everything else, once.",
    wrong: "let busy = 60%\nedition 2026\n",
    right: "edition 2026\nlet busy = 60%\n",
};

pub(crate) static FIELD: Code = Code {
    id: "E504",
    severity: Severity::Error,
    title: "wrong in the agent block",
    why: "The agent block holds `model`, `window`, `reserve`, `overhead` and `tools`, each once with its value.",
    wrong: "edition 2026\nagent { windw 200k tokens }\n",
    right: "edition 2026\nagent { window 200k tokens }\n",
};

pub(crate) static NOT_RUN: Code = Code {
    id: "E505",
    severity: Severity::Warning,
    title: "kept but without effect",
    why: "The policy means the same without it, and this version does nothing with it. A warning.",
    wrong: "edition 2026\nagent { fact load share }\n",
    right: "edition 2026\nagent { window 200k tokens }\n",
};

/// No edition.
pub(crate) fn no_edition(source: SourceId) -> Diagnostic {
    let start = Span::new(source, 0, 0);
    Diagnostic::new(&EDITION_MISSING, start, "this file names no edition", "the edition would stand here")
        .help("write `edition 2026` at the top")
        // Who has the text puts it behind a byte order mark.
        .fix("add `edition 2026`", false, start, "edition 2026\n\n")
}

/// An edition that this version does not know.
pub(crate) fn unknown_edition(year: Spanned<u32>) -> Diagnostic {
    Diagnostic::new(&EDITION_UNKNOWN, year.span, format!("unknown edition `{}`", year.node), "not known here")
        .help("this version knows `edition 2026`; a later one may know more")
        .fix("write `2026`", false, year.span, "2026")
}

/// An edition behind other items.
pub(crate) fn late_edition(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&EDITION_PLACE, span, "the edition stands before everything else", "too late")
        .label(Span { end: first.start, ..first }, "it belongs here")
        .help("move it to the top")
}

/// A second edition.
pub(crate) fn second_edition(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(&EDITION_PLACE, span, "a file has one edition", "the second")
        .label(first, "the first")
        .help("leave one of them out")
        .fix("leave it out", false, span, "")
}

/// A word that the agent block does not know.
pub(crate) fn unknown_field(span: Span, word: &str, fields: &[&str]) -> Diagnostic {
    let finding = Diagnostic::new(&FIELD, span, format!("the agent block knows no `{word}`"), "unknown word");
    suggest(finding, span, nearest(word, fields.iter().copied()), || format!("it knows {}", fields.join(", ")))
}

/// A value without a word before it.
pub(crate) fn stray_value(span: Span, fields: &[&str]) -> Diagnostic {
    Diagnostic::new(&FIELD, span, "this value belongs to nothing", "which one?")
        .help(format!("write one of {} before it", fields.join(", ")))
}

/// A field that is given twice.
pub(crate) fn second_field(span: Span, word: &str, first: Span) -> Diagnostic {
    Diagnostic::new(&FIELD, span, format!("`{word}` is given twice"), "again")
        .label(first, "first given here")
        .help("leave one of them out")
}

/// A field whose value is missing or of the wrong kind.
pub(crate) fn field_takes(span: Span, word: &str, takes: &str, here: &str) -> Diagnostic {
    Diagnostic::new(&FIELD, span, format!("`{word}` takes {takes}"), here).help(format!("write {takes} behind it"))
}

/// Something that has no effect in this version.
pub(crate) fn not_run(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(&NOT_RUN, span, format!("{what} kept but not run by this version"), "has no effect yet")
        .help("nothing has to be done; the policy means the same")
}
