//! Plans: one policy of a checked file, chosen and made ready to run.
//!
//! In: a checked file. Out: a plan, which the replay and the engine both run, with a stable JSON form and a hash.
//! It is the only maker of a [`Plan`], and does not know conversations.

mod form;
mod idle;

pub use idle::{idle_label, meet, stands_for};

use smol_str::SmolStr;

use crate::check::{Agent, CheckedFile, Condition, Guard, Policy, Rule};

/// A policy ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The policy's name.
    pub policy: SmolStr,
    /// What it is for.
    pub title: Option<String>,
    /// What the file says of its host.
    pub agent: Agent,
    /// The rules in the order in which they are tried.
    pub rules: Vec<Rule>,
    /// A hash of everything above that changes what the plan does: the same hash, the same edits.
    pub hash: String,
}

/// Why no plan could be made of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyChoiceError {
    /// The file holds no policy.
    NoPolicy,
    /// Several could run; these are their names.
    Several(Vec<SmolStr>),
    /// None has the wanted name; these are those it holds.
    Unknown(SmolStr, Vec<SmolStr>),
}

/// Makes the plan of one policy of a file: the named one, or else the only one that no other extends. A file without
/// a policy of its own stands for those that it uses; the name may be that of any policy that it uses.
///
/// # Errors
/// When the file has no such policy, or several and none is named.
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
    /// The plan as JSON: keys sorted, the hash of the rest among them.
    pub fn json(&self) -> serde_json::Value {
        form::json(self)
    }

    /// One rule as JSON, keys sorted.
    pub fn rule_json(&self, name: &str) -> Option<serde_json::Value> {
        self.rules.iter().find(|rule| rule.name == name).map(form::rule_json)
    }
}

/// What a rule means, as JSON: the same wherever its parts were written.
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
    let extended = |policy: &Policy| policies.iter().any(|other| other.base.as_ref() == Some(&policy.name));
    let leaves: Vec<&Policy> = policies.iter().filter(|policy| !extended(policy)).collect();
    match leaves.as_slice() {
        [] => Err(PolicyChoiceError::NoPolicy),
        [one] => Ok(one),
        several => Err(PolicyChoiceError::Several(names(several))),
    }
}

fn fold(mut rule: Rule) -> Rule {
    rule.condition = simple(rule.condition);
    rule.unless = rule.unless.map(simple);
    for guard in &mut rule.guards {
        if let Guard::Until(condition) | Guard::OnceUntil(condition) = &mut guard.node {
            *condition = simple(std::mem::replace(condition, Condition::Constant(true)));
        }
    }
    rule
}

/// A condition without constants inside, without nested runs of one kind, and without double negation.
fn simple(condition: Condition) -> Condition {
    match condition {
        Condition::All(parts) => join(parts, true),
        Condition::Any(parts) => join(parts, false),
        Condition::Not(inner) => match simple(*inner) {
            Condition::Constant(truth) => Condition::Constant(!truth),
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        },
        other => other,
    }
}

/// Joins the parts of an `and` (`neutral` true) or an `or` (`neutral` false).
fn join(parts: Vec<Condition>, neutral: bool) -> Condition {
    let mut flat = Vec::new();
    for part in parts.into_iter().map(simple) {
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
    fn constants_and_nesting_fold_away() {
        let t = || Condition::Constant(true);
        let f = || Condition::Constant(false);
        assert_eq!(simple(Condition::All(vec![t(), Condition::Any(vec![f(), t()])])), t());
        assert_eq!(simple(Condition::Not(Box::new(Condition::All(vec![])))), f());
        assert_eq!(simple(Condition::Any(vec![])), f());
    }
}
