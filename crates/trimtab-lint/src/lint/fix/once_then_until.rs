//! Fixes that would put `until` directly after the `once` of the same rule, where the parser would read `once until`.
//! Such a fix also moves `once` after `until`, or is dropped if that is not possible.

use trimtab_base::diagnostic::{Fix, TextEdit};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Clause, ClauseKind, Item, Policy, PolicyItem, Rule};

use crate::lint::Subject;
use crate::lint::analysis::edit::removal;
use crate::lint::analysis::placement::clause_after;

/// The rules of a file with an `until` clause somewhere after a `once` clause.
pub(crate) struct Pairs(Vec<Pair>);

/// The two clauses of one rule.
struct Pair {
    once: Span,
    until: Span,
}

impl Pairs {
    pub(crate) fn of(subject: &Subject<'_>) -> Self {
        if !subject.is_policy_source() {
            return Self(Vec::new());
        }
        let policies = subject.file.items.iter().filter_map(|item| match item {
            Item::Policy(policy) => Some(policy),
            _ => None,
        });
        Self(policies.flat_map(rules).filter_map(Pair::of).collect())
    }

    /// Whether a fix is possible. A fix that would join the two clauses also moves `once` after `until`.
    pub(crate) fn keep_separate(&self, subject: &Subject<'_>, fix: &mut Fix) -> bool {
        let joined: Vec<&Pair> = self.0.iter().filter(|pair| pair.is_joined_by(subject, fix)).collect();
        let is_fixed = |pair: &&Pair| {
            fix.edits.iter().all(|edit| edit.span.end <= pair.until.start || pair.until.end <= edit.span.start)
        };
        let is_possible = joined.iter().all(is_fixed);
        // Another fix may remove the rest of what separates the two clauses.
        let touched = self.0.iter().filter(|pair| pair.edits_between(fix).next().is_some());
        let needed: Vec<Span> = touched.map(Pair::between).collect();
        fix.depends_on.extend(needed);
        for pair in joined {
            fix.edits.push(removal(subject, pair.once));
            fix.edits.push(clause_after(subject, pair.until, "once"));
        }
        is_possible
    }
}

fn rules(policy: &Policy) -> impl Iterator<Item = &Rule> {
    policy.items.iter().filter_map(|item| match item {
        PolicyItem::Rule(rule) => Some(rule),
        _ => None,
    })
}

impl Pair {
    fn of(rule: &Rule) -> Option<Self> {
        let place = |is: fn(&Clause) -> bool| rule.clauses.iter().find(|clause| is(clause)).map(|clause| clause.span);
        let once = place(|clause| matches!(clause.kind, ClauseKind::Once) && clause.scope.is_none())?;
        let until = place(|clause| matches!(clause.kind, ClauseKind::Until(_)))?;
        (once.start < until.start).then_some(Self { once, until })
    }

    /// The text between the two clauses.
    const fn between(&self) -> Span {
        Span { start: self.once.end, end: self.until.start, ..self.once }
    }

    /// The edits of a fix that touch the text between the two clauses.
    fn edits_between<'f>(&self, fix: &'f Fix) -> impl Iterator<Item = &'f TextEdit> + use<'f> {
        let between = self.between();
        fix.edits.iter().filter(move |edit| between.start <= edit.span.end && edit.span.start <= between.end)
    }

    /// Whether a fix leaves nothing but comments between the two clauses.
    fn is_joined_by(&self, subject: &Subject<'_>, fix: &Fix) -> bool {
        let between = self.between();
        let mut edits: Vec<&TextEdit> = self.edits_between(fix).collect();
        if edits.is_empty() || edits.iter().any(|edit| edit.span.contains(self.once) || edit.span.contains(self.until))
        {
            return false;
        }
        edits.sort_by_key(|edit| edit.span.start);
        let (mut left, mut at) = (String::new(), between.start);
        for edit in edits {
            left += subject.text(Span { start: at, end: edit.span.start.max(at), ..between });
            left += &edit.text;
            at = edit.span.end.clamp(at, between.end);
        }
        left += subject.text(Span { start: at, ..between });
        left.lines().all(|line| line.split('#').next().is_some_and(|code| code.trim().is_empty()))
    }
}
