//! The fixer: applies fixes until nothing more can be fixed.
//!
//! It knows no stage: who calls it says what is found in a text.

use super::find;
use crate::diagnostic::{Diagnostic, Fix, Severity, TextEdit};
use crate::source::SourceId;

/// A fix that was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The finding's code.
    pub code: &'static str,
    /// What the fix does.
    pub title: String,
}

/// A text after fixing.
#[derive(Debug)]
pub struct Fixed {
    /// The text.
    pub text: String,
    /// What was done, in order.
    pub applied: Vec<Applied>,
    /// What is left.
    pub left: Vec<Diagnostic>,
}

/// Applies the first fix of each finding where it is safe, or where unsafe ones are wanted too, round by round until
/// nothing changes. A round that would leave as many findings as before, or more errors, is tried fix by fix, and what
/// does not help is left out; so each round lowers the number of findings, and fixing ends.
pub fn settle(text: &str, own: SourceId, unsafe_too: bool, look: &mut dyn FnMut(&str) -> Vec<Diagnostic>) -> Fixed {
    let mut fixed = Fixed { text: text.to_owned(), applied: Vec::new(), left: look(text) };
    loop {
        let wanted = wanted(&fixed.left, own, unsafe_too);
        if wanted.is_empty() || !fixed.take(&wanted, look) && !fixed.take_each(&wanted, look) {
            break;
        }
    }
    fixed
}

type Wanted = (&'static str, Fix);

/// Fixes that can be applied together: those that touch what another changes wait for the next round.
fn wanted(found: &[Diagnostic], own: SourceId, unsafe_too: bool) -> Vec<Wanted> {
    let mut taken: Vec<(u32, u32)> = Vec::new();
    let mut wanted = Vec::new();
    for one in found {
        let Some(fix) = one.fixes.iter().find(|fix| fix.safe || unsafe_too) else { continue };
        let inside = fix.edits.iter().all(|edit| edit.span.source == own) && !fix.edits.is_empty();
        let free = |edit: &TextEdit| taken.iter().all(|&(start, end)| edit.span.end < start || end < edit.span.start);
        if inside && fix.edits.iter().all(free) {
            taken.extend(fix.edits.iter().map(|edit| (edit.span.start, edit.span.end)));
            wanted.push((one.code.id, fix.clone()));
        }
    }
    wanted
}

impl Fixed {
    /// Applies fixes together if that helps.
    fn take(&mut self, wanted: &[Wanted], look: &mut dyn FnMut(&str) -> Vec<Diagnostic>) -> bool {
        let Some(text) = edited(&self.text, wanted) else { return false };
        let left = look(&text);
        if left.len() >= self.left.len() || errors(&left) > errors(&self.left) {
            return false;
        }
        self.applied.extend(wanted.iter().map(|(code, fix)| Applied { code, title: fix.title.clone() }));
        (self.text, self.left) = (text, left);
        true
    }

    /// Applies the first of some fixes that helps by itself.
    fn take_each(&mut self, wanted: &[Wanted], look: &mut dyn FnMut(&str) -> Vec<Diagnostic>) -> bool {
        wanted.len() > 1 && wanted.chunks(1).any(|one| self.take(one, look))
    }
}

fn errors(found: &[Diagnostic]) -> usize {
    // A lint's own errors do not count: where the text no longer passes the checker they are silent.
    found.iter().filter(|one| one.severity == Severity::Error && find(one.code.id).is_none()).count()
}

/// A text with the edits of some fixes made; none when they do not fit it.
fn edited(text: &str, wanted: &[Wanted]) -> Option<String> {
    let mut edits: Vec<&TextEdit> = wanted.iter().flat_map(|(_, fix)| &fix.edits).collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for edit in edits {
        let range = edit.span.range();
        out += text.get(at..range.start)?;
        out += &edit.text;
        at = range.end;
    }
    out += text.get(at..)?;
    Some(out)
}
