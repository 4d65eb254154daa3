//! Rules: their clauses, each at most once, and what they mean together.

use std::collections::HashMap;

use super::constant::{Constant, literal};
use super::error;
use super::narrowing::known;
use super::policy::{Action, Condition, Failing, Guard, OnFailure, Rule};
use super::scope::Scope;
use super::template::Context;
use crate::effect::Nature;
use crate::phase::{PHASES, Phase};
use crate::quantity::{Counted, Decimal, Unit, whole};
use crate::source::Span;
use crate::syntax::tree::{self, Clause, ClauseKind, EffectCall, Expr, Name, Term, TermKind};

/// The clauses of a rule, sorted out.
#[derive(Default)]
struct Clauses<'a> {
    on: Option<&'a Name>,
    when: Option<&'a Expr>,
    unless: Option<&'a Expr>,
    calls: Option<&'a [EffectCall]>,
    on_failure: Option<(&'a Clause, &'a [Term], Option<&'a EffectCall>)>,
    guards: Vec<&'a Clause>,
    broken: bool,
}

impl<'a> Scope<'a> {
    /// The rule that a tree stands for; none when something is wrong, which is then reported.
    pub(super) fn rule(&mut self, rule: &'a tree::Rule) -> Option<Rule> {
        let clauses = self.sort_out(rule);
        let phase = clauses.on.map_or(Some(Phase::Request), |name| self.phase(name));
        let mut context = Context::default();
        let condition = self.due(&clauses, &mut context);
        let guards = self.guards(&clauses.guards, &mut context);
        let actions = match clauses.calls {
            Some(calls) => calls.iter().map(|call| self.action(call, &context)).collect::<Vec<_>>(),
            None if clauses.broken => return None,
            None => {
                self.report(error::no_effect(rule.name.span, &rule.name.node));
                return None;
            }
        };
        self.fitting(phase, clauses.calls.unwrap_or_default(), &actions);
        let on_failure = self.on_failure(&clauses, &actions, &context);
        let actions: Option<Vec<Action>> = actions.into_iter().collect();
        Some(Rule {
            name: rule.name.node.clone(),
            phase: phase?,
            condition: condition?,
            guards: guards?,
            actions: actions?,
            on_failure: on_failure?,
            span: rule.span,
        })
        .filter(|_| !clauses.broken)
    }

