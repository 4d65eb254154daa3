//! Comparison of schedules: which of two rules fires more often or earlier.

use trimtab_language::check::{Condition, Reading, Rule};
use trimtab_language::condition::{
    Assumptions, Implication, Witness, from_iteration, implies, is_same, turning_points, until_iteration,
};
use trimtab_language::fact::Scope;

use super::schedule::{Common, Latch, MAX_TRIED, Schedule, is_multiple};
use super::scope;
use super::{Fires, FiringLimit};

/// When the second of two rules fires, compared with the first.
pub(super) fn compare(old: &Rule, new: &Rule, assumptions: &Assumptions) -> Fires {
    match scope::common(old, new) {
        Some(scope) => compare_schedules(old, new, scope, assumptions),
        None => scope::compare(old, new),
    }
}

/// When the second of two rules fires, compared with the first, if their guards have the same scope.
fn compare_schedules(old: &Rule, new: &Rule, scope: Scope, assumptions: &Assumptions) -> Fires {
    let common = Common::of(old, new, scope);
    let (mut old, mut new) = (Schedule::of(old, common, assumptions), Schedule::of(new, common, assumptions));
    old.adopt(&new);
    new.adopt(&old);
    old.adopt_every(&new, common, assumptions);
    new.adopt_every(&old, common, assumptions);
    old.adopt_cooldown(&new, common);
    new.adopt_cooldown(&old, common);
    match (old.every, new.every) {
        (1, 0) => old.unfold_every(),
        (0, 1) => new.unfold_every(),
        _ => {}
    }
    if old.is_never_due() || new.is_never_due() {
        if old.latch.is_some() || new.latch.is_some() {
            return compare_conditions(&old.condition, &new.condition, assumptions);
        }
        return compare_allowed(&old, &new, old.every.max(new.every), assumptions);
    }
    let parts = [
        conditions(&old, &new, assumptions),
        compare_until(&old, &new, assumptions),
        once_guards(&old, &new, scope, assumptions),
        every(&old, &new, assumptions),
        cooldowns(&old, &new, common),
    ];
    let fires = parts.into_iter().fold(Fires::Same, Fires::and);
    let ([attempts, firings], [later_attempts, later_firings]) = (old.bounds(), new.bounds());
    let counts = limits(attempts, later_attempts, scope).and(limits(firings, later_firings, scope));
    let fires = if remembers_values(&old, &new) { without_order(fires) } else { fires };
    let most = old.most_firings().filter(|_| counts == Fires::Same).map(|times| FiringLimit { times, scope });
    match (fires, most) {
        (Fires::More(here), Some(most)) => Fires::Earlier(here, most),
        (Fires::Less(here), Some(most)) => Fires::Later(here, most),
        (fires, _) => fires.and(counts),
    }
}

/// Whether both have `once per` and may fire again, so that one more firing raises the value that later ones must exceed.
fn remembers_values(old: &Schedule, new: &Schedule) -> bool {
    old.per.is_some() && new.per.is_some() && !old.is_single() && !new.is_single()
}

/// The comparison if each firing affects later ones, so that more states do not mean more firings.
fn without_order(fires: Fires) -> Fires {
    let value = || "a firing under only one of the policies has raised the value that `once per` compares".to_owned();
    match fires {
        Fires::More(here) => Fires::Incomparable(here, value()),
        Fires::Less(here) => Fires::Incomparable(value(), here),
        other => other,
    }
}

fn conditions(old: &Schedule, new: &Schedule, assumptions: &Assumptions) -> Fires {
    let is_latched = old.latch.is_some() || new.latch.is_some();
    let found = if old.every == new.every && !is_latched && old.scope == Scope::Run {
        compare_allowed(old, new, old.every, assumptions)
    } else {
        compare_conditions(&old.condition, &new.condition, assumptions)
    };
    if found != Fires::Same || old.per.is_none() || new.per.is_none() {
        return found;
    }
    // `once per` forgets its value when the condition fails.
    let fails = |schedule: &Schedule| Condition::Not(Box::new(schedule.when.clone()));
    match compare_conditions(&fails(old), &fails(new), assumptions) {
        Fires::Same => Fires::Same,
        other => other.reversed().and(Fires::More("the condition has failed since it fired".to_owned())),
    }
}

