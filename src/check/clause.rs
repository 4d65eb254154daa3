//! The clauses of a rule, at most one of each kind.

use super::error;
use crate::diagnostic::Diagnostic;
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
    /// `on_failure`
    pub(super) on_failure: Option<(&'a [Term], Option<&'a EffectCall>, &'a Clause)>,
    /// The guards in source order.
    pub(super) guards: Vec<&'a Clause>,
    /// The keyword and span of each clause.
    pub(super) places: Vec<(&'static str, Span)>,
    /// Whether a clause could not be parsed.
    pub(super) broken: bool,
}

/// The number of kinds of which a rule has at most one clause.
const KINDS: usize = 10;

/// The kind of a clause and its keyword; `None` for those that may be repeated.
const fn kind(clause: &ClauseKind) -> Option<(usize, &'static str)> {
    let number = match clause {
        ClauseKind::On(_) => 0,
        ClauseKind::When(_) => 1,
        ClauseKind::Unless(_) => 2,
        ClauseKind::Do(_) => 3,
        ClauseKind::OnFailure(..) => 4,
        ClauseKind::Once | ClauseKind::OncePer(_) | ClauseKind::OnceUntil(_) => 5,
        ClauseKind::Until(_) => 6,
        ClauseKind::Every(_) => 7,
        ClauseKind::Cooldown(_) => 8,
        ClauseKind::Limit(_) => 9,
        ClauseKind::No(_) | ClauseKind::Broken(_) => return None,
    };
    Some((number, WORDS[number]))
}

/// The kind of the clause that `no CLAUSE` removes.
fn kind_of(word: &str) -> Option<usize> {
    WORDS.iter().position(|other| *other == word)
}

/// The keywords of the clauses by kind.
const WORDS: [&str; KINDS] =
    ["on", "when", "unless", "do", "on_failure", "once", "until", "every", "cooldown", "limit"];

/// The clauses of a rule; of two of the same kind, the second is reported and left out.
pub(super) fn own_clauses<'a>(rule: &'a Rule, findings: &mut Vec<Diagnostic>) -> Vec<&'a Clause> {
    let mut clauses = Vec::with_capacity(rule.clauses.len());
    let mut seen: [Option<Span>; KINDS] = [None; KINDS];
    for clause in &rule.clauses {
        if let Some((kind, word)) = kind(&clause.kind) {
            if let Some(first) = seen[kind] {
                findings.push(error::clause::twice(word, clause.word, first));
                continue;
            }
            seen[kind] = Some(clause.word);
        }
        clauses.push(clause);
    }
    clauses
}

/// Replaces inherited clauses by those of the overriding rule, and removes those that it names with `no CLAUSE`.
/// Inherited clauses stay in front.
pub(super) fn overlay<'a>(inherited: &mut Vec<&'a Clause>, own: &[&'a Clause], findings: &mut Vec<Diagnostic>) {
    const DO: usize = 3;
    const ON_FAILURE: usize = 4;
    let number = |clause: &Clause| kind(&clause.kind).map(|(number, _)| number);
    let given = |of: &[&'a Clause], kind: usize| of.iter().find(|one| number(one) == Some(kind)).map(|one| one.span);
    for clause in own {
        let ClauseKind::No(word) = &clause.kind else { continue };
        let Some(kind) = kind_of(&word.node) else { continue };
        let (new, old) = (given(own, kind), given(inherited, kind));
        let why = match (new, old) {
            (Some(_), _) => "the rule gives a new one".to_owned(),
            (None, None) => format!("the inherited rule has no `{}`", WORDS[kind]),
            (None, Some(_)) if kind == DO => "a rule without an effect does nothing; `disable` takes it out".to_owned(),
            (None, Some(_)) => {
                inherited.retain(|one| number(one) != Some(kind));
                continue;
            }
        };
        findings.push(error::compose::no_clause(clause.span, &word.node, &why, new));
    }
    let replaced = |kind: usize| given(own, kind).is_some() || (kind == ON_FAILURE && given(own, DO).is_some());
    inherited.retain(|one| number(one).is_none_or(|kind| !replaced(kind)));
    inherited.extend(own.iter().filter(|one| !matches!(one.kind, ClauseKind::No(_))));
}

impl<'a> Clauses<'a> {
    /// Sorts the clauses of a rule by kind.
    pub(super) fn of(list: &[&'a Clause]) -> Self {
        let mut clauses = Self::default();
        for clause in list {
            clauses.places.extend(kind(&clause.kind).map(|(_, word)| (word, clause.span)));
            clauses.take(clause);
        }
        clauses
    }

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
