//! Formats policy files.
//!
//! The formatter copies tokens from the source text, replaces the white space between them, and keeps every comment
//! between the same two tokens. It works on the syntax tree and ignores the meaning.

mod comment;
mod document;
mod expression;
mod formatter;
mod item;
mod term;
mod writer;

use std::fmt;

use trimtab_base::diagnostic::{Diagnostic, Severity};
use trimtab_base::source::Source;

use crate::syntax;
use crate::syntax::spans::without_spans;
use crate::syntax::tree::{Comment, File};

/// The line length that the formatter aims at, in columns.
pub const LINE_WIDTH: usize = 100;

/// Why a file was not formatted.
#[derive(Clone, Debug)]
pub enum FormatError {
    /// The file has syntax errors: these, in source order.
    SyntaxErrors(Vec<Diagnostic>),
    /// The formatted text differs from the original in more than white space, which is a bug in the formatter.
    Changed(&'static str),
}

impl fmt::Display for FormatError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SyntaxErrors(diagnostics) => write!(out, "the file has syntax errors ({})", diagnostics.len()),
            Self::Changed(reason) => write!(out, "bug in the formatter: {reason}"),
        }
    }
}

impl std::error::Error for FormatError {}

/// Formats a file without checking the result; regions with syntax errors are copied unchanged. All lines get the line
/// ending of the first line.
pub fn format_unchecked(source: &Source, file: &File, comments: &[Comment]) -> String {
    let text = formatter::Formatter::new(source.text(), comments).file(file);
    let first = source.text().split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { with_crlf(&text) } else { text }
}

/// The text with CRLF line endings.
fn with_crlf(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix('\n') {
        Some(rest) if !rest.ends_with('\r') => format!("{rest}\r\n"),
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// Parses and formats a source, and checks the result.
///
/// # Errors
/// The source has syntax errors, or the result is not equivalent to it.
pub fn format_source(source: &Source) -> Result<String, FormatError> {
    let (file, diagnostics) = syntax::parse(source);
    if has_errors(&diagnostics) {
        return Err(FormatError::SyntaxErrors(diagnostics));
    }
    format_parsed(source, &file, &syntax::comments(source))
}

/// Formats a file that was parsed without errors, and checks that the result has the same tree and the same comments.
///
/// # Errors
/// The result is not equivalent to the source.
pub fn format_parsed(source: &Source, file: &File, comments: &[Comment]) -> Result<String, FormatError> {
    // A byte order mark is for the programs that read the file, not part of the policy.
    let mark = if source.text().starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK } else { "" };
    let text = mark.to_owned() + &format_unchecked(source, file, comments);
    if text == source.text() {
        return Ok(text);
    }
    let again = Source::new(source.id(), source.name(), text.as_str());
    let (tree, diagnostics) = syntax::parse(&again);
    if has_errors(&diagnostics) {
        return Err(FormatError::Changed("the result does not parse"));
    }
    if without_spans(tree) != without_spans(file.clone()) {
        return Err(FormatError::Changed("the result has another meaning"));
    }
    let kept = syntax::comments(&again);
    let texts = |all: &[Comment]| all.iter().map(|comment| (comment.doc, comment.text.clone())).collect::<Vec<_>>();
    if texts(&kept) != texts(comments) {
        return Err(FormatError::Changed("a comment was lost or moved"));
    }
    Ok(text)
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|finding| finding.severity == Severity::Error)
}
