//! Fixes that would put `until` directly behind the `once` of the same rule, where both would be read as `once until`.
//!
//! In: a fix. Out: the same fix with `once` moved behind `until`, or no fix where that is not possible.

use crate::diagnostic::{Fix, TextEdit};
use crate::lint::Subject;
use crate::lint::analysis::edit::removal;
use crate::lint::analysis::placement::{clause_after, is_native_form};
use crate::source::Span;
use crate::syntax::tree::{Clause, ClauseKind, Item, Policy, PolicyItem, Rule};

/// The rules of a file in which an `until` clause stands somewhere behind a `once` clause, by their places.
pub(crate) struct Pairs(Vec<Pair>);

/// The two clauses of one rule.
struct Pair {
    once: Span,
    until: Span,
}

impl Pairs {
    pub(crate) fn of(subject: &Subject<'_>) -> Self {
        if !is_native_form(subject) {
            return Self(Vec::new());
        }
        let policies = subject.file.items.iter().filter_map(|item| match item {
            Item::Policy(policy) => Some(policy),
            _ => None,
        });
        Self(policies.flat_map(rules).filter_map(Pair::of).collect())
    }

    /// Whether a fix can be made; one that would join the two clauses also moves `once` behind `until`.
    pub(crate) fn keep_apart(&self, subject: &Subject<'_>, fix: &mut Fix) -> bool {
        let joined: Vec<&Pair> = self.0.iter().filter(|pair| pair.is_joined_by(subject, fix)).collect();
        let is_fixed = |pair: &&Pair| {
            fix.edits.iter().all(|edit| edit.span.end <= pair.until.start || pair.until.end <= edit.span.start)
        };
        let is_possible = joined.iter().all(is_fixed);
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
        let once = place(|clause| matches!(clause.kind, ClauseKind::Once))?;
        let until = place(|clause| matches!(clause.kind, ClauseKind::Until(_)))?;
        (once.start < until.start).then_some(Self { once, until })
    }

    /// Whether nothing but comments is left between the two clauses after a fix.
    fn is_joined_by(&self, subject: &Subject<'_>, fix: &Fix) -> bool {
        let between = Span { start: self.once.end, end: self.until.start, ..self.once };
        let meets = |edit: &&TextEdit| between.start <= edit.span.end && edit.span.start <= between.end;
        let mut edits: Vec<&TextEdit> = fix.edits.iter().filter(meets).collect();
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
