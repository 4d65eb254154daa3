//! Checks that a fix neither loses a comment nor separates it from its code. Documentation is removed with its item.

use trimtab_base::diagnostic::{Fix, TextEdit};
use trimtab_base::source::{sanitize, slice, starting_at};
use trimtab_syntax::syntax::tree::Comment;

use crate::lint::Subject;

/// Whether a fix keeps all comments next to their code.
pub(crate) fn keeps_comments(subject: &Subject<'_>, fix: &Fix) -> bool {
    let shows_text = |edit: &&TextEdit| !removes_hidden(subject, edit);
    !fix.edits
        .iter()
        .filter(shows_text)
        .any(|edit| loses_comment(subject, fix, edit) || is_removal(edit) && orphans_comment(subject, edit))
}

/// Whether an edit removes only characters that nobody sees.
fn removes_hidden(subject: &Subject<'_>, edit: &TextEdit) -> bool {
    let is_hidden = |char| char != '\n' && sanitize::kind(char).is_some();
    edit.text.is_empty() && subject.text(edit.span).chars().all(is_hidden)
}

fn is_removal(edit: &TextEdit) -> bool {
    edit.text.trim().is_empty() && edit.span.start < edit.span.end
}

/// Whether an edit replaces a comment that the fix does not write again.
fn loses_comment(subject: &Subject<'_>, fix: &Fix, edit: &TextEdit) -> bool {
    let first = subject.comments.partition_point(|comment| comment.span.end <= edit.span.start);
    let inside = subject.comments[first..].iter().take_while(|comment| comment.span.start < edit.span.end);
    // New text mostly has the comments of the old one in their order, so each is looked for after the one before it first.
    let mut rest = edit.text.as_str();
    let mut is_written = |comment: &Comment| {
        let text = subject.text(comment.span);
        match rest.split_once(text) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => fix.edits.iter().any(|edit| edit.text.contains(text)),
        }
    };
    inside.into_iter().any(|comment| !comment.doc && !is_written(comment))
}

/// Whether the comment after removed code, or on the line above it, would lose its code.
fn orphans_comment(subject: &Subject<'_>, edit: &TextEdit) -> bool {
    let text = subject.source.text();
    let (Some(before), Some(after)) = (text.get(..edit.span.start as usize), text.get(edit.span.end as usize..)) else {
        return false;
    };
    let line = subject.source.line_around(before.len()).start;
    let begins_line = starting_at(before, line).trim().is_empty();
    let is_broken = subject.text(edit.span).trim_end().contains('\n');
    if comment_after(subject, edit.span.end) {
        return begins_line || is_broken;
    }
    let takes_line = after.starts_with(['\n', '\r']) || subject.text(edit.span).ends_with('\n');
    begins_line && takes_line && comment_above(subject, line)
}

/// Whether the rest of the line after an offset is a comment.
fn comment_after(subject: &Subject<'_>, at: u32) -> bool {
    let next = subject.comments.partition_point(|comment| comment.span.start < at);
    let between = |comment: &Comment| subject.source.text().get(at as usize..comment.span.start as usize);
    let next = subject.comments.get(next).and_then(between);
    let line = subject.source.line_around(at as usize).end - at as usize;
    next.is_some_and(|between| between.len() <= line && between.trim().is_empty())
}

/// Whether the line before the one that starts here is a comment.
fn comment_above(subject: &Subject<'_>, line: usize) -> bool {
    let text = subject.source.text();
    let Some(above) =
        text.get(..line).map(str::trim_end).filter(|above| slice(text, above.len()..line).matches('\n').count() < 2)
    else {
        return false;
    };
    let last = subject.comments.partition_point(|comment| (comment.span.start as usize) < line);
    let Some(last) = last.checked_sub(1).map(|at| &subject.comments[at]) else { return false };
    let start = last.span.start as usize;
    let alone = slice(text, subject.source.line_around(start).start..start).trim().is_empty();
    !last.doc && alone && last.span.end as usize >= above.len()
}
