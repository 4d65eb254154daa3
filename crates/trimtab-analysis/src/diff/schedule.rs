//! The schedule of a rule: its condition and guards in a normal form, without guards that change nothing.
//!
//! Rules that always fire at the same time have equal schedules.

use trimtab_language::check::{Condition, Guard, Reading, Rule};
use trimtab_language::condition::{
    Assumptions, Implication, Iterations, SearchResult, find, from_iteration, implies, iterations, until_iteration,
};
use trimtab_language::effect::EffectKind;
use trimtab_language::fact::Scope;

/// The most iterations that are tried one by one.
pub(super) const MAX_TRIED: usize = 32;

/// Whether a rule with `every` may fire at an iteration.
pub(super) const fn is_multiple(iteration: u64, every: u64) -> bool {
    iteration > 0 && iteration.is_multiple_of(every)
}

/// Properties of both rules of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Common {
    /// Whether a summary of one of them may fail, so that an attempt is not always a firing.
    can_fail: bool,
    /// Whether both always fire when they are due.
    is_signal: bool,
    /// Whether both are tried exactly once in each iteration.
    pub(super) is_tried_once: bool,
    /// How far back the guards of both remember.
    pub(super) scope: Scope,
}

/// When a rule fires.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// `when` and not `unless`.
    pub(super) condition: Condition,
    /// `when`: what `until` latches and what makes `once per` forget its value.
    pub(super) when: Condition,
    /// Keeps it triggered after its condition no longer holds.
    pub(super) latch: Option<Latch>,
    /// The fact of `once per`.
    pub(super) per: Option<Reading>,
    /// The end of `once until`.
    pub(super) rearm: Option<Condition>,
    /// It fires only at multiples of this iteration; 0 means at any.
    pub(super) every: u64,
    /// How far back its guards remember, and in what they count iterations.
    pub(super) scope: Scope,
    /// The iterations at which it can be due, if `every` has been converted into a condition.
    due: Vec<u64>,
    /// The least number of iterations between two attempts.
    pub(super) cooldown: u64,
    /// The most firings in a run or the session, if an attempt may fail.
    pub(super) firings: Option<u64>,
    /// The most attempts in a run or the session.
    pub(super) attempts: Option<u64>,
    /// The number of iterations of a run at which it can be due, if that is limited.
    pub(super) possible: Option<u64>,
}

/// Keeps a rule triggered until its end.
#[derive(Clone, Debug)]
pub(super) struct Latch {
    /// The end of `until`.
    pub(super) end: Condition,
    /// When `unless` does not block the rule meanwhile.
    pub(super) passes: Condition,
}

impl Common {
    /// The properties of rules whose guards have the same scope.
    pub(super) fn of(old: &Rule, new: &Rule, scope: Scope) -> Self {
        let both = [old, new];
        let kinds = || both.iter().flat_map(|rule| &rule.actions).map(|action| action.effect.kind);
        Self {
            can_fail: kinds().any(EffectKind::can_fail),
            is_signal: kinds().all(EffectKind::is_signal),
            is_tried_once: both.iter().all(|rule| rule.phase.runs_once_per_iteration()),
            scope,
        }
    }
}

impl Schedule {
    /// The schedule of a rule without its guards.
    fn unguarded(rule: &Rule, scope: Scope) -> Self {
        Self {
            condition: rule.condition.clone(),
            when: rule.when.clone(),
            latch: None,
            per: None,
            rearm: None,
            every: 0,
            scope,
            due: Vec::new(),
            cooldown: 0,
            firings: None,
            attempts: None,
            possible: None,
        }
    }

    pub(super) fn of(rule: &Rule, common: Common, assumptions: &Assumptions) -> Self {
        let mut all = Self::unguarded(rule, common.scope);
        for guard in &rule.guards {
            all.add(&guard.node, rule, common, assumptions);
        }
        if all.is_impossible(assumptions) {
            return Self { condition: Condition::Constant(false), ..Self::unguarded(rule, common.scope) };
        }
        all.simplify_latch(common, assumptions);
        all.simplify_cooldown(common);
        // Conditions read the iteration of the run.
        let is_of_run = common.scope == Scope::Run;
        if is_of_run {
            all.drop_every(assumptions);
            all.limit_to_due_iterations(common, assumptions);
        }
        all.simplify_counts(common);
        if is_of_run {
            all.fix_firings(common, assumptions);
        }
        all
    }

