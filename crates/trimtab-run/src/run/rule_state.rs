//! What the guards of a rule need of its history: firings, attempts and values.

use trimtab_base::quantity::Decimal;
use trimtab_language::fact::{Scope, Seen};

/// The state of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleState {
    /// What it has done in the run. It is reset when a run begins.
    pub run: ScopedState,
    /// What it has done in the session.
    pub session: ScopedState,
}

/// What a rule has done in a run, or in the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopedState {
    /// The number of firings.
    pub fired: u64,
    /// The iteration of the last firing.
    pub last: Option<u64>,
    /// How often a person declined it.
    pub declined: u64,
    /// The number of attempts: firings, failed summaries and declined questions.
    pub attempts: u64,
    /// The iteration of the last attempt.
    pub last_attempt: Option<u64>,
    /// The number of failures since its effect last worked. A firing of the effect that `on_failure` names does not count.
    pub failed: u64,
    /// For `once per`: the value of the fact at the last firing.
    pub last_value: Option<Decimal>,
    /// For `changed`: the values that it compares, as they were at the last firing, or `None` before the first one.
    pub seen: Option<Seen>,
    /// For `until`: whether the rule stays triggered, because its condition has been true and the guard's has not been since.
    pub kept_triggered: bool,
    /// For `once until`: whether the rule has fired and the guard's condition has not been true since.
    pub used_up: bool,
}

/// A position in a session: the number of model calls before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// The model calls of the run, which is the iteration.
    pub(super) run: u64,
    /// The model calls of all runs.
    pub(super) session: u64,
}

impl Position {
    /// The number of model calls in the run, or in the session.
    pub(super) const fn of(self, scope: Scope) -> u64 {
        match scope {
            Scope::Run => self.run,
            Scope::Session => self.session,
        }
    }
}

impl ScopedState {
    /// Blocks `once per` until its fact is above this value, and `once until` until its condition has been true.
    fn use_up(&mut self, value: Option<Decimal>) {
        self.last_value = value.or(self.last_value);
        self.used_up = true;
    }
}

impl RuleState {
    /// What it has done in the run, or in the session.
    pub const fn of(&self, scope: Scope) -> &ScopedState {
        match scope {
            Scope::Run => &self.run,
            Scope::Session => &self.session,
        }
    }

    /// Like [`of`](Self::of), but mutable.
    pub(super) const fn of_mut(&mut self, scope: Scope) -> &mut ScopedState {
        match scope {
            Scope::Run => &mut self.run,
            Scope::Session => &mut self.session,
        }
    }

    /// What it has done in the run and in the session.
    pub(super) const fn all(&mut self) -> [&mut ScopedState; 2] {
        [&mut self.run, &mut self.session]
    }

    /// Records that the rule fired, with the value of the fact of `once per` and what the rule saw.
    pub(super) fn record_firing(&mut self, position: Position, value: Option<Decimal>, seen: &Seen) {
        self.record_attempt(position);
        for scope in Scope::ALL {
            let state = self.of_mut(scope);
            state.fired += 1;
            state.last = Some(position.of(scope));
            state.seen = Some(seen.clone());
            state.use_up(value);
        }
    }

    /// Records that a person declined the rule. It counts as a firing for the guards of the rule, and for nothing else.
    pub(super) fn record_decline(&mut self, position: Position, value: Option<Decimal>) {
        self.record_attempt(position);
        for state in self.all() {
            state.declined += 1;
            state.use_up(value);
        }
    }

    /// Records an attempt: a firing, a failed summary or a declined question.
    pub(super) fn record_attempt(&mut self, position: Position) {
        for scope in Scope::ALL {
            let state = self.of_mut(scope);
            state.attempts += 1;
            state.last_attempt = Some(position.of(scope));
        }
    }

    /// Counts failures in a row: a failed summary adds one, and a firing resets the number.
    pub(super) fn count_failures(&mut self, has_failed: bool, has_fired: bool) {
        for state in self.all() {
            state.failed = match (has_failed, has_fired) {
                (true, _) => state.failed + 1,
                (false, true) => 0,
                (false, false) => state.failed,
            };
        }
    }
}