/// Compares the states in which the conditions hold at the iterations that `every` allows.
fn compare_allowed(old: &Schedule, new: &Schedule, every: u64, assumptions: &Assumptions) -> Fires {
    let implies = |first: &Condition, second: &Condition| implies_at_multiples(first, second, every, assumptions);
    compare_implications(&old.effective_condition(), &new.effective_condition(), implies, Witness::to_string)
}

/// Compares the states in which two conditions hold.
fn compare_conditions(old: &Condition, new: &Condition, assumptions: &Assumptions) -> Fires {
    compare_conditions_as(old, new, assumptions, Witness::to_string)
}

fn compare_conditions_as(
    old: &Condition,
    new: &Condition,
    assumptions: &Assumptions,
    format: impl Fn(&Witness) -> String,
) -> Fires {
    compare_implications(old, new, |first, second| implies(first, second, assumptions), format)
}

/// Compares two conditions, given whether one implies the other.
fn compare_implications(
    old: &Condition,
    new: &Condition,
    implies: impl Fn(&Condition, &Condition) -> Implication,
    format: impl Fn(&Witness) -> String,
) -> Fires {
    match (implies(old, new), implies(new, old)) {
        (Implication::Proved, Implication::Proved) => Fires::Same,
        (Implication::Proved, Implication::Refuted(witness)) => Fires::More(format(&witness)),
        (Implication::Refuted(witness), Implication::Proved) => Fires::Less(format(&witness)),
        (Implication::Refuted(lost), Implication::Refuted(new)) => Fires::Incomparable(format(&new), format(&lost)),
        (Implication::TooLarge(why), _) | (_, Implication::TooLarge(why)) => Fires::Undecided(why),
    }
}

/// Whether a condition implies another one at the iterations that `every` allows. With very many turning points, it may be refuted
/// at another iteration.
fn implies_at_multiples(first: &Condition, second: &Condition, every: u64, assumptions: &Assumptions) -> Implication {
    let anywhere = implies(first, second, assumptions);
    let Implication::Refuted(witness) = &anywhere else { return anywhere };
    let is_allowed = |iteration: u64| every <= 1 || is_multiple(iteration, every);
    if witness.iteration().is_none_or(is_allowed) {
        return anywhere;
    }
    // Between two of these iterations, the conditions do not depend on the number of calls.
    let changes = [first, second].into_iter().flat_map(turning_points).chain([every]);
    let mut tried: Vec<u64> = changes.filter_map(|at| at.max(every).checked_next_multiple_of(every)).collect();
    tried.sort_unstable();
    tried.dedup();
    if tried.len() > MAX_TRIED {
        return anywhere;
    }
    let at = |iteration| {
        let condition = vec![first.clone(), from_iteration(iteration), until_iteration(iteration)];
        implies(&Condition::All(condition), second, assumptions)
    };
    tried.into_iter().map(at).find(|found| *found != Implication::Proved).unwrap_or(Implication::Proved)
}

/// Compares `until`, which keeps a rule triggered; all other guards block it.
fn compare_until(before: &Schedule, after: &Schedule, assumptions: &Assumptions) -> Fires {
    let latched = || "after the condition has held, until the `until` condition holds".to_owned();
    // If the other rule is due all the time, the latch changes nothing.
    let is_covered =
        |latch: &Latch, other: &Schedule| implies(&latch.passes, &other.condition, assumptions) == Implication::Proved;
    match (&before.latch, &after.latch) {
        (None, None) => Fires::Same,
        (None, Some(latch)) if is_covered(latch, before) => Fires::Same,
        (Some(latch), None) if is_covered(latch, after) => Fires::Same,
        (None, Some(_)) => Fires::More(latched()),
        (Some(_), None) => Fires::Less(latched()),
        (Some(old), Some(new)) => {
            let since = |witness: &Witness| format!("after the condition has held, in a state with {witness}");
            let ends = compare_conditions_as(&old.end, &new.end, assumptions, since).reversed();
            let passes = compare_conditions_as(&old.passes, &new.passes, assumptions, since);
            let latched = |witness: &Witness| format!("after a state with {witness}, which `unless` blocks");
            ends.and(passes).and(compare_conditions_as(&before.when, &after.when, assumptions, latched))
        }
    }
}

