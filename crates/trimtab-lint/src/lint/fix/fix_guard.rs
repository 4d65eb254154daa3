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
    /// The effects of edits that were already examined: each policy that inherits a rule has findings with the same
    /// edits.
    examined: RefCell<HashMap<Vec<TextEdit>, Effects>>,
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
        Self { subject, rules, examined: RefCell::default() }
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
        let examined = self.examined.borrow().get(&fix.edits).copied();
        examined.unwrap_or_else(|| {
            let effects = Effects {
                change_arguments: self.edited(fix).any(|(edit, rule)| self.removes_arguments(fix, edit, rule)),
                change_overridden: self.edited(fix).any(|(_, rule)| !rule.origin.overrides.is_empty()),
            };
            self.examined.borrow_mut().insert(fix.edits.clone(), effects);
            effects
        })
    }

    /// The edits of a fix, each with the rules that contain it.
    fn edited<'f>(&'f self, fix: &'f Fix) -> impl Iterator<Item = (&'f TextEdit, &'a Rule)> {
        fix.edits.iter().flat_map(|edit| self.rules_around(edit.span).map(move |rule| (edit, rule)))
    }

    /// The rules that contain a span.
    fn rules_around(&self, span: Span) -> impl Iterator<Item = &'a Rule> {
        let end = self.rules.partition_point(|rule| rule.span.start <= span.start);
        let last = end.checked_sub(1).map(|index| self.rules[index].span);
        let starting_before = self.rules[..end].iter().rev().copied();
        starting_before.take_while(move |rule| Some(rule.span) == last).filter(move |rule| rule.span.contains(span))
    }

    /// Whether an edit removes a fact with arguments that a bare use of the same fact elsewhere in the rule inherits.
    fn removes_arguments(&self, fix: &Fix, edit: &TextEdit, rule: &Rule) -> bool {
        let subject = self.subject;
        let is_own = |span: Span| span.source == subject.source.id();
        let is_removed = |span: Span| is_own(span) && fix.edits.iter().any(|edit| edit.span.contains(span));
        let mut tests = rule.tests().filter(|test| is_own(test.span) && edit.span.contains(test.span));
        tests.any(|test| {
            let reading = &test.reading;
            let is_bare = |span: Span| is_own(span) && !subject.text(span).contains('(');
            !is_bare(reading.span)
                && !edit.text.contains(subject.text(reading.span))
                && rule.readings().iter().any(|other| {
                    std::ptr::eq(other.fact, reading.fact) && is_bare(other.span) && !is_removed(other.span)
                })
        })
    }
}
