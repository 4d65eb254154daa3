//! How the policy that settings become differs from the one that was wanted.

use serde_json::Value as Json;
use trimtab_language::plan::{self, Difference, Plan};

use super::SettingsLoss;

/// What a rule without a counterpart costs, in differences.
const ALONE: usize = 25;

/// The rules of two policies, paired.
#[derive(Debug)]
pub(super) struct Comparison {
    /// A rule that was wanted, the rule that is like it, and their differences.
    pairs: Vec<(String, String, Vec<Difference>)>,
    /// Rules that were wanted and that no rule is like.
    missing: Vec<String>,
    /// Rules of the system that were not wanted.
    besides: Vec<String>,
    /// Differences of the host.
    agent: Vec<Difference>,
}

impl Comparison {
    pub(super) fn new(wanted: &Plan, read: &Plan) -> Self {
        let names = |plan: &Plan| plan.rules.iter().map(|rule| rule.name.to_string()).collect::<Vec<_>>();
        let nameless = |plan: &Plan| plan.rules.iter().map(meaning).collect::<Vec<_>>();
        let (wanted_names, read_names) = (names(wanted), names(read));
        let (wanted_rules, read_rules) = (nameless(wanted), nameless(read));
        let mut order: Vec<(usize, usize, Vec<Difference>)> = Vec::new();
        for (at, rule) in wanted_rules.iter().enumerate() {
            let alike = read_rules.iter().enumerate().filter(|(_, other)| has_same_effect(rule, other));
            order.extend(alike.map(|(other, json)| (at, other, plan::differences(rule, json))));
        }
        order.sort_by_key(|(at, other, differences)| (differences.len(), *at, *other));
        let (mut pairs, mut taken, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for (at, other, differences) in order {
            if taken.contains(&at) || given.contains(&other) {
                continue;
            }
            taken.push(at);
            given.push(other);
            pairs.push((wanted_names[at].clone(), read_names[other].clone(), differences));
        }
        let left = |names: &[String], used: &[usize]| {
            let left = names.iter().enumerate().filter(|(at, _)| !used.contains(at));
            left.map(|(_, name)| name.clone()).collect()
        };
        let agent = plan::differences(&wanted.json()["agent"], &read.json()["agent"]);
        Self { missing: left(&wanted_names, &taken), besides: left(&read_names, &given), pairs, agent }
    }

    /// How much is different.
    pub(super) fn cost(&self) -> usize {
        let differences: usize = self.pairs.iter().map(|(.., differences)| differences.len()).sum();
        differences + self.agent.len() + ALONE * (self.missing.len() + self.besides.len())
    }

    pub(super) fn losses(&self) -> Vec<SettingsLoss> {
        let rule = |name: &str| format!("rule `{name}`");
        let missing =
            self.missing.iter().map(|name| SettingsLoss { part: rule(name), reason: "no option does this".to_owned() });
        let differing = self.pairs.iter().filter(|(.., differences)| !differences.is_empty());
        let differing = differing.map(|(wanted, read, differences)| SettingsLoss {
            part: rule(wanted),
            reason: format!("it is written as `{read}`, which differs: {}", listed(differences)),
        });
        let besides = self.besides.iter().map(|name| SettingsLoss {
            part: rule(name),
            reason: "the system does this too, and the policy does not".to_owned(),
        });
        let agent = self.agent.iter().map(|difference| SettingsLoss {
            part: format!("agent `{}`", difference.path),
            reason: values(difference),
        });
        missing.chain(differing).chain(besides).chain(agent).collect()
    }
}

/// The meaning of a rule apart from its name.
fn meaning(rule: &trimtab_language::check::Rule) -> Json {
    let mut json = plan::meaning(rule);
    json["name"] = Json::Null;
    json
}

fn has_same_effect(rule: &Json, other: &Json) -> bool {
    rule.pointer("/do/0/effect") == other.pointer("/do/0/effect")
}

/// The first differences.
fn listed(differences: &[Difference]) -> String {
    const MAX_LISTED: usize = 3;
    let shown = differences.iter().take(MAX_LISTED).map(|one| format!("`{}` {}", one.path, values(one)));
    let more = differences.len().saturating_sub(MAX_LISTED);
    let more = (more > 0).then(|| format!("and {more} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

fn values(difference: &Difference) -> String {
    match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => format!("is {after} instead of {before}"),
        (Some(before), None) => format!("of {before} is missing"),
        (None, Some(after)) => format!("is {after} and was not wanted"),
        (None, None) => "differs".to_owned(),
    }
}
