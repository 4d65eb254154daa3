//! Edits that several lints suggest: taking a part of a condition, a clause or an item away.

use super::Subject;
use crate::diagnostic::{Fix, TextEdit};
use crate::source::Span;
use crate::syntax::tree::Expr;

/// The edit that takes a whole item, rule or clause away, with the comments on it and the rest of its lines.
pub(super) fn removal(subject: &Subject<'_>, span: Span) -> TextEdit {
    let text = subject.source.text();
    let (start, end) = (span.start as usize, span.end as usize);
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[end..].find('\n').map_or(text.len(), |length| end + length);
    let alone = text[line..start].trim().is_empty() && text[end..rest].trim().is_empty();
    if !alone {
        // Something else stands on the line: take what separates the two, too.
        let before = text[..start].trim_end_matches([' ', '\t']).len();
        return TextEdit { span: Span::new(span.source, before, end), text: String::new() };
    }
    let first = above(text, line);
    let mut last = (rest + 1).min(text.len());
    let opens = text[..first].trim_end_matches([' ', '\t']).ends_with("\n\n") || first == 0;
    if opens && text[last..].starts_with('\n') {
        last += 1;
    }
    TextEdit { span: Span::new(span.source, first, last), text: String::new() }
}

/// Where the documentation above a line begins.
fn above(text: &str, line: usize) -> usize {
    let mut first = line;
    while first > 0 {
        let before = text[..first - 1].rfind('\n').map_or(0, |at| at + 1);
        if !text[before..first].trim_start().starts_with("#:") {
            break;
        }
        first = before;
    }
    first
}

/// The edit that takes one of several parts of an `and` or `or` away; none when a comment would be lost.
pub(super) fn without_part(subject: &Subject<'_>, parts: &[Expr], at: usize) -> Option<TextEdit> {
    let part = parts.get(at)?.span;
    let span = match (at.checked_sub(1).and_then(|before| parts.get(before)), parts.get(at + 1)) {
        (Some(before), _) => Span { start: before.span.end, ..part },
        (None, Some(next)) => Span { end: next.span.start, ..part },
        (None, None) => return None,
    };
    (!subject.holds_comment(span)).then(|| TextEdit { span, text: String::new() })
}

/// A fix of one edit.
pub(super) fn fix(title: impl Into<String>, safe: bool, edit: TextEdit) -> Fix {
    Fix { title: title.into(), safe, edits: vec![edit] }
}