    /// Counts the few iterations of a run at which the rule can be due: it is attempted at each of them at most once, and
    /// not again if nothing is left of the run when its cooldown is over.
    fn limit_to_due_iterations(&mut self, common: Common, assumptions: &Assumptions) {
        if self.latch.is_some() || !common.is_tried_once {
            return;
        }
        if let Some(count) = iterations(&self.effective_condition(), assumptions).count() {
            self.possible = Some(count);
            if count == 1 || self.cooldown >= count {
                self.attempts = Some(1);
            }
        }
    }

    /// Converts `every` into a condition if it allows only a few of the iterations at which the rule can be due.
    fn drop_every(&mut self, assumptions: &Assumptions) {
        if self.every == 0 {
            return;
        }
        let Some(due) = self.due_iterations(assumptions) else { return };
        let at = |iteration: &u64| Condition::All(vec![from_iteration(*iteration), until_iteration(*iteration)]);
        self.condition = match due.as_slice() {
            [] => Condition::Constant(false),
            due => Condition::All(vec![self.condition.clone(), Condition::Any(due.iter().map(at).collect())]),
        };
        (self.every, self.due) = (0, due);
    }

    /// Adopts the `every` of another schedule if this one can be due only at its multiples.
    pub(super) fn adopt_every(&mut self, other: &Self, common: Common, assumptions: &Assumptions) {
        if self.every > 0 || other.every == 0 || self.scope == Scope::Session {
            return;
        }
        let due = if self.due.is_empty() { self.due_iterations(assumptions) } else { Some(self.due.clone()) };
        if due.is_some_and(|due| due.iter().all(|at| is_multiple(*at, other.every))) {
            self.every = other.every;
            self.simplify_cooldown(common);
        }
    }

    /// Returns the iterations at which the rule can be due, or `None` if they are too many.
    fn due_iterations(&self, assumptions: &Assumptions) -> Option<Vec<u64>> {
        if self.latch.is_some() || self.per.is_some() {
            return None;
        }
        let last = iterations(&self.condition, assumptions).last?;
        let mut allowed = self.allowed_from_first(assumptions).take_while(|at| *at <= last);
        let few: Vec<u64> = allowed.by_ref().take(MAX_TRIED).collect();
        let is_all = allowed.next().is_none();
        is_all.then(|| few.into_iter().filter(|at| self.can_be_due_at(*at, assumptions)).collect())
    }

    /// The iterations that `every` allows, from the first one on at which the rule can be due.
    pub(super) fn allowed_from_first(&self, assumptions: &Assumptions) -> impl Iterator<Item = u64> + use<> {
        let is_any = self.latch.is_some() || self.scope == Scope::Session;
        let first = if is_any { 0 } else { iterations(&self.condition, assumptions).first };
        let step = self.every.max(1);
        let first = first.max(self.every).checked_next_multiple_of(step);
        std::iter::successors(first, move |iteration| iteration.checked_add(step))
    }

    /// Whether the condition can hold at an iteration.
    pub(super) fn can_be_due_at(&self, iteration: u64, assumptions: &Assumptions) -> bool {
        let at = [self.condition.clone(), from_iteration(iteration), until_iteration(iteration)];
        let is_any = self.latch.is_some() || self.scope == Scope::Session;
        is_any || !matches!(find(&Condition::All(at.into()), assumptions), SearchResult::Impossible)
    }

    /// Whether the rule can never be due.
    pub(super) fn is_never_due(&self) -> bool {
        self.condition == Condition::Constant(false)
    }

    /// Whether it is proved that the rule can never be due.
    fn is_impossible(&self, assumptions: &Assumptions) -> bool {
        let never = |condition: &Condition| matches!(find(condition, assumptions), SearchResult::Impossible);
        never(&self.condition) || self.latch.is_none() && never(&self.effective_condition())
    }

    /// Gives a rule that is due at certain iterations, whatever happens, the condition that it fires.
    fn fix_firings(&mut self, common: Common, assumptions: &Assumptions) {
        let is_free = self.latch.is_none() && self.per.is_none() && self.rearm.is_none() && self.every == 0;
        if !(is_free && common.is_signal && common.is_tried_once) {
            return;
        }
        let Iterations { first, last } = iterations(&self.condition, assumptions);
        let between = |last: Option<u64>| {
            let end = last.map(until_iteration);
            Condition::All(std::iter::once(from_iteration(first)).chain(end).collect())
        };
        if implies(&between(last), &self.condition, assumptions) != Implication::Proved {
            return;
        }
        let step = self.cooldown.max(1);
        let possible = last.map(|last| last.saturating_sub(first) / step + 1);
        let Some(times) = possible.into_iter().chain(self.attempts).min().filter(|times| *times > 0) else { return };
        self.condition = between(Some(first.saturating_add((times - 1).saturating_mul(step))));
        self.attempts = Some(times);
        self.cooldown = if times == 1 { 0 } else { self.cooldown };
    }

