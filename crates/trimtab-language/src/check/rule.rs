//! Checks rules: their clauses, in the order in which one depends on another.

use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{ClauseKind, Name, Term, TermKind};

use super::checker::{Checker, OwnCondition};
use super::clause::Clauses;
use super::compose::ComposedRule;
use super::error;
use super::policy::{Action, Condition, Rule, RuleGuard, Template};
use crate::phase::Phase;

/// The phase of a rule and its span.
#[derive(Clone, Copy)]
pub(super) struct RulePhase {
    /// The phase, unless it is unknown.
    pub(super) phase: Option<Phase>,
    /// The span of the `on` clause, or else of the rule's name.
    pub(super) span: Span,
}

impl<'a> Checker<'_, 'a> {
    /// Checks a rule. Gives nothing if there is an error in it.
    pub(super) fn rule(&mut self, rule: &ComposedRule<'a>) -> Option<Rule> {
        let mut clauses = Clauses::of(&rule.clauses);
        // What is missing may be inherited from an unknown rule.
        clauses.broken |= rule.orphan;
        self.lenient = clauses.broken;
        self.known.clear();
        self.rule = Some(rule.name.node.clone());
        let moment = self.phase(clauses.on, rule.name.span);
        let condition = self.own_condition(clauses.when, clauses.unless);
        self.lenient = clauses.broken || condition.is_none();
        let combined = condition.as_ref().map(|(when, unless)| combined(clauses.when.is_some(), when, unless.as_ref()));
        self.own = combined.map_or(OwnCondition::Broken, OwnCondition::Sound);
        let guards = self.guards(&clauses);
        let is_latched = clauses.guards.iter().any(|guard| matches!(guard.kind, ClauseKind::Until(_)));
        self.narrow_by_own_condition(is_latched);
        let actions = self.actions(&clauses, rule.name, moment);
        let confirm = clauses.confirm.map(|question| self.question(question));
        let on_failure = self.on_failure(&clauses, actions.as_deref(), moment);
        let own = self.take_own();
        let (when, unless) = condition?;
        self.rule = None;
        let broken = clauses.broken;
        Some(Rule {
            name: rule.name.node.clone(),
            phase: moment.phase?,
            when,
            unless,
            condition: own?,
            guards: guards?,
            confirm: confirm.map_or(Some(None), |question| question.map(Some))?,
            actions: actions?.into_iter().collect::<Option<_>>()?,
            on_failure: on_failure?,
            clauses: clauses.places,
            sealed: rule.sealed.is_some(),
            origin: rule.origin.clone(),
            head: rule.name.span,
            span: rule.span,
        })
        .filter(|_| !broken)
    }

    /// The condition of the rule, now that its clauses are checked.
    fn take_own(&mut self) -> Option<Condition> {
        match std::mem::replace(&mut self.own, OwnCondition::Open) {
            OwnCondition::Sound(condition) => Some(condition),
            OwnCondition::Open | OwnCondition::Broken => None,
        }
    }

    fn phase(&mut self, on: Option<(&Name, Span)>, rule: Span) -> RulePhase {
        let Some((name, span)) = on else {
            // The broken clause may be the `on`.
            return RulePhase { phase: Some(Phase::Request).filter(|_| !self.lenient), span: rule };
        };
        let phase = Phase::find(&name.node);
        if phase.is_none() {
            self.report(error::name::unknown_phase(name));
        }
        RulePhase { phase, span }
    }

    /// The question of `confirm`.
    fn question(&mut self, term: &'a Term) -> Option<Template> {
        self.enter(term.span.source);
        let TermKind::Text(text) = &term.kind else { return None };
        if text.pieces.is_empty() && text.value.trim().is_empty() {
            return self.fail(error::clause::empty_question(term.span));
        }
        self.template(text, &[])
    }

    fn guards(&mut self, clauses: &Clauses<'a>) -> Option<Vec<RuleGuard>> {
        let mut guards = Vec::with_capacity(clauses.guards.len());
        for clause in &clauses.guards {
            self.enter(clause.span.source);
            guards.push(self.rule_guard(clause));
        }
        guards.into_iter().collect()
    }

    /// Checks the actions of a rule: `None` for each one with an error, and for all if there is no `do`.
    fn actions(&mut self, clauses: &Clauses<'a>, rule: &Name, moment: RulePhase) -> Option<Vec<Option<Action>>> {
        let Some(calls) = clauses.effects else {
            if !clauses.broken {
                self.report(error::clause::no_effect(rule));
            }
            return None;
        };
        let mut actions: Vec<Option<Action>> = Vec::with_capacity(calls.len());
        let mut failing: Option<Span> = None;
        for call in calls {
            self.enter(call.span.source);
            if crate::effect::find(&call.name.node).is_some_and(|effect| effect.kind.can_fail()) {
                match failing {
                    Some(first) => self.report(error::clause::second_fallible_effect(&call.name, first)),
                    None => failing = Some(call.name.span),
                }
            }
            actions.push(self.action(call, moment));
        }
        Some(actions)
    }
}

/// `when` and not `unless`.
fn combined(has_when: bool, when: &Condition, unless: Option<&Condition>) -> Condition {
    let open = unless.map(|unless| Condition::Not(Box::new(unless.clone())));
    match open {
        None => when.clone(),
        Some(open) if !has_when => open,
        Some(open) => Condition::All(vec![when.clone(), open]),
    }
}