    fn sort_out(&mut self, rule: &'a tree::Rule) -> Clauses<'a> {
        let mut clauses = Clauses::default();
        let mut seen: HashMap<&'static str, Span> = HashMap::new();
        for clause in &rule.clauses {
            if let Some(name) = word(&clause.kind)
                && let Some(first) = seen.insert(name, clause.word)
            {
                self.report(error::twice(clause.word, first, &format!("`{name}`")));
                clauses.broken = true;
            }
            match &clause.kind {
                ClauseKind::On(name) => clauses.on = Some(name),
                ClauseKind::When(expr) => clauses.when = Some(expr),
                ClauseKind::Unless(expr) => clauses.unless = Some(expr),
                ClauseKind::Do(calls) => clauses.calls = Some(calls),
                ClauseKind::OnFailure(terms, then) => clauses.on_failure = Some((clause, terms, then.as_ref())),
                ClauseKind::No(_) => {
                    self.report(error::not_yet(clause.span, "`no`"));
                    clauses.broken = true;
                }
                ClauseKind::Broken(_) => clauses.broken = true,
                _ => clauses.guards.push(clause),
            }
        }
        clauses
    }

    fn phase(&mut self, name: &Name) -> Option<Phase> {
        let phase = Phase::find(&name.node);
        if phase.is_none() {
            let all: Vec<&str> = PHASES.iter().map(|(_, word, _)| *word).collect();
            self.report(error::unknown_phase(name.span, &name.node, Phase::nearest(&name.node), &all));
        }
        phase
    }

    /// `when` and not `unless`.
    fn due(&mut self, clauses: &Clauses<'_>, context: &mut Context) -> Option<Condition> {
        let held = clauses.when.map(|expr| known(expr, true)).unwrap_or_default();
        let failed = clauses.unless.map(|expr| known(expr, false)).unwrap_or_default();
        let when = match clauses.when {
            Some(expr) => self.condition(expr, &failed),
            None => Some(Condition::Constant(true)),
        };
        let unless = match clauses.unless {
            Some(expr) => self.condition(expr, &held).map(|unless| Some(Condition::Not(Box::new(unless)))),
            None => Some(None),
        };
        context.sure = [held, failed].concat();
        let condition = Condition::All(std::iter::once(when?).chain(unless?).collect());
        context.read(&condition);
        Some(condition)
    }

    fn guards(&mut self, clauses: &[&Clause], context: &mut Context) -> Option<Vec<Guard>> {
        let mut guards = Vec::with_capacity(clauses.len());
        for clause in clauses {
            guards.push(self.guard(clause, context));
        }
        let guards: Option<Vec<Guard>> = guards.into_iter().collect();
        context.guards(guards.as_deref().unwrap_or_default());
        guards
    }

    fn guard(&mut self, clause: &Clause, context: &Context) -> Option<Guard> {
        let iterations = Unit::Counted(Counted::Iterations);
        match &clause.kind {
            ClauseKind::Once => Some(Guard::Once),
            ClauseKind::OncePer(expr) => self.once_per(expr, context),
            ClauseKind::OnceUntil(expr) => self.condition(expr, &[]).map(Guard::OnceUntil),
            ClauseKind::Until(expr) => self.condition(expr, &[]).map(Guard::Until),
            ClauseKind::Every(expr) => self.number_of(expr, "every", iterations).map(Guard::Every),
            ClauseKind::Cooldown(expr) => self.number_of(expr, "cooldown", iterations).map(Guard::Cooldown),
            ClauseKind::Limit(expr) => self.number_of(expr, "limit", Unit::Counted(Counted::Count)).map(Guard::Limit),
            _ => None,
        }
    }

    fn once_per(&mut self, expr: &Expr, context: &Context) -> Option<Guard> {
        let reading = self.instance(expr, context)?;
        if matches!(reading.fact.ty, crate::quantity::Type::Number(_)) {
            return Some(Guard::OncePer(reading));
        }
        self.report(error::guard_number(expr.span, "once per", "a fact that is a number"));
        None
    }

    fn number_of(&mut self, expr: &Expr, guard: &str, unit: Unit) -> Option<u64> {
        let wanted = if guard == "limit" { "a count of at least 1" } else { "at least 1 iteration" };
        match self.constant(expr) {
            Constant::Number(number, given)
                if given.is_none_or(|given| given == unit) && number >= Decimal::ONE && number.fract().is_zero() =>
            {
                Some(whole(number))
            }
            Constant::Broken => None,
            _ => {
                self.report(error::guard_number(expr.span, guard, wanted));
                None
            }
        }
    }

    /// What effects and phase, and effects among themselves, allow.
    fn fitting(&mut self, phase: Option<Phase>, calls: &[EffectCall], actions: &[Option<Action>]) {
        if let Some(phase) = phase.filter(|phase| !phase.edits()) {
            for action in actions.iter().flatten().filter(|action| action.effect.nature == Nature::Edit) {
                self.report(error::signals_only(action.span, action.effect.name, phase.word()));
            }
        }
        let can_fail = |call: &&EffectCall| crate::effect::find(&call.name.node).is_some_and(|one| one.can_fail());
        let mut failing = calls.iter().filter(can_fail);
        if let Some(first) = failing.next() {
            for second in failing {
                self.report(error::two_can_fail(second.span, first.span));
            }
        }
    }

    fn on_failure(
        &mut self,
        clauses: &Clauses<'_>,
        actions: &[Option<Action>],
        context: &Context,
    ) -> Option<OnFailure> {
        let Some((clause, terms, then)) = clauses.on_failure else {
            return Some(OnFailure { retries: 0, then: Failing::Keep });
        };
        if actions.iter().all(|action| action.as_ref().is_some_and(|action| !action.effect.can_fail())) {
            self.report(error::cannot_fail(clause.span));
            return None;
        }
        let (mut retries, mut ending, mut rest) = (0, None, terms);
        while let Some((term, after)) = rest.split_first() {
            rest = after;
            match (&term.kind, after.first().map(|next| &next.kind)) {
                (TermKind::Word(word), Some(TermKind::Number(number))) if word == "retry" => {
                    retries = u32::try_from(whole(literal(*number).0)).unwrap_or(u32::MAX);
                    rest = &after[1..];
                }
                (TermKind::Word(word), _) if ending.is_none() && then.is_none() => match word.as_str() {
                    "keep" => ending = Some(Failing::Keep),
                    "stop" => ending = Some(Failing::Stop),
                    "ask" => ending = Some(Failing::Ask),
                    _ => return self.refuse_failure(term),
                },
                _ => return self.refuse_failure(term),
            }
        }
        let then = match then {
            Some(call) => Failing::Then(Box::new(self.action(call, context)?)),
            None => ending.unwrap_or(Failing::Keep),
        };
        Some(OnFailure { retries, then })
    }

    fn refuse_failure(&mut self, term: &Term) -> Option<OnFailure> {
        self.report(error::wrong_failure(term.span, &super::call::noun(&term.kind)));
        None
    }
}

/// The word of a clause that may stand once in a rule.
fn word(kind: &ClauseKind) -> Option<&'static str> {
    match kind {
        ClauseKind::On(_) => Some("on"),
        ClauseKind::When(_) => Some("when"),
        ClauseKind::Unless(_) => Some("unless"),
        ClauseKind::Do(_) => Some("do"),
        ClauseKind::OnFailure(..) => Some("on_failure"),
        ClauseKind::Once => Some("once"),
        ClauseKind::OncePer(_) => Some("once per"),
        ClauseKind::OnceUntil(_) => Some("once until"),
        ClauseKind::Until(_) => Some("until"),
        ClauseKind::Every(_) => Some("every"),
        ClauseKind::Cooldown(_) => Some("cooldown"),
        ClauseKind::Limit(_) => Some("limit"),
        ClauseKind::No(_) | ClauseKind::Broken(_) => None,
    }
}
