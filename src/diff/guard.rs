//! Schedules held against each other: which of two rules fires more often, or sooner.

use super::Fires;
use super::schedule::{Latch, Schedule, Shared};
use crate::check::{Condition, Reading, Rule};
use crate::condition::{Implication, Witness, World, implies, is_same};

/// When the second of two rules fires against the first.
pub(super) fn compare(old: &Rule, new: &Rule, world: &World) -> Fires {
    let shared = Shared::of(old, new);
    let (mut old, mut new) = (Schedule::of(old, shared, world), Schedule::of(new, shared, world));
    old.adopt(&new);
    new.adopt(&old);
    old.adopt_rest(&new, shared);
    new.adopt_rest(&old, shared);
    match (old.every, new.every) {
        (1, 0) => old.unfold_every(),
        (0, 1) => new.unfold_every(),
        _ => {}
    }
    let parts = [
        conditions(&old, &new, world),
        latches(&old, &new, world),
        memories(&old, &new, world),
        every(old.every, new.every),
        cooldowns(old.cooldown, new.cooldown),
    ];
    let fires = parts.into_iter().fold(Fires::Same, Fires::and);
    let counts = limits(old.attempts, new.attempts).and(limits(old.most_firings(), new.most_firings()));
    let fires = if remembers_values(&old, &new) { apart(fires) } else { fires };
    let most = old.most_firings().filter(|_| counts == Fires::Same);
    match (fires, most) {
        (Fires::More(here), Some(most)) => Fires::Earlier(here, most),
        (Fires::Less(here), Some(most)) => Fires::Later(here, most),
        (fires, _) => fires.and(counts),
    }
}

/// Whether both have `once per` and may fire again: then a firing more changes the value that later ones must exceed.
fn remembers_values(old: &Schedule, new: &Schedule) -> bool {
    old.per.is_some() && new.per.is_some() && !old.is_single() && !new.is_single()
}

/// Where each firing changes what later ones need, more states are no more firings.
fn apart(fires: Fires) -> Fires {
    let value = || "a firing that only one of them makes has raised the value of `once per`".to_owned();
    match fires {
        Fires::More(here) => Fires::Incomparable(here, value()),
        Fires::Less(here) => Fires::Incomparable(value(), here),
        other => other,
    }
}

fn conditions(old: &Schedule, new: &Schedule, world: &World) -> Fires {
    let found = if old.every == new.every {
        sets(&old.opened(), &new.opened(), world)
    } else {
        sets(&old.condition, &new.condition, world)
    };
    if found != Fires::Same || old.per.is_none() || new.per.is_none() {
        return found;
    }
    // `once per` forgets where the condition is known to fail.
    let fails = |one: &Schedule| Condition::Not(Box::new(one.condition.clone()));
    match sets(&fails(old), &fails(new), world) {
        Fires::Same => Fires::Same,
        other => other.turned().and(Fires::More("the condition has failed since it fired".to_owned())),
    }
}

/// Which of two conditions holds in more states.
fn sets(old: &Condition, new: &Condition, world: &World) -> Fires {
    sets_said(old, new, world, Witness::to_string)
}

fn sets_said(old: &Condition, new: &Condition, world: &World, say: impl Fn(&Witness) -> String) -> Fires {
    match (implies(old, new, world), implies(new, old, world)) {
        (Implication::Proved, Implication::Proved) => Fires::Same,
        (Implication::Proved, Implication::Refuted(witness)) => Fires::More(say(&witness)),
        (Implication::Refuted(witness), Implication::Proved) => Fires::Less(say(&witness)),
        (Implication::Refuted(gone), Implication::Refuted(new)) => Fires::Incomparable(say(&new), say(&gone)),
        (Implication::TooLarge(why), _) | (_, Implication::TooLarge(why)) => Fires::Undecided(why),
    }
}

/// `until` keeps a rule going, all other guards hold it back.
fn latches(old: &Schedule, new: &Schedule, world: &World) -> Fires {
    let going = || "after the condition has held, until the end".to_owned();
    // Where the other is due all the while, nothing is kept going that would not be.
    let is_covered =
        |latch: &Latch, other: &Schedule| implies(&latch.passes, &other.condition, world) == Implication::Proved;
    match (&old.latch, &new.latch) {
        (None, None) => Fires::Same,
        (None, Some(latch)) if is_covered(latch, old) => Fires::Same,
        (Some(latch), None) if is_covered(latch, new) => Fires::Same,
        (None, Some(_)) => Fires::More(going()),
        (Some(_), None) => Fires::Less(going()),
        (Some(old), Some(new)) => {
            let since = |witness: &Witness| format!("after the condition has held, where {witness}");
            let ends = sets_said(&old.end, &new.end, world, since).turned();
            ends.and(sets_said(&old.passes, &new.passes, world, since))
        }
    }
}

/// What holds a rule back since it fired.
fn memories(old: &Schedule, new: &Schedule, world: &World) -> Fires {
    let since = |witness: &Witness| format!("since it fired there was {witness}");
    match ((&old.per, &old.rearm), (&new.per, &new.rearm)) {
        ((None, None), (None, None)) => Fires::Same,
        ((None, None), _) => Fires::Less("it has fired in this run before".to_owned()),
        (_, (None, None)) => Fires::More("it has fired in this run before".to_owned()),
        ((Some(old), _), (Some(new), _)) if is_alike(old, new) => Fires::Same,
        ((_, Some(old)), (_, Some(new))) => sets_said(old, new, world, since),
        (old, new) => {
            let grown = |(per, rearm): (&Option<Reading>, &Option<Condition>)| match (per, rearm) {
                (Some(reading), _) => format!("{} has grown since it fired", reading.fact.name),
                _ => "the end has held since it fired".to_owned(),
            };
            Fires::Incomparable(grown(new), grown(old))
        }
    }
}

/// Whether two readings always give the same value.
fn is_alike(one: &Reading, other: &Reading) -> bool {
    is_same(one, other) && one.fallback == other.fallback
}

fn every(old: u64, new: u64) -> Fires {
    // A multiple of the one that is none of the other; 0 stands for every iteration.
    let at = |each: u64, not: u64| {
        format!(
            "iteration = {}",
            if each == 0 && not == 1 {
                0
            } else if each == 0 {
                not + 1
            } else {
                each
            }
        )
    };
    match (old, new) {
        (old, new) if old == new => Fires::Same,
        (_, 0) => Fires::More(at(0, old)),
        (0, _) => Fires::Less(at(0, new)),
        (old, new) if old.is_multiple_of(new) => Fires::More(at(new, old)),
        (old, new) if new.is_multiple_of(old) => Fires::Less(at(old, new)),
        (old, new) => Fires::Incomparable(at(new, old), at(old, new)),
    }
}

fn cooldowns(old: u64, new: u64) -> Fires {
    let here = || match old.min(new) {
        0 if old.max(new) <= 1 => "it has fired at this iteration before".to_owned(),
        0 | 1 => "it fired one iteration before".to_owned(),
        pause => format!("it fired {pause} iterations before"),
    };
    match old.cmp(&new) {
        std::cmp::Ordering::Equal => Fires::Same,
        std::cmp::Ordering::Less => Fires::Less(here()),
        std::cmp::Ordering::Greater => Fires::More(here()),
    }
}

fn limits(old: Option<u64>, new: Option<u64>) -> Fires {
    let here = |times: u64| match times {
        1 => "it has fired once in this run".to_owned(),
        times => format!("it has fired {times} times in this run"),
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
