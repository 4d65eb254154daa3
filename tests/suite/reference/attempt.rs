//! How a rule is tried: its condition, its guards, and what it remembers.

use trimtab::quantity::Decimal;

use super::condition::{Comparison, Condition, Constant};
use super::fact::{Fact, Scope, Value};
use super::machine::Machine;
use super::rule::{Effect, Guard, OnFailure, Piece, Scoped};

/// What the effects of a rule have done.
#[derive(Clone, Debug, Default)]
pub(super) struct Done {
    pub(super) fired: bool,
    pub(super) edits: usize,
    pub(super) short: u64,
    /// The reason of a failed summary.
    pub(super) failure: Option<String>,
}

impl Machine<'_> {
    pub(super) fn attempt(&mut self, at: usize) {
        self.current = at;
        let rule = &self.policy.rules[at];
        for guard in &rule.guards {
            match &guard.guard {
                Guard::Until(end) if self.holds(end) == Some(true) => {
                    self.memory.of_mut(guard.scope)[at].going = false;
                }
                Guard::OnceUntil(end) if self.holds(end) == Some(true) => {
                    self.memory.of_mut(guard.scope)[at].silent = false;
                }
                _ => {}
            }
        }
        let when = rule.when.as_ref().map_or(Some(true), |when| self.holds(when));
        // A condition that is neither true nor false keeps the rule from being due, and so does such an exception.
        let barred = rule.unless.as_ref().map_or(Some(false), |unless| self.holds(unless)) != Some(false);
        // The guards know nothing of the exception, which only holds the rule back.
        let latch = rule.guards.iter().find(|guard| matches!(guard.guard, Guard::Until(_)));
        let going = latch.map(|latch| &mut self.memory.of_mut(latch.scope)[at].going).is_some_and(|going| {
            *going |= when == Some(true);
            *going
        });
        for scope in [Scope::Run, Scope::Session] {
            let memory = &mut self.memory.of_mut(scope)[at];
            memory.value = memory.value.take().filter(|_| when != Some(false));
        }
        if !(when == Some(true) || going) || barred {
            return;
        }
        for guard in &rule.guards {
            self.took_part.guard(guard.guard.name(), guard.scope);
        }
        if !rule.guards.iter().all(|guard| self.opens(at, guard)) {
            return;
        }
        self.outcome.rules[at].due += 1;
        let per = rule.guards.iter().find_map(|guard| match &guard.guard {
            Guard::OncePer(fact) => Some(fact),
            _ => None,
        });
        let value = per.and_then(|fact| self.read(fact));
        let facts: Vec<Fact> = self.compared(at).into_iter().cloned().collect();
        let seen: Vec<_> = facts.into_iter().map(|fact| (fact.clone(), self.read(&fact))).collect();
        if rule.confirm.is_some() && self.has_something_to_do(at) && !self.is_confirmed() {
            self.decline(at, value.as_ref());
            return;
        }
        let done = self.act(at);
        let call = self.call_index();
        for scope in [Scope::Run, Scope::Session] {
            let iteration = self.iteration_in(scope);
            let memory = &mut self.memory.of_mut(scope)[at];
            if done.failure.is_some() {
                memory.failed += 1;
            } else if done.fired {
                memory.failed = 0;
            }
            if done.fired || done.failure.is_some() {
                memory.tries += 1;
                memory.last_try = Some(iteration);
            }
            if done.fired {
                memory.fired += 1;
                memory.last_fired = Some(iteration);
                memory.silent = true;
                memory.seen = Some(seen.clone());
                memory.value = value.clone().or(memory.value.take());
            }
        }
        self.outcome.failures.extend(done.failure.clone().map(|reason| (call, format!("r{at}"), reason)));
        if done.fired {
            let outcome = &mut self.outcome.rules[at];
            outcome.calls.push(call);
            outcome.edits += done.edits;
            if done.short > 0 {
                outcome.short = (outcome.short.0 + 1, outcome.short.1.max(done.short));
            }
        }
    }

    /// Whether an effect of a rule would do something: a rule that would not, asks nobody.
    fn has_something_to_do(&self, at: usize) -> bool {
        let adds = |effect: &Effect| matches!(effect, Effect::Inject { .. });
        self.policy.rules[at].effects.iter().any(adds) || {
            let done = self.clone().act(at);
            done.fired || done.failure.is_some()
        }
    }

    fn is_confirmed(&mut self) -> bool {
        let confirms = self.agent.declines == 0;
        self.agent.declines = self.agent.declines.saturating_sub(1);
        self.took_part.answer(if confirms { "confirmed" } else { "declined" });
        confirms
    }

    /// A declined rule counts as fired for its guards, and for nothing else.
    fn decline(&mut self, at: usize, value: Option<&Value>) {
        self.outcome.rules[at].declined += 1;
        for scope in [Scope::Run, Scope::Session] {
            let iteration = self.iteration_in(scope);
            let memory = &mut self.memory.of_mut(scope)[at];
            memory.declined += 1;
            memory.tries += 1;
            memory.last_try = Some(iteration);
            memory.silent = true;
            memory.value = value.cloned().or(memory.value.take());
        }
    }

    fn opens(&mut self, at: usize, Scoped { guard, scope }: &Scoped) -> bool {
        if let Guard::OncePer(fact) = guard {
            // A share of an unknown window is not above anything.
            let Some(Value::Number(now)) = self.read(fact) else { return false };
            return !matches!(&self.memory.of(*scope)[at].value, Some(Value::Number(last)) if now <= *last);
        }
        let (memory, iteration) = (&self.memory.of(*scope)[at], self.iteration_in(*scope));
        match guard {
            Guard::Once => memory.fired + memory.declined == 0,
            Guard::OnceUntil(_) => !memory.silent,
            Guard::Until(_) | Guard::OncePer(_) => true,
            Guard::Every(each) => iteration > 0 && iteration.is_multiple_of(*each),
            Guard::Cooldown(pause) => memory.last_try.is_none_or(|last| iteration >= last + pause),
            Guard::Limit(times) => memory.tries < *times,
        }
    }

    /// The facts in every `changed` of a rule.
    fn compared(&self, at: usize) -> Vec<&Fact> {
        fn inside(condition: &Condition) -> Vec<&Fact> {
            match condition {
                Condition::Changed(facts, _) => facts.iter().collect(),
                Condition::All(parts) | Condition::Any(parts) => parts.iter().flat_map(inside).collect(),
                Condition::Not(part) => inside(part),
                _ => Vec::new(),
            }
        }
        let rule = &self.policy.rules[at];
        let ends = rule.guards.iter().filter_map(|guard| match &guard.guard {
            Guard::Until(end) | Guard::OnceUntil(end) => Some(end),
            _ => None,
        });
        let instead = if let OnFailure::Then(effect) = &rule.on_failure { Some(&**effect) } else { None };
        let texts = rule.effects.iter().chain(instead).filter_map(Effect::text).chain(&rule.confirm).flatten();
        let pieces = texts.filter_map(|piece| if let Piece::Changed(facts, _) = piece { Some(facts) } else { None });
        rule.when.iter().chain(&rule.unless).chain(ends).flat_map(inside).chain(pieces.flatten()).collect()
    }

    /// Whether a condition holds; none if that depends on a window that is unknown.
    pub(super) fn holds(&mut self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::Compare(fact, default, comparison, constant) => {
                self.compare(fact, default.as_ref(), *comparison, constant)
            }
            Condition::Known(fact) => Some(self.read(fact).is_some()),
            Condition::KnownAnd(fact, comparison, constant) => {
                if self.read(fact).is_none() {
                    return Some(false);
                }
                self.compare(fact, None, *comparison, constant)
            }
            Condition::In(fact, texts) => {
                let value = self.read(fact).unwrap_or(Value::Text(String::new()));
                Some(texts.iter().any(|text| value == Value::Text((*text).to_owned())))
            }
            Condition::Contains(fact, text) => {
                let Value::Text(value) = self.read(fact).unwrap_or(Value::Text(String::new())) else { return None };
                Some(value.contains(text))
            }
            Condition::Truth(fact) => Some(self.read(fact) == Some(Value::Truth(true))),
            Condition::Changed(facts, scope) => Some(self.has_changed(facts, *scope)),
            Condition::All(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.holds(part)).collect();
                all(&parts)
            }
            Condition::Any(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.holds(part).map(|holds| !holds)).collect();
                all(&parts).map(|holds| !holds)
            }
            Condition::Not(inner) => self.holds(inner).map(|holds| !holds),
        }
    }

    /// Whether the rule that is tried has not fired, or one of these facts had another value then.
    pub(super) fn has_changed(&mut self, facts: &[Fact], scope: Scope) -> bool {
        let now: Vec<_> = facts.iter().map(|fact| self.read(fact)).collect();
        self.took_part.fact("changed", Some(scope));
        let Some(seen) = &self.memory.of(scope)[self.current].seen else { return true };
        let before = |fact: &Fact| seen.iter().find(|(known, _)| known == fact).map(|(_, value)| value);
        facts.iter().zip(&now).any(|(fact, now)| before(fact).is_some_and(|before| before != now))
    }

    fn compare(
        &mut self,
        fact: &Fact,
        default: Option<&Constant>,
        comparison: Comparison,
        constant: &Constant,
    ) -> Option<bool> {
        if let Constant::Text(text) = constant {
            let value = self.read(fact).or(match default {
                Some(Constant::Text(default)) => Some(Value::Text((*default).to_owned())),
                _ => None,
            })?;
            let same = value == Value::Text((*text).to_owned());
            return Some(if comparison == Comparison::Is { same } else { !same });
        }
        let window = self.agent.window.map(Decimal::from);
        let of_window = |share: &Decimal| window.map(|window| (window * share).trunc());
        // Shares of the window are compared in tokens.
        let in_tokens = matches!(fact, Fact::ContextRatio | Fact::ReportedRatio);
        let number = |constant: &Constant| match constant {
            Constant::Number(share) | Constant::ShareOfWindow(share) if in_tokens => of_window(share),
            Constant::ShareOfWindow(share) => of_window(share),
            Constant::Number(number) | Constant::Tokens(number) => Some(*number),
            Constant::Text(_) => None,
        };
        self.took_part.fact(fact.name(), fact.scope());
        let value = match self.read_in_tokens(fact) {
            Some(value) => Some(value),
            None => default.and_then(number),
        };
        let (value, limit) = (value?, number(constant)?);
        Some(match comparison {
            Comparison::AtLeast => value >= limit,
            Comparison::Above => value > limit,
            Comparison::AtMost => value <= limit,
            Comparison::Below => value < limit,
            Comparison::Is => value == limit,
            Comparison::IsNot => value != limit,
        })
    }

    /// A number, of tokens for a share of the window.
    fn read_in_tokens(&mut self, fact: &Fact) -> Option<Decimal> {
        let fact = match fact {
            Fact::ContextRatio => &Fact::ContextTokens,
            Fact::ReportedRatio => &Fact::ReportedTokens,
            fact => fact,
        };
        let known = self.read(fact);
        match (fact, known?) {
            (_, Value::Number(number)) => Some(number),
            (fact, value) => unreachable!("{} is {value:?} and no number", fact.name()),
        }
    }
}

/// Whether all hold: false if one does not, and none if that is not known.
fn all(parts: &[Option<bool>]) -> Option<bool> {
    if parts.contains(&Some(false)) {
        return Some(false);
    }
    if parts.contains(&None) { None } else { Some(true) }
}
