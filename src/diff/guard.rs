//! Guards held against each other: which set of them lets a rule fire more often.

use super::Fires;
use crate::check::{Condition, Guard, Rule};
use crate::condition::{Answer, Found, World, find, implies};

/// What the guards of a rule change in when it fires. Guards are held against those of their own kind.
pub(super) fn compare(old: &Rule, new: &Rule, world: &World) -> Fires {
    let kinds: [fn(&Guard) -> bool; 5] = [
        |guard| matches!(guard, Guard::Once | Guard::OncePer(_) | Guard::OnceUntil(_)),
        |guard| matches!(guard, Guard::Until(_)),
        |guard| matches!(guard, Guard::Every(_)),
        |guard| matches!(guard, Guard::Cooldown(_)),
        |guard| matches!(guard, Guard::Limit(_)),
    ];
    kinds.into_iter().fold(Fires::Same, |fires, is_of| {
        let one = |rule: &Rule| effective(rule, world).into_iter().find(&is_of);
        fires.and(held(one(old).as_ref(), one(new).as_ref(), world))
    })
}

/// The guards of a rule that hold it back in some state, each in its simplest form.
fn effective(rule: &Rule, world: &World) -> Vec<Guard> {
    let never = |end: &Condition| matches!(find(end, world), Found::Nothing);
    let simple = |guard: &Guard| match guard {
        Guard::OnceUntil(end) if never(end) => Guard::Once,
        other => other.clone(),
    };
    let mut guards: Vec<Guard> = rule.guards.iter().map(|guard| simple(&guard.node)).collect();
    // A failed summary starts a rest and counts, and is no firing; without one `once` says it all.
    let can_fail = rule.actions.iter().any(|action| action.effect.can_fail());
    if guards.contains(&Guard::Once) && !can_fail {
        guards.retain(|guard| !matches!(guard, Guard::Limit(_) | Guard::Cooldown(_)));
    }
    guards
}

fn held(old: Option<&Guard>, new: Option<&Guard>, world: &World) -> Fires {
    match (old, new) {
        (None, None) => Fires::Same,
        // `until` keeps a rule going, all others hold it back.
        (None, Some(Guard::Until(_))) => Fires::More("after the condition has held, until the end".to_owned()),
        (Some(Guard::Until(_)), None) => Fires::Less("after the condition has held, until the end".to_owned()),
        (None, Some(guard)) => Fires::Less(blocks(guard)),
        (Some(guard), None) => Fires::More(blocks(guard)),
        (Some(old), Some(new)) => both(old, new, world),
    }
}

/// A state in which a guard holds its rule back.
fn blocks(guard: &Guard) -> String {
    match guard {
        Guard::Once | Guard::OncePer(_) | Guard::OnceUntil(_) => "it has fired in this run before".to_owned(),
        Guard::Until(_) => "the end holds".to_owned(),
        Guard::Every(each) => format!("iteration = {}", if *each == 1 { 0 } else { each + 1 }),
        Guard::Cooldown(pause) if *pause <= 1 => "it has fired at this iteration before".to_owned(),
        Guard::Cooldown(_) => "it fired one iteration before".to_owned(),
        Guard::Limit(times) => format!("it has fired {times} times in this run"),
    }
}

fn both(old: &Guard, new: &Guard, world: &World) -> Fires {
    match (old, new) {
        (old, new) if old == new => Fires::Same,
        (Guard::Every(old), Guard::Every(new)) => every(*old, *new),
        (Guard::Cooldown(old), Guard::Cooldown(new)) => {
            let here = format!("it fired {} iterations before", old.min(new));
            if new > old { Fires::Less(here) } else { Fires::More(here) }
        }
        (Guard::Limit(old), Guard::Limit(new)) => {
            let here = format!("it has fired {} times in this run", old.min(new));
            if new > old { Fires::More(here) } else { Fires::Less(here) }
        }
        (Guard::Once, Guard::OncePer(reading)) => Fires::More(format!("{} has grown", reading.fact.name)),
        (Guard::OncePer(reading), Guard::Once) => Fires::Less(format!("{} has grown", reading.fact.name)),
        (Guard::Once, Guard::OnceUntil(_)) => Fires::More("the end has held since it fired".to_owned()),
        (Guard::OnceUntil(_), Guard::Once) => Fires::Less("the end has held since it fired".to_owned()),
        // An end that comes sooner arms `once` sooner and stops `until` sooner.
        (Guard::OnceUntil(old), Guard::OnceUntil(new)) => ends(old, new, world),
        (Guard::Until(old), Guard::Until(new)) => match ends(old, new, world) {
            Fires::More(here) => Fires::Less(here),
            Fires::Less(here) => Fires::More(here),
            Fires::Incomparable(more, less) => Fires::Incomparable(less, more),
            other => other,
        },
        _ => Fires::Incomparable(
            "the new guard opens and the old does not".to_owned(),
            "the old guard opens and the new does not".to_owned(),
        ),
    }
}

fn every(old: u64, new: u64) -> Fires {
    let at = |iteration: u64| format!("iteration = {iteration}");
    if old.is_multiple_of(new) {
        Fires::More(at(new))
    } else if new.is_multiple_of(old) {
        Fires::Less(at(old))
    } else {
        Fires::Incomparable(at(new), at(old))
    }
}

/// Whether the new end holds in more states.
fn ends(old: &Condition, new: &Condition, world: &World) -> Fires {
    let since = |here: String| format!("since it fired there was {here}");
    match (implies(old, new, world), implies(new, old, world)) {
        (Answer::Yes, Answer::Yes) => Fires::Same,
        (Answer::Yes, Answer::No(witness)) => Fires::More(since(witness.spoken())),
        (Answer::No(witness), Answer::Yes) => Fires::Less(since(witness.spoken())),
        (Answer::No(gone), Answer::No(new)) => Fires::Incomparable(since(new.spoken()), since(gone.spoken())),
        (Answer::TooLarge(why), _) | (_, Answer::TooLarge(why)) => Fires::Undecided(why),
    }
}
