//! Comparison of two plans by meaning: rule by rule, which one fires more often, with a state that shows it.
//!
//! Plans that differ only in how they are written are equal. The module reads no files and replays nothing;
//! [`ReplayDifference`] compares two replays of one transcript.

mod guard;
mod replay;
mod schedule;
mod scope;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use smol_str::SmolStr;
use trimtab_language::check::{Agent, HostFact};
use trimtab_language::condition::Assumptions;
use trimtab_language::fact::{Scope, written_host_fact};
use trimtab_language::phase::Phase;
use trimtab_language::plan::{Plan, rule_json};

pub use replay::ReplayDifference;

/// The differences between two plans.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// Each rule of the second plan in order, then the removed rules.
    pub rules: Vec<RuleDifference>,
    /// Differences in the `agent` block: the word, before, after.
    pub host: Vec<(SmolStr, String, String)>,
}

/// The difference in one rule.
#[derive(Clone, Debug)]
pub struct RuleDifference {
    /// The rule.
    pub name: SmolStr,
    /// The phase in the second plan; for a removed rule, in the first.
    pub phase: Phase,
    /// Its change.
    pub change: Change,
}

/// The change of a rule.
#[derive(Clone, Debug)]
pub enum Change {
    /// It is only in the second plan.
    Added,
    /// It is only in the first plan.
    Removed,
    /// It is in both plans.
    Kept {
        /// Its old phase, if it moved to another one.
        phase: Option<Phase>,
        /// When it fires, compared with before.
        fires: Fires,
        /// Whether its effects or its handling of failures changed.
        effects: bool,
        /// A rule whose order relative to this one changed.
        order: Option<SmolStr>,
    },
}

/// When a rule fires in the second plan, compared with the first.
#[derive(Clone, Debug, PartialEq)]
pub enum Fires {
    /// In the same states.
    Same,
    /// In more states; one of them.
    More(String),
    /// In fewer states; one in which it no longer fires.
    Less(String),
    /// In more states, but with the same limit of firings: it fires earlier, or in runs in which it did not fire.
    Earlier(String, FiringLimit),
    /// The opposite.
    Later(String, FiringLimit),
    /// In other states: one that was added, one that was removed.
    Incomparable(String, String),
    /// Not decided; the reason.
    Undecided(String),
}

/// How often a rule may fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FiringLimit {
    /// The most firings.
    pub times: u64,
    /// In a run, or in the session.
    pub scope: Scope,
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

    /// Two differences combined.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Same, other) | (other, Self::Same) => other,
            (Self::Undecided(why), _) | (_, Self::Undecided(why)) => Self::Undecided(why),
            (Self::More(here) | Self::Earlier(here, _), Self::More(_) | Self::Earlier(..)) => Self::More(here),
            (Self::Less(here) | Self::Later(here, _), Self::Less(_) | Self::Later(..)) => Self::Less(here),
            (Self::Incomparable(new, lost), _)
            | (_, Self::Incomparable(new, lost))
            | (Self::More(new) | Self::Earlier(new, _), Self::Less(lost) | Self::Later(lost, _))
            | (Self::Less(lost) | Self::Later(lost, _), Self::More(new) | Self::Earlier(new, _)) => {
                Self::Incomparable(new, lost)
            }
        }
    }

    /// The same difference with the plans exchanged.
    fn reversed(self) -> Self {
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
    /// Whether the plans have the same meaning.
    pub fn is_none(&self) -> bool {
        self.host.is_empty() && self.rules.iter().all(|rule| rule.change.is_none())
    }
}

