//! Drops fixes that would change the arguments of a fact elsewhere in the rule, and marks fixes of overridden rules as
//! unsafe. Files that use this one are not considered.

use std::cell::RefCell;
use std::collections::HashMap;

use trimtab_base::diagnostic::{Fix, TextEdit};
use trimtab_base::source::Span;
use trimtab_language::check::Rule;

use crate::lint::Subject;

/// The rules of a file by their places; an inherited rule occurs once for each policy.
pub(crate) struct FixGuard<'s, 'a> {
    subject: &'s Subject<'a>,
    rules: Vec<&'a Rule>,
    /// What is known about edits, which are the same in each policy that inherits a rule.
    known: RefCell<HashMap<Vec<TextEdit>, Effects>>,
}

/// What the edits of a fix do.
#[derive(Clone, Copy)]
struct Effects {
    /// Whether they change the arguments of a fact elsewhere.
    change_arguments: bool,
    /// Whether they change a rule that is overridden.
    change_overridden: bool,
}

impl<'s, 'a> FixGuard<'s, 'a> {
    pub(crate) fn of(subject: &'s Subject<'a>) -> Self {
        let mut rules: Vec<&Rule> = subject.rules().map(|(_, rule)| rule).collect();
        rules.sort_by_key(|rule| rule.span.start);
        Self { subject, rules, known: RefCell::default() }
    }

    /// Drops fixes that would change more than they state, and marks fixes of overridden rules as unsafe.
    pub(crate) fn restrict(&self, fixes: &mut Vec<Fix>) {
        fixes.retain_mut(|fix| {
            let Effects { change_arguments, change_overridden } = self.effects(fix);
            fix.safe &= !change_overridden;
            !change_arguments
        });
    }

    fn effects(&self, fix: &Fix) -> Effects {
        let known = self.known.borrow().get(&fix.edits).copied();
        known.unwrap_or_else(|| {
            let effects = Effects {
                change_arguments: self.edited(fix).any(|(edit, rule)| self.removes_arguments(fix, edit, rule)),
                change_overridden: self.edited(fix).any(|(_, rule)| !rule.origin.overrides.is_empty()),
            };
            self.known.borrow_mut().insert(fix.edits.clone(), effects);
            effects
        })
    }

    /// The edits of a fix, each with the rules that contain it.
    fn edited<'f>(&'f self, fix: &'f Fix) -> impl Iterator<Item = (&'f TextEdit, &'a Rule)> {
        fix.edits.iter().flat_map(|edit| self.around(edit.span).map(move |rule| (edit, rule)))
    }

    fn around(&self, span: Span) -> impl Iterator<Item = &'a Rule> {
        let until = self.rules.partition_point(|rule| rule.span.start <= span.start);
        let last = until.checked_sub(1).map(|at| self.rules[at].span);
        let near = self.rules[..until].iter().rev().copied();
        near.take_while(move |rule| Some(rule.span) == last).filter(move |rule| rule.span.contains(span))
    }

    /// Whether an edit removes a fact with arguments that a bare use of the same fact elsewhere in the rule inherits.
    fn removes_arguments(&self, fix: &Fix, edit: &TextEdit, rule: &Rule) -> bool {
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
