//! When a rule fires, in one form: rules that fire at the same tries have the same.
//!
//! In: two rules and what is known of their host. Out: for each its condition and guards, without those that change
//! nothing.

use crate::check::{Condition, Guard, Reading, Rule};
use crate::condition::{Implication, SearchResult, World, find, from_iteration, implies};
use crate::effect::Nature;

/// What holds of both rules that are compared.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    /// Whether a summary of one of them may fail: then an attempt is not always a firing.
    can_fail: bool,
    /// Whether both always fire when they are due.
    is_signal: bool,
    /// Whether both are tried once in an iteration.
    is_tried_once: bool,
}

/// When a rule fires.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// `when` and not `unless`.
    pub(super) condition: Condition,
    /// What keeps it due when its condition no longer holds.
    pub(super) latch: Option<Latch>,
    /// The fact of `once per`.
    pub(super) per: Option<Reading>,
    /// The end of `once until`.
    pub(super) rearm: Option<Condition>,
    /// Its iterations are multiples of this one; 0 when all are.
    pub(super) every: u64,
    /// Iterations between two attempts; 0 when there is no rest.
    pub(super) cooldown: u64,
    /// The most firings in a run, where an attempt may fail.
    pub(super) firings: Option<u64>,
    /// The most attempts in a run.
    pub(super) attempts: Option<u64>,
}

/// What keeps a rule due.
#[derive(Clone, Debug)]
pub(super) struct Latch {
    /// The end of `until`.
    pub(super) end: Condition,
    /// Where `unless` does not hold the rule back meanwhile.
    pub(super) passes: Condition,
}

impl Shared {
    pub(super) fn of(old: &Rule, new: &Rule) -> Self {
        let both = [old, new];
        let effects = || both.iter().flat_map(|rule| &rule.actions).map(|action| action.effect);
        Self {
            can_fail: effects().any(crate::effect::Effect::can_fail),
            is_signal: effects().all(|effect| effect.nature == Nature::Signal),
            is_tried_once: both.iter().all(|rule| rule.phase.comes_once()),
        }
    }
}

impl Schedule {
    pub(super) fn of(rule: &Rule, shared: Shared, world: &World) -> Self {
        let mut all = Self {
            condition: rule.condition.clone(),
            latch: None,
            per: None,
            rearm: None,
            every: 0,
            cooldown: 0,
            firings: None,
            attempts: None,
        };
        for guard in &rule.guards {
            all.take(&guard.node, rule, shared, world);
        }
        all.simplify_latch(shared, world);
        all.simplify_counts(shared);
        all
    }

    fn take(&mut self, guard: &Guard, rule: &Rule, shared: Shared, world: &World) {
        match guard {
            Guard::OnceUntil(end) if matches!(find(end, world), SearchResult::Impossible) => self.once(shared),
            Guard::Once => self.once(shared),
            Guard::OncePer(reading) => self.per = Some(reading.clone()),
            Guard::OnceUntil(end) => self.rearm = Some(end.clone()),
            Guard::Until(end) => {
                let passes = rule.unless.as_ref().map_or(Condition::Constant(true), negated);
                self.latch = Some(Latch { end: end.clone(), passes });
            }
            Guard::Every(iterations) => self.every = (*iterations).max(1),
            Guard::Cooldown(iterations) => self.cooldown = *iterations,
            Guard::Limit(times) => self.attempts = Some(self.attempts.map_or(*times, |least| least.min(*times))),
        }
    }

    fn once(&mut self, shared: Shared) {
        if shared.can_fail {
            self.firings = Some(1);
        } else {
            self.attempts = Some(1);
        }
    }

    /// Whether it fires once in a run at most.
    pub(super) fn is_single(&self) -> bool {
        self.attempts == Some(1) || self.firings == Some(1)
    }

    /// Drops `until` and the end of `once until` where they change nothing.
    fn simplify_latch(&mut self, shared: Shared, world: &World) {
        let always = |one: &Condition| implies(&Condition::Constant(true), one, world) == Implication::Proved;
        let is_spent = shared.is_signal && self.attempts == Some(1) && self.every == 0 && self.is_definite();
        let is_due = |latch: &Latch| implies(&latch.passes, &self.condition, world) == Implication::Proved;
        let is_idle = self.latch.as_ref().is_some_and(|latch| is_spent || always(&latch.end) || is_due(latch));
        self.latch = self.latch.take().filter(|_| !is_idle);
        let opens = |end: &Condition| {
            always(end) || self.latch.is_none() && implies(&self.condition, end, world) == Implication::Proved
        };
        if self.rearm.as_ref().is_some_and(opens) {
            self.rearm = None;
        }
    }

    /// Drops what a count or a rest makes idle.
    fn simplify_counts(&mut self, shared: Shared) {
        if self.attempts == Some(1) {
            (self.cooldown, self.firings, self.rearm) = (0, None, None);
            if self.is_definite() {
                self.per = None;
            }
        }
        if shared.is_tried_once && self.cooldown <= self.every.max(1) {
            self.cooldown = 0;
        }
        if shared.is_tried_once && self.every > 0 {
            self.cooldown = self.cooldown.next_multiple_of(self.every);
        }
    }

    /// Says `every 1 iteration` as a condition, for a rule that is compared with one without `every`.
    pub(super) fn unfold_every(&mut self) {
        if self.every == 1 && self.latch.is_none() && self.per.is_none() {
            self.condition = from(&self.condition, 1);
            self.every = 0;
        }
    }

    /// Takes on the rest of another where multiples of its own iterations bring as much of it already.
    pub(super) fn adopt_rest(&mut self, other: &Self, shared: Shared) {
        let steps = self.cooldown.checked_div(self.every).unwrap_or(0).max(1);
        let (most, less) = (steps * self.every, (steps - 1) * self.every);
        if shared.is_tried_once && other.cooldown > less && other.cooldown <= most {
            self.cooldown = other.cooldown;
        }
    }

    /// The most firings in a run; every one of them is an attempt.
    pub(super) fn most_firings(&self) -> Option<u64> {
        self.firings.into_iter().chain(self.attempts).min()
    }

    /// Whether the fact of `once per`, if there is one, always has a value.
    fn is_definite(&self) -> bool {
        self.per.as_ref().is_none_or(|reading| !reading.fact.is_optional() && reading.fact.share_of().is_none())
    }

    /// Its condition where the iteration lets it fire at all.
    pub(super) fn opened(&self) -> Condition {
        if self.every > 0 { from(&self.condition, self.every) } else { self.condition.clone() }
    }

    /// Takes on what holds another back after its firing, where that changes nothing here: it fires once at most.
    pub(super) fn adopt(&mut self, other: &Self) {
        if self.is_single() && self.per.is_none() && self.rearm.is_none() {
            self.per = other.per.clone().filter(|_| other.is_definite());
            self.rearm.clone_from(&other.rearm);
        }
        if self.attempts == Some(1) {
            self.cooldown = other.cooldown;
        }
    }
}

fn negated(condition: &Condition) -> Condition {
    Condition::Not(Box::new(condition.clone()))
}

/// A condition from an iteration on.
fn from(condition: &Condition, iteration: u64) -> Condition {
    Condition::All(vec![condition.clone(), from_iteration(iteration)])
}
