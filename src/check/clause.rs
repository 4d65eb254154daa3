//! A rule's clauses, each kind once.

use super::error;
use super::scope::Checker;
use crate::source::Span;
use crate::syntax::tree::{Clause, ClauseKind, EffectCall, Expr, Name, Rule, Term};

/// The clauses of a rule by kind.
#[derive(Default)]
pub(super) struct Clauses<'a> {
    /// `on`
    pub(super) on: Option<(&'a Name, Span)>,
    /// `when`
    pub(super) when: Option<&'a Expr>,
    /// `unless`
    pub(super) unless: Option<&'a Expr>,
    /// `do`
    pub(super) effects: Option<&'a [EffectCall]>,
    /// `on_failure`, and where it stands.
    pub(super) on_failure: Option<(&'a [Term], Option<&'a EffectCall>, &'a Clause)>,
    /// The guards in the order written.
    pub(super) guards: Vec<&'a Clause>,
    /// The first word of each clause, and where the clause stands.
    pub(super) places: Vec<(&'static str, Span)>,
    /// Whether a clause could not be parsed.
    pub(super) broken: bool,
}

/// The kinds of which a rule has one clause.
const KINDS: usize = 10;

/// The number of a clause's kind and its word; none for those that may stand more than once.
const fn kind(clause: &ClauseKind) -> Option<(usize, &'static str)> {
    Some(match clause {
        ClauseKind::On(_) => (0, "on"),
        ClauseKind::When(_) => (1, "when"),
        ClauseKind::Unless(_) => (2, "unless"),
        ClauseKind::Do(_) => (3, "do"),
        ClauseKind::OnFailure(..) => (4, "on_failure"),
        ClauseKind::Once | ClauseKind::OncePer(_) | ClauseKind::OnceUntil(_) => (5, "once"),
        ClauseKind::Until(_) => (6, "until"),
        ClauseKind::Every(_) => (7, "every"),
        ClauseKind::Cooldown(_) => (8, "cooldown"),
        ClauseKind::Limit(_) => (9, "limit"),
        ClauseKind::No(_) | ClauseKind::Broken(_) => return None,
    })
}

impl<'a> Checker<'a> {
    /// Sorts the clauses of a rule; the first of each kind counts.
    pub(super) fn clauses(&mut self, rule: &'a Rule) -> Clauses<'a> {
        let mut clauses = Clauses::default();
        let mut seen: [Option<Span>; KINDS] = [None; KINDS];
        for clause in &rule.clauses {
            if let Some((kind, word)) = kind(&clause.kind) {
                if let Some(first) = seen[kind] {
                    self.report(error::clause::twice(word, clause.word, first));
                    continue;
                }
                seen[kind] = Some(clause.word);
                clauses.places.push((word, clause.span));
            }
            clauses.take(clause);
            if let ClauseKind::No(word) = &clause.kind
                && rule.overrides.is_none()
            {
                self.report(error::file::nothing_inherited(clause.span, &word.node));
            }
        }
        clauses
    }
}

impl<'a> Clauses<'a> {
    fn take(&mut self, clause: &'a Clause) {
        match &clause.kind {
            ClauseKind::On(phase) => self.on = Some((phase, clause.span)),
            ClauseKind::When(condition) => self.when = Some(condition),
            ClauseKind::Unless(condition) => self.unless = Some(condition),
            ClauseKind::Do(effects) => self.effects = Some(effects),
            ClauseKind::OnFailure(terms, effect) => self.on_failure = Some((terms, effect.as_ref(), clause)),
            ClauseKind::No(_) => {}
            ClauseKind::Broken(_) => self.broken = true,
            ClauseKind::Once
            | ClauseKind::OncePer(_)
            | ClauseKind::OnceUntil(_)
            | ClauseKind::Until(_)
            | ClauseKind::Every(_)
            | ClauseKind::Cooldown(_)
            | ClauseKind::Limit(_) => self.guards.push(clause),
        }
    }
}
