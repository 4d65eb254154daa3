//! The one layout of a policy file.
//!
//! In: a source text with its tree and its comments. Out: the same file laid out anew. Tokens come from the text and
//! comments stay between the tokens they stood between. It knows shapes only, and nothing of what a policy means.

mod bare;
mod document;
mod expression;
mod item;
mod remark;
mod term;
mod walk;
mod write;

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Source;
use crate::syntax;
use crate::syntax::tree::{Comment, File};

/// Columns that a line should not pass.
pub const WIDTH: usize = 100;

/// Why a file is left as it is.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// It has mistakes of shape: these, by place.
    Mistakes(Vec<Diagnostic>),
    /// What was written says something else than what was read: a mistake of the formatter.
    Changed(&'static str),
}

/// Lays a file out, without a look at the result; a file with mistakes comes out as well as it can. Lines end as the
/// first one does.
pub fn format(source: &Source, file: &File, comments: &[Comment]) -> String {
    let text = walk::Walk::new(source.text(), comments).file(file);
    let first = source.text().split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { with_returns(&text) } else { text }
}

/// A text whose lines all end with CR and LF.
fn with_returns(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix('\n') {
        Some(rest) if !rest.ends_with('\r') => format!("{rest}\r\n"),
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Reads a text, lays it out and checks the result.
///
/// # Errors
/// The text has mistakes of shape, or the result is not what was read.
pub fn formatted(source: &Source) -> Result<String, Refusal> {
    let (file, found) = syntax::parse(source);
    if found.iter().any(|one| one.severity == Severity::Error) {
        return Err(Refusal::Mistakes(found));
    }
    checked(source, &file, &syntax::comments(source))
}

/// Lays out a file that was read without an error, reads the result and compares.
///
/// # Errors
/// The result is not what was read.
pub fn checked(source: &Source, file: &File, comments: &[Comment]) -> Result<String, Refusal> {
    let text = format(source, file, comments);
    if text == source.text() {
        return Ok(text);
    }
    let again = Source::new(source.id(), source.name(), text.as_str());
    let (tree, found) = syntax::parse(&again);
    if found.iter().any(|one| one.severity == Severity::Error) {
        return Err(Refusal::Changed("the result does not parse"));
    }
    if bare::file(tree) != bare::file(file.clone()) {
        return Err(Refusal::Changed("the result means something else"));
    }
    let kept = syntax::comments(&again);
    let said = |all: &[Comment]| all.iter().map(|one| (one.doc, one.text.clone())).collect::<Vec<_>>();
    if said(&kept) != said(comments) {
        return Err(Refusal::Changed("a comment is lost or in another place"));
    }
    Ok(text)
}
