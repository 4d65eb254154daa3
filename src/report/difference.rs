//! Two policies held against each other, for people and for machines.
//!
//! In: the plans, what differs between them, and what their replays showed. Out: text or JSON. A rule in which nothing
//! changed is left out of the forms for people.

mod human;
mod json;
mod replays;

use crate::diff::{Change, Difference, Fires, ReplayDifference, RuleDifference};
use crate::plan::Plan;

use super::policy_text;

/// One of the two policies.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPolicy<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Its plan.
    pub plan: &'a Plan,
}

/// Everything that a comparison shows.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The first policy.
    pub before: ComparedPolicy<'a>,
    /// The second.
    pub after: ComparedPolicy<'a>,
    /// What differs in meaning.
    pub difference: &'a Difference,
    /// What differs on recordings, when there were any, the largest difference first.
    pub replays: Option<&'a [ReplayDifference]>,
    /// Recordings that could not be read, and why.
    pub unread: &'a [(String, String)],
}

pub use human::{difference, difference_markdown};
pub use json::difference_json;

impl Comparison<'_> {
    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.difference.is_none() && self.replays.into_iter().flatten().all(ReplayDifference::is_same)
    }

    /// Why the policies are the same.
    fn sameness(&self) -> String {
        if self.before.plan.hash == self.after.plan.hash {
            return format!("the same: both are the plan {}", self.after.plan.hash);
        }
        "the same: every rule fires in the same states, in the same order, and does the same".to_owned()
    }
}

/// What changed in a rule, in words.
struct RuleChange {
    /// `compact (request)`
    rule: String,
    /// What changed.
    changes: Vec<String>,
    /// What it did and what it does, where that changed.
    before: Option<String>,
    after: Option<String>,
}

/// The rules in which something changed.
fn rule_changes(versus: &Comparison<'_>) -> Vec<RuleChange> {
    let changed = versus.difference.rules.iter().filter(|one| !one.change.is_none());
    changed.map(|one| rule_change(versus, one)).collect()
}

fn rule_change(versus: &Comparison<'_>, one: &RuleDifference) -> RuleChange {
    let (did, does) = (effects(versus.before.plan, &one.name), effects(versus.after.plan, &one.name));
    let rule = format!("{} ({})", one.name, one.phase.word());
    match &one.change {
        Change::Added => RuleChange { rule, changes: vec!["new".to_owned()], before: None, after: does },
        Change::Removed => RuleChange { rule, changes: vec!["gone".to_owned()], before: did, after: None },
        Change::Kept { phase, fires, effects, order } => {
            let mut changes = Vec::new();
            changes.extend(phase.map(|phase| format!("was tried on {}", phase.word())));
            changes.extend(example(fires));
            changes.extend(order.as_ref().map(|other| format!("is tried before {other} now")));
            if *effects {
                changes.push("does something else".to_owned());
            }
            RuleChange { rule, changes, before: did.filter(|_| *effects), after: does.filter(|_| *effects) }
        }
    }
}

/// When it fires now, with a state that shows it.
fn example(fires: &Fires) -> Option<String> {
    let word = fires.word();
    match fires {
        Fires::Same => None,
        Fires::More(here) => Some(format!("{word}, e.g. {here}")),
        Fires::Less(here) => Some(format!("{word}, e.g. no longer {here}")),
        Fires::Earlier(here, most) => Some(format!("{word}, e.g. {here}; {} a run, as before", at_most(*most))),
        Fires::Later(here, most) => Some(format!("{word}, e.g. no longer {here}; {} a run, as before", at_most(*most))),
        Fires::Incomparable(new, gone) => Some(format!("{word}, e.g. now {new}; no longer {gone}")),
        Fires::Undecided(why) => Some(format!("{word}: {why}")),
    }
}

fn at_most(times: u64) -> String {
    match times {
        1 => "at most once".to_owned(),
        2 => "at most twice".to_owned(),
        times => format!("at most {times} times"),
    }
}

/// What a rule does, as an author writes it.
fn effects(plan: &Plan, name: &str) -> Option<String> {
    let rule = plan.rules.iter().find(|rule| rule.name == name)?;
    let prompt = |text: &str| policy_text::quoted(text);
    let can_fail = rule.actions.iter().any(|action| action.effect.kind.can_fail());
    let failing = if can_fail {
        format!(", on_failure {}", policy_text::on_failure(&rule.on_failure, &prompt))
    } else {
        String::new()
    };
    Some(format!("{}{failing}", policy_text::actions(&rule.actions, &prompt)))
}
