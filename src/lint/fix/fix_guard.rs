//! What hangs on a text that a fix would change: bare readings, and rules that override it.
//!
//! In: fixes. Out: fixes without those that would give a bare reading other arguments, and without a promise of safety
//! where another policy of the file overrides the rule. What other files make of this one is not known.

use crate::check::Rule;
use crate::diagnostic::{Fix, TextEdit};
use crate::lint::Subject;
use crate::source::Span;

/// The rules that are written in a file, by their places; one that is inherited stands there once for each policy.
pub(crate) struct FixGuard<'s, 'a> {
    subject: &'s Subject<'a>,
    rules: Vec<&'a Rule>,
}

impl<'s, 'a> FixGuard<'s, 'a> {
    pub(crate) fn of(subject: &'s Subject<'a>) -> Self {
        let mut rules: Vec<&Rule> = subject.rules().map(|(_, rule)| rule).collect();
        rules.sort_by_key(|rule| rule.span.start);
        Self { subject, rules }
    }

    /// Takes away what would change more than it says.
    pub(crate) fn restrict(&self, fixes: &mut Vec<Fix>) {
        fixes.retain(|fix| !self.edited(fix).any(|(edit, rule)| self.unbinds(fix, edit, rule)));
        for fix in fixes.iter_mut().filter(|fix| fix.safe) {
            let is_overridden = self.edited(fix).any(|(_, rule)| !rule.origin.overrides.is_empty());
            fix.safe = !is_overridden;
        }
    }

    /// The edits of a fix, each with the rules that it lies in.
    fn edited<'f>(&'f self, fix: &'f Fix) -> impl Iterator<Item = (&'f TextEdit, &'a Rule)> {
        fix.edits.iter().flat_map(|edit| self.around(edit.span).map(move |rule| (edit, rule)))
    }

    fn around(&self, span: Span) -> impl Iterator<Item = &'a Rule> {
        let until = self.rules.partition_point(|rule| rule.span.start <= span.start);
        let last = until.checked_sub(1).map(|at| self.rules[at].span);
        let near = self.rules[..until].iter().rev().copied();
        near.take_while(move |rule| Some(rule.span) == last).filter(move |rule| rule.span.contains(span))
    }

    /// Whether an edit takes a reading with arguments away, which those of bare readings elsewhere in the rule come from.
    fn unbinds(&self, fix: &Fix, edit: &TextEdit, rule: &Rule) -> bool {
        let subject = self.subject;
        let is_own = |span: Span| span.source == subject.source.id();
        let goes = |span: Span| is_own(span) && fix.edits.iter().any(|edit| edit.span.contains(span));
        let mut tests = rule.tests().filter(|test| is_own(test.span) && edit.span.contains(test.span));
        tests.any(|test| {
            let reading = &test.reading;
            let is_bare = |span: Span| is_own(span) && !subject.text(span).contains('(');
            !is_bare(reading.span)
                && !edit.text.contains(subject.text(reading.span))
                && rule
                    .readings()
                    .iter()
                    .any(|other| std::ptr::eq(other.fact, reading.fact) && is_bare(other.span) && !goes(other.span))
        })
    }
}
