//! Checks `on_failure`.

use trimtab_base::quantity::{Decimal, whole};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{EffectCall, Number, Term, TermKind};

use super::checker::Checker;
use super::clause::Clauses;
use super::error;
use super::policy::{Action, FailureAction, OnFailure};
use super::rule::RulePhase;
use crate::effect;

/// The largest number of retries.
const MAX_RETRIES: u64 = 100;

impl<'a> Checker<'_, 'a> {
    /// Checks the `on_failure` clause; without one the conversation stays as it is.
    pub(super) fn on_failure(
        &mut self,
        clauses: &Clauses<'a>,
        actions: Option<&[Option<Action>]>,
        moment: RulePhase,
    ) -> Option<OnFailure> {
        let Some((terms, then, clause)) = clauses.on_failure else {
            return Some(OnFailure { retries: 0, then: FailureAction::Keep });
        };
        if let (Some(calls), Some(_)) = (clauses.effects, actions)
            && calls.iter().all(|call| effect::find(&call.name.node).is_some_and(|effect| !effect.kind.can_fail()))
        {
            let effects: Vec<Span> = calls.iter().map(|call| call.name.span).collect();
            return self.fail(error::clause::nothing_fails(clause.span, &effects));
        }
        self.enter(clause.span.source);
        let first = self.way(terms, then.is_some());
        let then = then.map(|call| self.instead(call, moment));
        let (retries, word) = first?;
        let then = match then {
            Some(action) => FailureAction::Then(Box::new(action?)),
            None => word.unwrap_or(FailureAction::Keep),
        };
        Some(OnFailure { retries, then })
    }

    /// The effect after `then`.
    fn instead(&mut self, call: &'a EffectCall, moment: RulePhase) -> Option<Action> {
        let action = self.action(call, moment);
        if effect::find(&call.name.node).is_some_and(|effect| effect.kind.can_fail()) {
            return self.fail(error::clause::fails_again(&call.name));
        }
        action
    }

    /// `keep`, `retry 2` or `retry 2 stop`: the number of retries, and what happens after them.
    fn way(&mut self, terms: &[Term], then_follows: bool) -> Option<(u32, Option<FailureAction>)> {
        let (mut retries, mut rest) = (0, terms);
        if let [Term { kind: TermKind::Word(word), span }, after @ ..] = rest
            && word == "retry"
        {
            let Some((number, after)) = after.split_first() else {
                return self.fail(error::clause::retry_how_often(*span));
            };
            retries = self.retries(number)?;
            rest = after;
        }
        let word = match rest {
            [] if then_follows || retries > 0 => return Some((retries, None)),
            [Term { kind: TermKind::Word(word), .. }, ..] => word.as_str(),
            [other, ..] => return self.fail(error::clause::unclear(other.span, None)),
            [] => return None,
        };
        let failing = match word {
            "keep" => FailureAction::Keep,
            "stop" => FailureAction::Stop,
            "ask" => FailureAction::Ask,
            _ => return self.fail(error::clause::unclear(rest[0].span, Some(word))),
        };
        match rest.get(1) {
            Some(more) => {
                let word = match &more.kind {
                    TermKind::Word(word) => Some(word.as_str()),
                    _ => None,
                };
                self.fail(error::clause::unclear(more.span, word))
            }
            None if then_follows => self.fail(error::clause::unclear(rest[0].span, Some(word))),
            None => Some((retries, Some(failing))),
        }
    }

    fn retries(&mut self, term: &Term) -> Option<u32> {
        let number = match term.kind {
            TermKind::Number(Number::Plain(number)) if number.fract() == Decimal::ZERO => whole(number),
            _ => 0,
        };
        match u32::try_from(number) {
            Ok(retries) if (1..=MAX_RETRIES).contains(&number) => Some(retries),
            _ => self.fail(error::clause::retry_how_often(term.span)),
        }
    }
}
