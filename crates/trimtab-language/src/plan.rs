//! Turns checked policies into plans, which replay and live engine run.
//!
//! A [`Plan`] is one policy with its rules in order and its constants folded. It has a stable JSON form and a hash. Only
//! this module makes plans. It does not know conversations.

mod difference;
mod form;
mod load;
mod named_tools;

use std::collections::HashSet;

use smol_str::SmolStr;

use crate::check::{Action, Agent, CheckedFile, Condition, Guard, Policy, Rule};
use crate::effect::EffectKind;
pub use difference::{Difference, differences};
pub use load::PlanLoadError;

/// A policy ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The policy's name.
    pub policy: SmolStr,
    /// What it is for.
    pub title: Option<String>,
    /// What the file says about the host.
    pub agent: Agent,
    /// The rules in the order in which they are tried.
    pub rules: Vec<Rule>,
    /// A hash of everything above that affects what the plan does. Plans with the same hash make the same edits.
    pub hash: String,
}

/// Why no policy of a file could be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyChoiceError {
    /// The file contains no policy.
    NoPolicy,
    /// The file contains several policies with these names, and none was chosen.
    Several(Vec<SmolStr>),
    /// The file contains no policy of the first name, only of these others.
    Unknown(SmolStr, Vec<SmolStr>),
}

/// Makes the plan of one policy of a file: the policy with this name, or the only policy that no other extends. A file
/// without policies of its own offers those of the files that it uses. The name may also be that of a policy of a used
/// file.
///
/// # Errors
/// When there is no such policy, or when there are several and no name is given.
pub fn lower(checked: &CheckedFile, name: Option<&str>) -> Result<Plan, PolicyChoiceError> {
    let policy = choose(checked, name)?;
    let mut plan = Plan {
        policy: policy.name.clone(),
        title: policy.title.clone(),
        agent: checked.agent.clone(),
        rules: policy.rules.iter().cloned().map(fold).collect(),
        hash: String::new(),
    };
    plan.hash = form::hash(&plan);
    Ok(plan)
}

impl Plan {
    /// A plan without rules. A replay under it repeats the recording.
    pub fn without_rules() -> Self {
        let (policy, agent) = (SmolStr::new_static("none"), Agent::default());
        let mut plan = Self { policy, title: None, agent, rules: Vec::new(), hash: String::new() };
        plan.hash = form::hash(&plan);
        plan
    }

    /// Keeps only the actions for which `keep` returns true, and drops rules without any.
    #[must_use]
    pub fn with_actions(&self, keep: impl Fn(&Rule, &Action) -> bool) -> Self {
        let mut plan = self.clone();
        for rule in &mut plan.rules {
            let actions = std::mem::take(&mut rule.actions);
            rule.actions = actions.into_iter().filter(|action| keep(rule, action)).collect();
        }
        plan.rules.retain(|rule| !rule.actions.is_empty());
        plan.hash = form::hash(&plan);
        plan
    }

    /// Whether both plans have the same `agent` block.
    pub fn has_same_agent_as(&self, other: &Self) -> bool {
        form::agent(&self.agent) == form::agent(&other.agent) && self.agent.models == other.agent.models
    }

    /// Whether a rule moves results out of the context, so that the agent needs the tool that recalls them.
    pub fn offloads(&self) -> bool {
        self.offloading_rule().is_some()
    }

    /// The index of the first rule that moves results out of the context.
    pub fn offloading_rule(&self) -> Option<usize> {
        let offloads = |rule: &Rule| rule.all_actions().any(|action| action.effect.kind == EffectKind::Offload);
        self.rules.iter().position(offloads)
    }

    /// Makes a plan from its JSON form, without the policy.
    ///
    /// The checker checks it like a policy, and the plan has the same JSON form and hash again. Its spans are empty.
    ///
    /// # Errors
    /// The text is not the JSON form of a plan that this version makes.
    pub fn from_json(text: &str) -> Result<Self, PlanLoadError> {
        load::load(text)
    }

    /// Whether a rule writes learned strategies into requests.
    pub fn uses_playbook(&self) -> bool {
        self.rules.iter().flat_map(Rule::all_actions).any(|action| action.effect.kind == EffectKind::Playbook)
    }

