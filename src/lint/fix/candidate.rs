//! Fixes that may be made, and which of them may be made together.

use super::judge::Why;
use super::stretch::Stretches;
use super::{AppliedFix, RejectedFix};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::lint::find;
use crate::source::{SourceId, Span};

/// What tells a fix from the others of the same text.
pub(super) type Key = (&'static str, u32, String);

/// A fix with what must be known of its finding.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    code: &'static str,
    message: String,
    /// Where the finding stands, and what else it speaks of.
    spans: Vec<Span>,
    pub(super) fix: Fix,
    /// Whether the finding is an error of a stage.
    pub(super) is_error: bool,
}

/// Whether a finding is an error of a stage. A lint's own errors do not count: where the text no longer passes the
/// checker they are silent.
pub(super) fn is_error(one: &Diagnostic) -> bool {
    one.severity == Severity::Error && find(one.code.id).is_none()
}

/// The first wanted fix of each finding; what is safe comes first, then what changes less.
pub(super) fn candidates(found: &[Diagnostic], own: SourceId, unsafe_too: bool) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = found.iter().filter_map(|one| candidate(one, own, unsafe_too)).collect();
    all.sort_by_key(|one| (!one.fix.safe, one.fix.edits.len()));
    all
}

fn candidate(one: &Diagnostic, own: SourceId, unsafe_too: bool) -> Option<Candidate> {
    let fix = one.fixes.iter().find(|fix| fix.safe || unsafe_too)?;
    let is_own = |span: Span| span.source == own;
    let here = !fix.edits.is_empty() && fix.edits.iter().all(|edit| is_own(edit.span));
    let spans = std::iter::once(&one.primary).chain(&one.labels).map(|label| label.span);
    here.then(|| Candidate {
        code: one.code.id,
        message: one.message.clone(),
        spans: spans.filter(|span| is_own(*span)).collect(),
        fix: fix.clone(),
        is_error: is_error(one),
    })
}

/// Fixes that can be made together: what changes a stretch that another changes or speaks of waits for its turn.
pub(super) fn compatible<'c>(all: impl Iterator<Item = &'c Candidate>) -> Vec<&'c Candidate> {
    let (mut changed, mut spoken) = (Stretches::default(), Stretches::default());
    let mut taken = Vec::new();
    for one in all {
        let mut edits = one.fix.edits.iter().map(|edit| edit.span);
        let free = edits.all(|span| !changed.touches(span) && !spoken.overlaps(span))
            && !one.spans.iter().any(|span| changed.overlaps(*span));
        if free {
            one.fix.edits.iter().for_each(|edit| changed.add(edit.span));
            one.spans.iter().for_each(|span| spoken.add(*span));
            taken.push(one);
        }
    }
    taken
}

impl Candidate {
    pub(super) fn key(&self) -> Key {
        (self.code, self.place().start, self.fix.title.clone())
    }

    /// What tells a fix from others wherever it stands.
    pub(super) fn words(&self) -> [&str; 3] {
        [self.code, &self.message, &self.fix.title]
    }

    fn place(&self) -> Span {
        self.spans.first().copied().unwrap_or_default()
    }

    pub(super) fn applied(&self) -> AppliedFix {
        AppliedFix { code: self.code, title: self.fix.title.clone() }
    }

    pub(super) fn refused(&self, why: &Why) -> RejectedFix {
        RejectedFix { code: self.code, title: self.fix.title.clone(), span: self.place(), why: why.to_string() }
    }
}
