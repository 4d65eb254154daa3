//! Compares how often and how strongly two rules act, apart from their conditions.

use trimtab_base::quantity::Quantity;
use trimtab_language::check::{Action, Condition, Guard, Rule};
use trimtab_language::condition::{Assumptions, Implication, due, implies, iterations};
use trimtab_language::effect::{EffectKind, LabelRole};
use trimtab_language::fact::Scope;

use crate::lint::analysis::effect_scope;

/// How the second of two rules acts, compared with the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StrengthChange {
    /// As often, or as strongly.
    Unchanged,
    /// Less often, or less strongly. The string explains it, as a label of the finding.
    Weaker(String),
    /// More often, more strongly or in another way.
    Different,
}

impl StrengthChange {
    fn weaker(explanation: &str) -> Self {
        Self::Weaker(explanation.to_owned())
    }

    /// The change of a whole with two parts: different if one part is, otherwise that of the first part that is weaker.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Different, _) | (_, Self::Different) => Self::Different,
            (Self::Unchanged, other) => other,
            (weaker, _) => weaker,
        }
    }
}

/// How a rule is limited after it has fired.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guards {
    /// The maximum number of attempts in a run, or in the session, see `scopes`. A failed summary is an attempt.
    attempts: Option<u64>,
    /// The maximum number of firings in a run, or in the session, see `scopes`.
    firings: Option<u64>,
    /// The minimum number of iterations between two attempts.
    cooldown: u64,
    /// The number of guards that wait for a value or a condition.
    waits: usize,
    /// The condition of `once until`.
    rearm: Option<Condition>,
    /// The scopes of the guards, without duplicates.
    scopes: Vec<Scope>,
}

impl Guards {
    /// The guards of a rule.
    pub(crate) fn of(rule: &Rule, assumptions: &Assumptions) -> Self {
        let can_fail = rule.actions.iter().any(|action| action.effect.kind.can_fail());
        let is_tried_once = rule.phase.runs_once_per_iteration();
        let mut scopes: Vec<Scope> = rule.guards.iter().map(|guard| guard.scope).collect();
        scopes.sort_unstable();
        scopes.dedup();
        let counts_runs = is_tried_once && !scopes.contains(&Scope::Session);
        let possible = iterations(&due(rule), assumptions).count().filter(|_| counts_runs);
        let mut all = Self { attempts: possible, firings: possible, cooldown: 0, waits: 0, rearm: None, scopes };
        let mut every = 0;
        for guard in &rule.guards {
            match &guard.node {
                Guard::Limit(most) => all.limit_attempts(*most),
                Guard::Once if can_fail => all.firings = least(all.firings, 1),
                Guard::Once => all.limit_attempts(1),
                Guard::Cooldown(iterations) => all.cooldown = *iterations,
                Guard::Every(iterations) => every = (*iterations).max(1),
                Guard::OncePer(_) => all.waits += 1,
                Guard::OnceUntil(end) => {
                    all.waits += 1;
                    all.rearm = Some(end.clone());
                }
                // It is part of the condition.
                Guard::Until(_) => {}
            }
        }
        if every > 0 {
            all.cooldown = all.cooldown.next_multiple_of(every);
        }
        if is_tried_once {
            all.cooldown = all.cooldown.max(every).max(1);
        }
        if all.attempts.is_some_and(|attempts| attempts <= 1) {
            (all.cooldown, all.waits, all.rearm) = (0, 0, None);
        }
        all
    }

    fn limit_attempts(&mut self, most: u64) {
        self.attempts = least(self.attempts, most);
        self.firings = least(self.firings, most);
    }

    /// How often other guards allow a rule to fire, compared with these.
    pub(crate) fn compare(&self, other: &Self, assumptions: &Assumptions) -> StrengthChange {
        let scope = match (self.scopes.as_slice(), other.scopes.as_slice()) {
            ([], [scope]) | ([scope], []) => *scope,
            ([], []) => Scope::Run,
            ([own], [other]) if own == other => *own,
            ([Scope::Run], [Scope::Session]) => return self.compare_with_session(other),
            _ => return StrengthChange::Different,
        };
        let most = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
        let is_single = other.attempts == Some(1);
        let more = most(other.attempts) > most(self.attempts)
            || most(other.firings) > most(self.firings)
            || !is_single && (other.cooldown < self.cooldown || other.waits < self.waits);
        if more {
            return StrengthChange::Different;
        }
        let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let fewer = most(other.attempts) < most(self.attempts) || most(other.firings) < most(self.firings);
        let limit = least(other.attempts, most(other.firings)).filter(|_| fewer);
        let limit = limit.map(|limit| format!("at most {} in a {}", times(limit), scope.word()));
        let cooldown = (other.cooldown > self.cooldown).then(|| format!("not again for {} iterations", other.cooldown));
        let new_wait = if self.rearm.is_none() && other.rearm.is_some() {
            "fires again only after its `once until` condition has been true"
        } else {
            "fires again only when its `once per` fact has risen"
        };
        let waits = (other.waits > self.waits).then(|| new_wait.to_owned());
        let waits = match (&self.rearm, &other.rearm) {
            (Some(old), Some(new)) if old != new => {
                let is_proved = |a: &Condition, b: &Condition| implies(a, b, assumptions) == Implication::Proved;
                match (is_proved(old, new), is_proved(new, old)) {
                    (true, true) => waits,
                    (false, true) => waits.or_else(|| Some("its `once until` condition is true less often".to_owned())),
                    _ => return StrengthChange::Different,
                }
            }
            _ => waits,
        };
        limit.or(cooldown).or(waits).map_or(StrengthChange::Unchanged, StrengthChange::Weaker)
    }

