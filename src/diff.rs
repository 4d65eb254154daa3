//! Two plans held against each other: rule by rule and phase by phase, which fires more, with a state that shows it.
//!
//! In: two plans. Out: what differs in meaning; what only reads differently is the same. It reads no file and replays
//! nothing; [`Replays`] compares what two replays of one transcript showed.

mod guard;
mod replay;
mod schedule;

use std::collections::BTreeSet;

use smol_str::SmolStr;

use crate::check::{Agent, Rule};
use crate::condition::World;
use crate::phase::Phase;
use crate::plan::Plan;

pub use replay::Replays;

/// What differs between two plans.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Each rule of either, in the order of the second and then those that are gone.
    pub rules: Vec<RuleDifference>,
    /// What is said of the host, where it differs: the word, before, after.
    pub host: Vec<(&'static str, String, String)>,
}

/// What differs in one rule.
#[derive(Clone, Debug)]
pub struct RuleDifference {
    /// The rule.
    pub name: SmolStr,
    /// The phase in the second plan; for a rule that is gone, in the first.
    pub phase: Phase,
    /// What happened to it.
    pub change: Change,
}

/// What happened to a rule.
#[derive(Clone, Debug)]
pub enum Change {
    /// It stands only in the second plan.
    Added,
    /// It stands only in the first.
    Removed,
    /// It stands in both.
    Kept {
        /// Where it was tried before, if it moved to another phase.
        phase: Option<Phase>,
        /// When it fires now.
        fires: Fires,
        /// Whether it does something else now, or on a failure.
        effects: bool,
        /// A rule that it was tried before and now is tried after, or the other way round.
        order: Option<SmolStr>,
    },
}

/// When a rule fires, in the second plan against the first.
#[derive(Clone, Debug, PartialEq)]
pub enum Fires {
    /// In the same states.
    Same,
    /// In more; here is one.
    More(String),
    /// In fewer; here is one in which it no longer does.
    Less(String),
    /// In more, but no more than so many times in a run either way: its firings only come earlier, or in runs in which
    /// it did not fire.
    Earlier(String, u64),
    /// The other way round.
    Later(String, u64),
    /// In others: one that is new, one that is gone.
    Incomparable(String, String),
    /// That was not decided; here is why.
    Undecided(String),
}

impl Fires {
    /// The words in output.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::More(_) => "fires more",
            Self::Less(_) => "fires less",
            Self::Earlier(..) => "fires earlier",
            Self::Later(..) => "fires later",
            Self::Incomparable(..) => "incomparable",
            Self::Undecided(_) => "undecided",
        }
    }

    /// Two reasons for a difference taken together.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Same, other) | (other, Self::Same) => other,
            (Self::Undecided(why), _) | (_, Self::Undecided(why)) => Self::Undecided(why),
            (Self::More(here) | Self::Earlier(here, _), Self::More(_) | Self::Earlier(..)) => Self::More(here),
            (Self::Less(here) | Self::Later(here, _), Self::Less(_) | Self::Later(..)) => Self::Less(here),
            (Self::Incomparable(new, gone), _)
            | (_, Self::Incomparable(new, gone))
            | (Self::More(new) | Self::Earlier(new, _), Self::Less(gone) | Self::Later(gone, _))
            | (Self::Less(gone) | Self::Later(gone, _), Self::More(new) | Self::Earlier(new, _)) => {
                Self::Incomparable(new, gone)
            }
        }
    }

    /// With more and less in each other's place.
    fn turned(self) -> Self {
        match self {
            Self::More(here) => Self::Less(here),
            Self::Less(here) => Self::More(here),
            Self::Earlier(here, most) => Self::Later(here, most),
            Self::Later(here, most) => Self::Earlier(here, most),
            Self::Incomparable(more, less) => Self::Incomparable(less, more),
            other => other,
        }
    }
}

impl Change {
    /// Whether nothing changed.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Kept { phase: None, fires: Fires::Same, effects: false, order: None })
    }
}

impl Difference {
    /// Whether the plans do the same.
    pub fn is_none(&self) -> bool {
        self.host.is_empty() && self.rules.iter().all(|rule| rule.change.is_none())
    }
}