/// Compares `once`, `once per` and `once until`.
fn once_guards(old: &Schedule, new: &Schedule, scope: Scope, assumptions: &Assumptions) -> Fires {
    let fired = || format!("it has fired in this {} before", scope.word());
    let since = |witness: &Witness| format!("since it fired, there has been a state with {witness}");
    match ((&old.per, &old.rearm), (&new.per, &new.rearm)) {
        ((None, None), (None, None)) => Fires::Same,
        ((None, None), _) => Fires::Less(fired()),
        (_, (None, None)) => Fires::More(fired()),
        ((Some(old), _), (Some(new), _)) if is_equal(old, new) => Fires::Same,
        ((_, Some(old)), (_, Some(new))) => compare_conditions_as(old, new, assumptions, since),
        (old, new) => {
            let grown = |(per, rearm): (&Option<Reading>, &Option<Condition>)| match (per, rearm) {
                (Some(reading), _) => format!("{} has grown since it fired", reading.name()),
                _ => "the `until` condition has held since it fired".to_owned(),
            };
            Fires::Incomparable(grown(new), grown(old))
        }
    }
}

/// Whether two readings always have the same value.
fn is_equal(reading: &Reading, other: &Reading) -> bool {
    is_same(reading, other) && reading.fallback == other.fallback
}

/// Compares `every`. The example is an iteration that is a multiple of one number and not of the other, and at which the rule can be
/// due.
fn every(old: &Schedule, new: &Schedule, assumptions: &Assumptions) -> Fires {
    let at = |of: &Schedule, not: u64| {
        let tried =
            of.allowed_from_first(assumptions).take(MAX_TRIED).filter(|iteration| !is_multiple(*iteration, not));
        let tried: Vec<u64> = tried.collect();
        let found = tried.iter().find(|iteration| of.can_be_due_at(**iteration, assumptions)).or_else(|| tried.first());
        let found = found.unwrap_or(&of.every);
        match of.scope {
            Scope::Run => format!("iteration = {found}"),
            Scope::Session => format!("iteration {found} of the session"),
        }
    };
    let (before, after) = (old, new);
    match (old.every, new.every) {
        (old, new) if old == new => Fires::Same,
        (old, 0) => Fires::More(at(after, old)),
        (0, new) => Fires::Less(at(before, new)),
        (old, new) if old.is_multiple_of(new) => Fires::More(at(after, old)),
        (old, new) if new.is_multiple_of(old) => Fires::Less(at(before, new)),
        (old, new) => Fires::Incomparable(at(after, old), at(before, new)),
    }
}

/// Compares cooldowns. The example is a pause after a firing that only the shorter cooldown allows.
fn cooldowns(old: &Schedule, new: &Schedule, common: Common) -> Fires {
    let (shorter, longer) = if old.cooldown <= new.cooldown { (old, new) } else { (new, old) };
    // A phase that runs once in an iteration is not tried again in it.
    let least = shorter.cooldown.max(u64::from(common.is_tried_once));
    // With `every`, there are only multiples between two firings.
    let multiple = |step: u64| least.checked_next_multiple_of(step.max(1)).filter(|pause| *pause < longer.cooldown);
    let pause = [of_both(old.every, new.every), longer.every].into_iter().find_map(multiple).unwrap_or(least);
    let here = || match pause {
        0 => "it has fired at this iteration before".to_owned(),
        1 => "it fired one iteration before".to_owned(),
        pause => format!("it fired {pause} iterations before"),
    };
    match old.cooldown.cmp(&new.cooldown) {
        std::cmp::Ordering::Equal => Fires::Same,
        std::cmp::Ordering::Less => Fires::Less(here()),
        std::cmp::Ordering::Greater => Fires::More(here()),
    }
}

/// A multiple of both numbers; 0 is any iteration.
fn of_both(old: u64, new: u64) -> u64 {
    let (less, more) = (old.min(new).max(1), old.max(new).max(1));
    if more.is_multiple_of(less) { more } else { less.saturating_mul(more) }
}

fn limits(old: Option<u64>, new: Option<u64>, scope: Scope) -> Fires {
    let here = |times: u64| match times {
        1 => format!("it has fired once in this {}", scope.word()),
        times => format!("it has fired {times} times in this {}", scope.word()),
    };
    match (old, new) {
        (old, new) if old == new => Fires::Same,
        (None, Some(times)) => Fires::Less(here(times)),
        (Some(times), None) => Fires::More(here(times)),
        (Some(old), Some(new)) if old < new => Fires::More(here(old)),
        (_, Some(new)) => Fires::Less(here(new)),
        (_, None) => Fires::Same,
    }
}
