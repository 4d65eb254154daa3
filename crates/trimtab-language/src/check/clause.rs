//! The clauses of a rule, at most one of each kind.

use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::Span;
use trimtab_syntax::syntax::Keyword;
use trimtab_syntax::syntax::tree::{Clause, ClauseKind, EffectCall, Expr, Name, Rule, Term};

use super::error;

/// The clauses of a rule by kind.
#[derive(Default)]
pub(super) struct Clauses<'a> {
    /// `on`
    pub(super) on: Option<(&'a Name, Span)>,
    /// `when`
    pub(super) when: Option<&'a Expr>,
    /// `unless`
    pub(super) unless: Option<&'a Expr>,
    /// `confirm`
    pub(super) confirm: Option<&'a Term>,
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

/// The clauses of a rule; of two of the same kind, the second is reported and left out.
pub(super) fn own_clauses<'a>(rule: &'a Rule, findings: &mut Vec<Diagnostic>) -> Vec<&'a Clause> {
    let mut clauses = Vec::with_capacity(rule.clauses.len());
    let mut seen: Vec<(Keyword, Span)> = Vec::with_capacity(rule.clauses.len());
    for clause in &rule.clauses {
        if let Some(keyword) = clause.kind.keyword() {
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == keyword) {
                findings.push(error::clause::duplicate(keyword.text(), clause.word, *first));
                continue;
            }
            seen.push((keyword, clause.word));
        }
        clauses.push(clause);
    }
    clauses
}

/// Replaces inherited clauses by those of the overriding rule, and removes those that it names with `no CLAUSE`.
/// Inherited clauses stay in front.
pub(super) fn overlay<'a>(inherited: &mut Vec<&'a Clause>, own: &[&'a Clause], findings: &mut Vec<Diagnostic>) {
    let given = |of: &[&'a Clause], keyword: Keyword| {
        of.iter().find(|clause| clause.kind.keyword() == Some(keyword)).map(|clause| clause.span)
    };
    for clause in own {
        let ClauseKind::No(word) = &clause.kind else { continue };
        let Some(keyword) = Keyword::from_text(&word.node) else { continue };
        let (new, old) = (given(own, keyword), given(inherited, keyword));
        let why = match (new, old) {
            (Some(_), _) => "the override sets a new one".to_owned(),
            (None, None) => format!("the inherited rule has no `{}`", keyword.text()),
            (None, Some(_)) if keyword == Keyword::Do => {
                "a rule without an effect does nothing; `disable` removes an inherited rule".to_owned()
            }
            (None, Some(_)) => {
                inherited.retain(|clause| clause.kind.keyword() != Some(keyword));
                continue;
            }
        };
        findings.push(error::compose::no_clause(clause.span, &word.node, &why, new));
    }
    let replaced = |keyword: Keyword| {
        given(own, keyword).is_some() || (keyword == Keyword::OnFailure && given(own, Keyword::Do).is_some())
    };
    inherited.retain(|clause| clause.kind.keyword().is_none_or(|keyword| !replaced(keyword)));
    inherited.extend(own.iter().filter(|clause| !matches!(clause.kind, ClauseKind::No(_))));
}

impl<'a> Clauses<'a> {
    /// Sorts the clauses of a rule by kind.
    pub(super) fn of(list: &[&'a Clause]) -> Self {
        let mut clauses = Self::default();
        for clause in list {
            clauses.places.extend(clause.kind.keyword().map(|keyword| (keyword.text(), clause.span)));
            clauses.take(clause);
        }
        clauses
    }

    fn take(&mut self, clause: &'a Clause) {
        match &clause.kind {
            ClauseKind::On(phase) => self.on = Some((phase, clause.span)),
            ClauseKind::When(condition) => self.when = Some(condition),
            ClauseKind::Unless(condition) => self.unless = Some(condition),
            ClauseKind::Confirm(question) => self.confirm = Some(question),
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