/// What differs from the first plan to the second.
pub fn compare(before: &Plan, after: &Plan) -> Difference {
    let world = |phase| World::of(&shared(&before.agent, &after.agent), phase);
    let mut rules = Vec::with_capacity(after.rules.len());
    for new in &after.rules {
        let change = match before.rules.iter().find(|old| old.name == new.name) {
            None => Change::Added,
            Some(old) => Change::Kept {
                phase: Some(old.phase).filter(|phase| *phase != new.phase),
                fires: fires((before, old), (after, new), &world(new.phase)),
                effects: !does_same(before, after, old, new),
                order: overtaken(before, after, new),
            },
        };
        rules.push(RuleDifference { name: new.name.clone(), phase: new.phase, change });
    }
    let gone = before.rules.iter().filter(|old| !after.rules.iter().any(|new| new.name == old.name));
    rules.extend(gone.map(|old| RuleDifference { name: old.name.clone(), phase: old.phase, change: Change::Removed }));
    Difference { rules, host: host(&before.agent, &after.agent) }
}

/// What both plans know of their host; conditions are compared under it.
fn shared(a: &Agent, b: &Agent) -> Agent {
    let window = a.window.filter(|window| b.window.is_some_and(|other| other.node == window.node));
    let reserve = a.reserve.filter(|_| a.reserve == b.reserve);
    Agent { window, reserve, ..Agent::default() }
}

fn fires((before, old): (&Plan, &Rule), (after, new): (&Plan, &Rule), world: &World) -> Fires {
    // What is written alike needs no decision, however large it is.
    if parts(before, old, WHEN) == parts(after, new, WHEN) {
        return Fires::Same;
    }
    guard::compare(old, new, world)
}

/// Whether two rules do the same when they fire; where their parts were written does not matter.
fn does_same(before: &Plan, after: &Plan, old: &Rule, new: &Rule) -> bool {
    parts(before, old, WHAT) == parts(after, new, WHAT)
}

/// The parts of a rule's form that say when it fires.
const WHEN: &[&str] = &["condition", "unless", "guards"];
/// Those that say what it does.
const WHAT: &[&str] = &["do", "on_failure", "retries"];

fn parts(plan: &Plan, rule: &Rule, keys: &[&str]) -> Vec<serde_json::Value> {
    let json = plan.rule_json(&rule.name).unwrap_or_default();
    keys.iter().map(|key| json[key].clone()).collect()
}

/// A rule of the same phase that stands on the other side of this one now.
fn overtaken(before: &Plan, after: &Plan, rule: &Rule) -> Option<SmolStr> {
    let place = |plan: &Plan, name: &str| plan.rules.iter().position(|rule| rule.name == name);
    let (old, new) = (place(before, &rule.name)?, place(after, &rule.name)?);
    if before.rules[old].phase != rule.phase {
        return None;
    }
    let crossed = |other: &&Rule| {
        other.phase == rule.phase
            && place(before, &other.name).is_some_and(|at| before.rules[at].phase == rule.phase && at < old)
            && place(after, &other.name).is_some_and(|at| at > new)
    };
    after.rules.iter().find(crossed).map(|other| other.name.clone())
}

fn host(a: &Agent, b: &Agent) -> Vec<(&'static str, String, String)> {
    let none = || "not said".to_owned();
    let tokens = |value: Option<u64>| value.map_or_else(none, |tokens| format!("{tokens} tokens"));
    let listed = |tools: &Vec<SmolStr>| {
        let set: BTreeSet<&str> = tools.iter().map(SmolStr::as_str).collect();
        set.into_iter().collect::<Vec<_>>().join(", ")
    };
    let tools = |agent: &Agent| agent.tools.as_ref().map_or_else(none, listed);
    let model = |agent: &Agent| agent.model.as_ref().map_or_else(none, |model| model.node.to_string());
    let window = |agent: &Agent| tokens(agent.window.map(|window| window.node));
    let all = [
        ("model", model(a), model(b)),
        ("window", window(a), window(b)),
        ("reserve", tokens(a.reserve), tokens(b.reserve)),
        ("overhead", tokens(a.overhead), tokens(b.overhead)),
        ("tools", tools(a), tools(b)),
    ];
    all.into_iter().filter(|(_, before, after)| before != after).collect()
}

#[cfg(test)]
mod tests;