    /// How often other guards with the scope of the session allow a rule to fire, compared with these guards of a run.
    fn compare_with_session(&self, other: &Self) -> StrengthChange {
        let is_same = *other == Self { scopes: other.scopes.clone(), ..self.clone() };
        if is_same { StrengthChange::weaker("is not reset when a run begins") } else { StrengthChange::Different }
    }
}

fn least(limit: Option<u64>, other: u64) -> Option<u64> {
    Some(limit.map_or(other, |limit| limit.min(other)))
}

/// What the actions of the second rule reduce, compared with those of the first.
pub(crate) fn compare(old: &Rule, new: &Rule) -> StrengthChange {
    let limiting = |rule: &Rule| -> Vec<Action> {
        let is_limit = |action: &&Action| action.effect.kind != EffectKind::Signal;
        rule.actions.iter().filter(is_limit).cloned().collect()
    };
    let (old, new) = (limiting(old), limiting(new));
    if old.len() > new.len() {
        return if is_part(&new, &old) {
            StrengthChange::weaker("does fewer of the effects")
        } else {
            StrengthChange::Different
        };
    }
    if old.len() != new.len() {
        return StrengthChange::Different;
    }
    old.iter().zip(&new).fold(StrengthChange::Unchanged, |all, (old, new)| all.and(compare_actions(old, new)))
}

/// Whether the longer list contains all actions of the shorter one, in this order and equally strong.
fn is_part(few: &[Action], many: &[Action]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|one| rest.any(|other| compare_actions(other, one) == StrengthChange::Unchanged))
}

/// The labels of an effect with which a larger number reduces less, and what it then does.
const NUMBERS: [(LabelRole, &str); 9] = [
    (LabelRole::Keep, "keeps more"),
    (LabelRole::Retained, "sends more interactions"),
    (LabelRole::LeastRetained, "sends more interactions"),
    (LabelRole::RecentZone, "keeps more messages"),
    (LabelRole::MediumZone, "keeps more messages"),
    (LabelRole::ResultLimit, "leaves longer results"),
    (LabelRole::Preview, "leaves longer previews"),
    (LabelRole::DownTo, "stops at a larger context"),
    (LabelRole::MinimumSaving, "waits for a larger saving"),
];

fn compare_actions(old: &Action, new: &Action) -> StrengthChange {
    if !std::ptr::eq(old.effect, new.effect)
        || old.target_kind() != new.target_kind()
        || !effect_scope::covers(old, new)
    {
        return StrengthChange::Different;
    }
    // With the same `down_to`, the new rule still reduces the context as much, from other content.
    let down_to = old.quantity(LabelRole::DownTo);
    let is_as_much = effect_scope::covers(new, old) || down_to.is_some() && down_to == new.quantity(LabelRole::DownTo);
    let selection =
        if is_as_much { StrengthChange::Unchanged } else { StrengthChange::weaker("takes less of the context") };
    let numbers = NUMBERS.into_iter().map(|(role, what)| compare_numbers(old.quantity(role), new.quantity(role), what));
    // Without a limit, a summary may have any length.
    let [limit, other] = [old, new].map(|action| action.quantity(LabelRole::SummaryLimit));
    let summary = match (limit, other) {
        (Some(_), None) => StrengthChange::weaker("allows longer summaries"),
        (None, Some(_)) => StrengthChange::Different,
        _ => compare_numbers(limit, other, "allows longer summaries"),
    };
    numbers.chain([summary, selection]).fold(StrengthChange::Unchanged, StrengthChange::and)
}

/// Compares two numbers. A larger number reduces less, and `None` reduces the most.
fn compare_numbers(old: Option<Quantity>, new: Option<Quantity>, what: &str) -> StrengthChange {
    match (old, new) {
        (None, None) => StrengthChange::Unchanged,
        (None, Some(_)) => StrengthChange::weaker(what),
        (Some(old), Some(new)) if old.unit == new.unit && old.amount == new.amount => StrengthChange::Unchanged,
        (Some(old), Some(new)) if old.unit == new.unit && old.amount < new.amount => StrengthChange::weaker(what),
        _ => StrengthChange::Different,
    }
}
