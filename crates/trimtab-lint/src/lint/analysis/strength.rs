//! Whether one of two rules acts less often or less strongly than the other, apart from their conditions.

use trimtab_base::quantity::Quantity;
use trimtab_language::check::{Action, Condition, Guard, Rule};
use trimtab_language::condition::{Assumptions, Implication, due, implies, iterations};
use trimtab_language::effect::{EffectKind, LabelRole};
use trimtab_language::fact::Scope;

use crate::lint::analysis::effect_scope;

/// How the second of two rules acts, compared with the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// As often, or as strongly.
    Same,
    /// Less; what shows it.
    Less(String),
    /// More, or in another way.
    Other,
}

impl Strength {
    fn less(here: &str) -> Self {
        Self::Less(here.to_owned())
    }

    /// Of two parts, the first that is less; another one if one of them is.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Other, _) | (_, Self::Other) => Self::Other,
            (Self::Same, other) => other,
            (less, _) => less,
        }
    }
}

/// How a rule is limited after it has fired.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guards {
    /// The most attempts in a run; a failed summary is one.
    attempts: Option<u64>,
    /// The most firings in a run.
    firings: Option<u64>,
    /// The least number of iterations between two attempts.
    cooldown: u64,
    /// The number of guards that wait for a value or a condition.
    waits: usize,
    /// The condition of `once until`.
    rearm: Option<Condition>,
    /// How far back each of the guards remembers.
    scopes: Vec<Scope>,
}

impl Guards {
    /// The guards of a rule.
    pub(crate) fn of(rule: &Rule, assumptions: &Assumptions) -> Self {
        let can_fail = rule.actions.iter().any(|action| action.effect.kind.can_fail());
        let is_tried_once = rule.phase.comes_once();
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
    pub(crate) fn compare(&self, other: &Self, assumptions: &Assumptions) -> Strength {
        let scope = match (self.scopes.as_slice(), other.scopes.as_slice()) {
            ([], [scope]) | ([scope], []) => *scope,
            ([], []) => Scope::Run,
            ([own], [other]) if own == other => *own,
            ([Scope::Run], [Scope::Session]) => return self.over_session(other),
            _ => return Strength::Other,
        };
        let most = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
        let is_single = other.attempts == Some(1);
        let more = most(other.attempts) > most(self.attempts)
            || most(other.firings) > most(self.firings)
            || !is_single && (other.cooldown < self.cooldown || other.waits < self.waits);
        if more {
            return Strength::Other;
        }
        let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        let fewer = most(other.attempts) < most(self.attempts) || most(other.firings) < most(self.firings);
        let limit = least(other.attempts, most(other.firings)).filter(|_| fewer);
        let limit = limit.map(|limit| format!("at most {} in a {}", times(limit), scope.word()));
        let cooldown = (other.cooldown > self.cooldown).then(|| format!("not again for {} iterations", other.cooldown));
        let waits = (other.waits > self.waits).then(|| "waits after it has fired".to_owned());
        let waits = match (&self.rearm, &other.rearm) {
            (Some(old), Some(new)) if old != new => {
                let is_proved = |a: &Condition, b: &Condition| implies(a, b, assumptions) == Implication::Proved;
                match (is_proved(old, new), is_proved(new, old)) {
                    (true, true) => waits,
                    (false, true) => waits.or_else(|| Some("waits longer after it has fired".to_owned())),
                    _ => return Strength::Other,
                }
            }
            _ => waits,
        };
        limit.or(cooldown).or(waits).map_or(Strength::Same, Strength::Less)
    }

    /// How often other guards of the session allow a rule to fire, compared with these of a run.
    fn over_session(&self, other: &Self) -> Strength {
        let is_same = *other == Self { scopes: other.scopes.clone(), ..self.clone() };
        if is_same { Strength::less("is not reset when a run begins") } else { Strength::Other }
    }
}

fn least(limit: Option<u64>, other: u64) -> Option<u64> {
    Some(limit.map_or(other, |limit| limit.min(other)))
}

/// What the actions of the second rule reduce, compared with those of the first.
pub(crate) fn compare(old: &Rule, new: &Rule) -> Strength {
    let limiting = |rule: &Rule| -> Vec<Action> {
        let is_limit = |action: &&Action| !action.effect.kind.is_signal() || action.effect.kind == EffectKind::Stop;
        rule.actions.iter().filter(is_limit).cloned().collect()
    };
    let (old, new) = (limiting(old), limiting(new));
    if old.len() > new.len() {
        return if is_part(&new, &old) { Strength::less("does fewer of the effects") } else { Strength::Other };
    }
    if old.len() != new.len() {
        return Strength::Other;
    }
    old.iter().zip(&new).fold(Strength::Same, |all, (old, new)| all.and(compare_actions(old, new)))
}

/// Whether all actions of one list are in the other, in this order and as strong.
fn is_part(few: &[Action], many: &[Action]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|one| rest.any(|other| compare_actions(other, one) == Strength::Same))
}

/// What the numbers of an effect limit: a larger one reduces less.
const NUMBERS: [(LabelRole, &str); 9] = [
    (LabelRole::Keep, "keeps more"),
    (LabelRole::Retained, "sends more interactions"),
    (LabelRole::LeastRetained, "sends more interactions"),
    (LabelRole::RecentZone, "keeps more messages"),
    (LabelRole::MediumZone, "keeps more messages"),
    (LabelRole::ResultLimit, "leaves longer results"),
    (LabelRole::Preview, "leaves longer previews"),
    (LabelRole::Goal, "stops at a larger context"),
    (LabelRole::MinimumSaving, "waits for a larger saving"),
];

fn compare_actions(old: &Action, new: &Action) -> Strength {
    if !std::ptr::eq(old.effect, new.effect)
        || old.target_kind() != new.target_kind()
        || !effect_scope::covers(old, new)
    {
        return Strength::Other;
    }
    // With the same goal it still reduces as much, from other content.
    let goal = old.quantity(LabelRole::Goal);
    let is_as_much = effect_scope::covers(new, old) || goal.is_some() && goal == new.quantity(LabelRole::Goal);
    let selection = if is_as_much { Strength::Same } else { Strength::less("takes less of the context") };
    let numbers = NUMBERS.into_iter().map(|(role, what)| compare_numbers(old.quantity(role), new.quantity(role), what));
    // Without a limit, a summary may have any length.
    let [limit, other] = [old, new].map(|action| action.quantity(LabelRole::SummaryLimit));
    let summary = match (limit, other) {
        (Some(_), None) => Strength::less("allows longer summaries"),
        (None, Some(_)) => Strength::Other,
        _ => compare_numbers(limit, other, "allows longer summaries"),
    };
    numbers.chain([summary, selection]).fold(Strength::Same, Strength::and)
}

/// Compares two numbers of which a larger one reduces less, and none reduces most.
fn compare_numbers(old: Option<Quantity>, new: Option<Quantity>, what: &str) -> Strength {
    match (old, new) {
        (None, None) => Strength::Same,
        (None, Some(_)) => Strength::less(what),
        (Some(old), Some(new)) if old.unit == new.unit && old.amount == new.amount => Strength::Same,
        (Some(old), Some(new)) if old.unit == new.unit && old.amount < new.amount => Strength::less(what),
        _ => Strength::Other,
    }
}
