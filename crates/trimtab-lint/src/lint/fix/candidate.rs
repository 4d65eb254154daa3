//! Fixes that may be applied, and which of them go into one round.

use trimtab_base::diagnostic::{Diagnostic, Fix};
use trimtab_base::source::{SourceId, Span};

use super::region::Regions;
use super::rejection::{Rejection, is_error};
use super::{AppliedFix, RejectedFix};
use crate::lint::rule::style::not_formatted;

/// What distinguishes a fix from the others of the same text.
pub(super) type Key = (&'static str, u32, String);

/// When a fix is applied. A round has fixes of one rank only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// First, since errors hide other findings.
    Error,
    /// Next, since a formatted text stays formatted.
    Format,
    Safe,
    Unsafe,
}

/// A fix with its finding.
#[derive(Debug)]
pub(super) struct Candidate {
    code: &'static str,
    message: String,
    /// The places of the finding: the primary one first, then those of its labels.
    spans: Vec<Span>,
    pub(super) fix: Fix,
    pub(super) rank: Rank,
}

/// The first allowed fix of each finding, by rank and then by the number of its edits.
pub(super) fn candidates(findings: &[Diagnostic], own: SourceId, allow_unsafe: bool) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = findings.iter().filter_map(|finding| candidate(finding, own, allow_unsafe)).collect();
    all.sort_by_key(|candidate| (candidate.rank, candidate.fix.edits.len()));
    all
}

fn candidate(finding: &Diagnostic, own: SourceId, allow_unsafe: bool) -> Option<Candidate> {
    let fix = finding.fixes.iter().find(|fix| fix.safe || allow_unsafe)?;
    let is_own = |span: Span| span.source == own;
    let applies = !fix.edits.is_empty() && fix.edits.iter().all(|edit| is_own(edit.span));
    let spans = std::iter::once(&finding.primary).chain(&finding.labels).map(|label| label.span);
    let rank = match finding.code.id {
        _ if is_error(finding) => Rank::Error,
        id if id == not_formatted::LINT.code.id => Rank::Format,
        _ if fix.safe => Rank::Safe,
        _ => Rank::Unsafe,
    };
    applies.then(|| Candidate {
        code: finding.code.id,
        message: finding.message.clone(),
        spans: spans.filter(|span| is_own(*span)).collect(),
        fix: fix.clone(),
        rank,
    })
}

/// The fixes of the next round, at most `limit`: those of the first rank whose edits meet no edit of another, no text
/// that another depends on and no place of another's finding.
pub(super) fn next_round<'c>(open: impl Iterator<Item = &'c Candidate>, limit: usize) -> Vec<&'c Candidate> {
    let (mut edited, mut needed) = (Regions::default(), Regions::default());
    let mut round: Vec<&Candidate> = Vec::new();
    for candidate in open {
        if round.len() == limit || round.first().is_some_and(|first| first.rank != candidate.rank) {
            break;
        }
        let mut edits = candidate.fix.edits.iter().map(|edit| edit.span);
        let is_free = edits.all(|span| !edited.touches(span) && !needed.overlaps(span))
            && !candidate.needs().any(|span| edited.overlaps(span));
        if is_free {
            candidate.fix.edits.iter().for_each(|edit| edited.add(edit.span));
            candidate.needs().for_each(|span| needed.add(span));
            round.push(candidate);
        }
    }
    round
}

impl Candidate {
    pub(super) fn key(&self) -> Key {
        (self.code, self.place().start, self.fix.title.clone())
    }

    /// What distinguishes a fix from others regardless of its place.
    pub(super) fn identity(&self) -> [&str; 3] {
        [self.code, &self.message, &self.fix.title]
    }

    /// The text that no other fix of the round may change.
    fn needs(&self) -> impl Iterator<Item = Span> {
        self.spans.iter().chain(&self.fix.depends_on).copied()
    }

    fn place(&self) -> Span {
        self.spans.first().copied().unwrap_or_default()
    }

    pub(super) fn applied(&self) -> AppliedFix {
        AppliedFix { code: self.code, title: self.fix.title.clone() }
    }

    pub(super) fn rejected(&self, rejection: &Rejection) -> RejectedFix {
        RejectedFix {
            code: self.code,
            title: self.fix.title.clone(),
            span: self.place(),
            reason: rejection.to_string(),
        }
    }
}