    fn add(&mut self, guard: &Guard, rule: &Rule, common: Common, assumptions: &Assumptions) {
        match guard {
            Guard::OnceUntil(end) if matches!(find(end, assumptions), SearchResult::Impossible) => {
                self.add_once(common);
            }
            Guard::Once => self.add_once(common),
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

    fn add_once(&mut self, common: Common) {
        if common.can_fail {
            self.firings = Some(1);
        } else {
            self.attempts = Some(1);
        }
    }

    /// Whether it fires at most once in a run or the session.
    pub(super) fn is_single(&self) -> bool {
        self.attempts == Some(1) || self.firings == Some(1)
    }

    /// Removes `until` and the end of `once until` if they change nothing.
    fn simplify_latch(&mut self, common: Common, assumptions: &Assumptions) {
        let always =
            |condition: &Condition| implies(&Condition::Constant(true), condition, assumptions) == Implication::Proved;
        let is_free = implies(&self.when, &self.condition, assumptions) == Implication::Proved;
        let is_spent = common.is_signal && self.attempts == Some(1) && self.every == 0 && self.is_definite() && is_free;
        let is_due = |latch: &Latch| implies(&latch.passes, &self.condition, assumptions) == Implication::Proved;
        let is_idle = self.latch.as_ref().is_some_and(|latch| is_spent || always(&latch.end) || is_due(latch));
        self.latch = self.latch.take().filter(|_| !is_idle);
        let opens = |end: &Condition| {
            always(end) || self.latch.is_none() && implies(&self.condition, end, assumptions) == Implication::Proved
        };
        if self.rearm.as_ref().is_some_and(opens) {
            self.rearm = None;
        }
    }

    /// Removes guards that a limit or a cooldown makes redundant.
    fn simplify_counts(&mut self, common: Common) {
        if self.attempts == Some(1) {
            (self.cooldown, self.firings, self.rearm) = (0, None, None);
            if self.is_definite() {
                self.per = None;
            }
        }
        self.simplify_cooldown(common);
    }

    /// Removes a cooldown that `every` makes redundant, and makes others a multiple of it.
    fn simplify_cooldown(&mut self, common: Common) {
        // After a stop, a run can begin at the iteration of the session at which the rule fired.
        let is_tried_once = common.is_tried_once && self.scope == Scope::Run;
        if is_tried_once && self.cooldown <= self.every.max(1) {
            self.cooldown = 0;
        }
        if self.every > 0 {
            self.cooldown = self.cooldown.checked_next_multiple_of(self.every).unwrap_or(u64::MAX);
        }
    }

    /// Converts `every 1 iteration` into a condition, to compare the rule with one without `every`.
    pub(super) fn unfold_every(&mut self) {
        if self.every == 1 && self.latch.is_none() && self.per.is_none() && self.scope == Scope::Run {
            self.condition = from(&self.condition, 1);
            self.every = 0;
        }
    }

    /// Adopts the cooldown of another schedule if `every` makes both equivalent.
    pub(super) fn adopt_cooldown(&mut self, other: &Self, common: Common) {
        let steps = self.cooldown.checked_div(self.every).unwrap_or(0).max(1);
        let (most, less) = (steps * self.every, (steps - 1) * self.every);
        if common.is_tried_once && other.cooldown > less && other.cooldown <= most {
            self.cooldown = other.cooldown;
        }
    }

    /// The most firings in a run or the session. Every firing is an attempt.
    pub(super) fn most_firings(&self) -> Option<u64> {
        self.firings.into_iter().chain(self.attempts).min()
    }

    /// The most attempts and the most firings in a run or the session, also by the iterations at which it can be due.
    pub(super) fn bounds(&self) -> [Option<u64>; 2] {
        [self.attempts, self.most_firings()].map(|most| most.into_iter().chain(self.possible).min())
    }

    /// Whether the fact of `once per`, if any, is always known.
    fn is_definite(&self) -> bool {
        self.per.as_ref().is_none_or(|reading| !reading.fact.is_optional() && reading.fact.share_of().is_none())
    }

    /// Its condition, restricted to the iterations at which it can fire.
    pub(super) fn effective_condition(&self) -> Condition {
        if self.every > 0 && self.scope == Scope::Run {
            from(&self.condition, self.every)
        } else {
            self.condition.clone()
        }
    }

    /// Adopts the guards of another schedule that matter only after a firing, if this one fires at most once.
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

/// The condition, restricted to iterations from this one.
fn from(condition: &Condition, iteration: u64) -> Condition {
    Condition::All(vec![condition.clone(), from_iteration(iteration)])
}