/// Compares two plans.
pub fn compare(before: &Plan, after: &Plan) -> Difference {
    let assumptions = |phase| Assumptions::of(&shared(&before.agent, &after.agent), phase);
    let places = |plan: &'_ Plan| -> HashMap<SmolStr, usize> {
        plan.rules.iter().enumerate().map(|(at, rule)| (rule.name.clone(), at)).collect()
    };
    let (old_places, new_places) = (places(before), places(after));
    let old_places: Vec<Option<usize>> = after.rules.iter().map(|rule| old_places.get(&rule.name).copied()).collect();
    let mut rules = Vec::with_capacity(after.rules.len());
    for ((new, old), order) in after.rules.iter().zip(&old_places).zip(reordered(before, after, &old_places)) {
        let change = match old.map(|old| &before.rules[old]) {
            None => Change::Added,
            Some(old) => {
                let forms = [old, new].map(rule_json);
                let is_same = |keys: &[&str]| keys.iter().all(|key| forms[0][key] == forms[1][key]);
                Change::Kept {
                    phase: Some(old.phase).filter(|phase| *phase != new.phase),
                    // Equal conditions need no decision, however large they are.
                    fires: if is_same(TRIGGER) {
                        Fires::Same
                    } else {
                        guard::compare(old, new, &assumptions(new.phase))
                    },
                    effects: !is_same(EFFECTS),
                    order,
                }
            }
        };
        rules.push(RuleDifference { name: new.name.clone(), phase: new.phase, change });
    }
    let removed = before.rules.iter().filter(|old| !new_places.contains_key(&old.name));
    rules.extend(removed.map(|old| RuleDifference {
        name: old.name.clone(),
        phase: old.phase,
        change: Change::Removed,
    }));
    Difference { rules, host: host(&before.agent, &after.agent) }
}

/// The host settings that both plans share; conditions are compared under them.
fn shared(a: &Agent, b: &Agent) -> Agent {
    let window = a.window.filter(|window| b.window.is_some_and(|other| other.node == window.node));
    let reserve = a.reserve.filter(|_| a.reserve == b.reserve);
    Agent { window, reserve, ..Agent::default() }
}

/// The parts of a rule that decide when it fires.
const TRIGGER: &[&str] = &["condition", "unless", "guards"];
/// The parts of a rule that decide its effects.
const EFFECTS: &[&str] = &["confirm", "do", "on_failure", "retries"];

/// For each rule of the second plan, a rule of the same phase that came before it in the first plan and comes after it now:
/// the first of them. `old_places` are the indices that the rules had.
fn reordered(before: &Plan, after: &Plan, old_places: &[Option<usize>]) -> Vec<Option<SmolStr>> {
    let mut crossed = vec![None; after.rules.len()];
    // Of each phase the rules that come later, the next one last, without those after a rule that came before them.
    let mut behind: BTreeMap<Phase, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, rule) in after.rules.iter().enumerate().rev() {
        let Some(old) = old_places[at].filter(|old| before.rules[*old].phase == rule.phase) else { continue };
        let behind = behind.entry(rule.phase).or_default();
        while behind.pop_if(|(place, _)| *place > old).is_some() {}
        crossed[at] = behind.last().map(|(_, next)| after.rules[*next].name.clone());
        behind.push((old, at));
    }
    crossed
}

fn host(a: &Agent, b: &Agent) -> Vec<(SmolStr, String, String)> {
    let none = || "not set".to_owned();
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
    let all = all.into_iter().map(|(word, before, after)| (SmolStr::new_static(word), before, after));
    all.chain(host_facts(a, b)).filter(|(_, before, after)| before != after).collect()
}

/// The declared facts of two blocks: the name, before, after.
fn host_facts<'a>(a: &'a Agent, b: &'a Agent) -> impl Iterator<Item = (SmolStr, String, String)> + 'a {
    let names: BTreeSet<&SmolStr> = a.facts.iter().chain(&b.facts).map(|fact| &fact.name.node).collect();
    let declaration =
        |agent: &Agent, name: &str| agent.fact(name).map_or_else(|| "not declared".to_owned(), HostFact::declared_type);
    names.into_iter().map(move |name| (written_host_fact(name), declaration(a, name), declaration(b, name)))
}

#[cfg(test)]
mod tests;