    /// The plan as JSON with sorted keys, including the hash and the title, which the hash leaves out.
    pub fn json(&self) -> serde_json::Value {
        form::json(self)
    }
}

/// A rule of a plan as JSON with sorted keys.
pub fn rule_json(rule: &Rule) -> serde_json::Value {
    form::rule_json(rule)
}

/// Parses the JSON form of a plan without checking it.
///
/// # Errors
/// The text is not JSON, or is nested deeper than any plan.
pub fn parse_json(text: &str) -> Result<serde_json::Value, String> {
    load::parse_json(text)
}

/// The hash of a plan in its JSON form. It equals the recorded one unless the form was changed by hand.
pub fn hash_of_json(plan: &serde_json::Value) -> String {
    form::hash_of_json(plan)
}

/// The meaning of a rule as JSON, which does not depend on where its parts were written.
pub fn meaning(rule: &Rule) -> serde_json::Value {
    form::rule_json(&fold(rule.clone()))
}

fn choose<'a>(checked: &'a CheckedFile, name: Option<&str>) -> Result<&'a Policy, PolicyChoiceError> {
    let names = |of: &[&Policy]| of.iter().map(|policy| policy.name.clone()).collect::<Vec<_>>();
    let all: Vec<&Policy> = checked.policies.iter().chain(&checked.used).collect();
    let policies = if checked.policies.is_empty() { &checked.used } else { &checked.policies };
    if let Some(name) = name {
        let found = all.iter().find(|policy| policy.name == name).copied();
        return found.ok_or_else(|| PolicyChoiceError::Unknown(name.into(), names(&all)));
    }
    let bases: HashSet<&SmolStr> = policies.iter().filter_map(|policy| policy.base.as_ref()).collect();
    let extended = |policy: &Policy| bases.contains(&policy.name);
    let leaves: Vec<&Policy> = policies.iter().filter(|policy| !extended(policy)).collect();
    match leaves.as_slice() {
        [] => Err(PolicyChoiceError::NoPolicy),
        [policy] => Ok(policy),
        several => Err(PolicyChoiceError::Several(names(several))),
    }
}

fn fold(mut rule: Rule) -> Rule {
    rule.condition = simplify(rule.condition);
    rule.when = simplify(rule.when);
    rule.unless = rule.unless.map(simplify).filter(|unless| *unless != Condition::Constant(false));
    if rule.unless == Some(Condition::Constant(true)) || rule.when == Condition::Constant(false) {
        (rule.when, rule.unless) = (Condition::Constant(false), None);
    }
    for guard in &mut rule.guards {
        if let Guard::Until(condition) | Guard::OnceUntil(condition) = &mut guard.node {
            *condition = simplify(std::mem::replace(condition, Condition::Constant(true)));
        }
    }
    rule
}

/// Removes constants inside a condition, nested conditions of the same kind and double negation.
fn simplify(condition: Condition) -> Condition {
    match condition {
        Condition::All(parts) => join(parts, true),
        Condition::Any(parts) => join(parts, false),
        Condition::Not(inner) => match simplify(*inner) {
            Condition::Constant(truth) => Condition::Constant(!truth),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        },
        other => other,
    }
}

/// Simplifies the parts of an `and` (`neutral` is true) or an `or` (`neutral` is false) and joins them.
fn join(parts: Vec<Condition>, neutral: bool) -> Condition {
    let mut flat = Vec::new();
    for part in parts.into_iter().map(simplify) {
        match part {
            Condition::Constant(truth) if truth == neutral => {}
            Condition::Constant(truth) => return Condition::Constant(truth),
            Condition::All(inner) if neutral => flat.extend(inner),
            Condition::Any(inner) if !neutral => flat.extend(inner),
            other => flat.push(other),
        }
    }
    match (flat.len(), neutral) {
        (0, _) => Condition::Constant(neutral),
        (1, _) => flat.remove(0),
        (_, true) => Condition::All(flat),
        (_, false) => Condition::Any(flat),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_nesting_are_simplified() {
        let t = || Condition::Constant(true);
        let f = || Condition::Constant(false);
        assert_eq!(simplify(Condition::All(vec![t(), Condition::Any(vec![f(), t()])])), t());
        assert_eq!(simplify(Condition::Not(Box::new(Condition::All(vec![])))), f());
        assert_eq!(simplify(Condition::Any(vec![])), f());
    }
}
