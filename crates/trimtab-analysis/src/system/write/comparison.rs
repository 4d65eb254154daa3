//! How the policy that settings become differs from the one that was wanted.

use serde_json::Value as Json;
use trimtab_language::effect::{self, EffectKind};
use trimtab_language::fact::{self, Topic};
use trimtab_language::plan::{self, Difference, Plan};

use super::SettingsLoss;
use super::direction::{consequence, directions};

/// What a rule without a counterpart costs, in differences.
const ALONE: usize = 25;

/// A policy as JSON.
#[derive(Debug)]
pub(super) struct Form {
    names: Vec<String>,
    /// Its rules without their names, and then what it says about the host.
    pub(super) values: Vec<Json>,
}

impl Form {
    pub(super) fn new(plan: &Plan) -> Self {
        let names = plan.rules.iter().map(|rule| rule.name.to_string()).collect();
        let meaning = |rule| {
            let mut json = plan::meaning(rule);
            json["name"] = Json::Null;
            json
        };
        let agent = plan.json()["agent"].take();
        Self { names, values: plan.rules.iter().map(meaning).chain([agent]).collect() }
    }

    fn rules(&self) -> &[Json] {
        &self.values[..self.names.len()]
    }

    fn agent(&self) -> &Json {
        &self.values[self.names.len()]
    }
}

/// The rules of two policies, paired.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    /// Rules that were wanted, each with the rule that is like it.
    pairs: Vec<Pair>,
    /// Rules that were wanted and that no rule is like, each with what this means.
    missing: Vec<(String, &'static str)>,
    /// Rules of the system that were not wanted, each with what this means.
    besides: Vec<(String, &'static str)>,
    /// Differences of the host.
    agent: Vec<Difference>,
}

/// A rule that was wanted, and the rule that is like it.
#[derive(Clone, Debug)]
struct Pair {
    wanted: String,
    read: String,
    differences: Vec<Difference>,
    directions: Vec<&'static str>,
}

impl Comparison {
    pub(super) fn new(wanted: &Form, read: &Form) -> Self {
        let mut order: Vec<(usize, usize, Vec<Difference>)> = Vec::new();
        for (at, rule) in wanted.rules().iter().enumerate() {
            let alike = read.rules().iter().enumerate().filter(|(_, other)| is_alike(rule, other));
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
            pairs.push(Pair {
                wanted: wanted.names[at].clone(),
                read: read.names[other].clone(),
                directions: directions(&wanted.values[at], &read.values[other]),
                differences,
            });
        }
        let left = |form: &Form, used: &[usize], is_missing: bool| {
            let left = form.names.iter().zip(&form.values).enumerate().filter(|(at, _)| !used.contains(at));
            left.map(|(_, (name, rule))| (name.clone(), consequence(rule, is_missing))).collect()
        };
        let agent = plan::differences(wanted.agent(), read.agent());
        Self { missing: left(wanted, &taken, true), besides: left(read, &given, false), pairs, agent }
    }

    /// How much is different.
    pub(super) fn cost(&self) -> usize {
        let differences: usize = self.pairs.iter().map(|pair| pair.differences.len()).sum();
        differences + self.agent.len() + ALONE * (self.missing.len() + self.besides.len())
    }

    pub(super) fn losses(&self) -> Vec<SettingsLoss> {
        let rule = |name: &str| format!("rule `{name}`");
        let alone = |(name, consequence): &(String, &str), why: &str| SettingsLoss {
            part: rule(name),
            reason: format!("{why}: {consequence}"),
        };
        let missing = self.missing.iter().map(|rule| alone(rule, "no option does this"));
        let differing = self.pairs.iter().filter(|pair| !pair.differences.is_empty());
        let differing = differing.map(|pair| SettingsLoss { part: rule(&pair.wanted), reason: pair.reason() });
        let besides = self.besides.iter().map(|rule| alone(rule, "the system does this too, and the policy does not"));
        let agent = self.agent.iter().map(|difference| SettingsLoss {
            part: format!("agent `{}`", difference.path),
            reason: values(difference),
        });
        missing.chain(differing).chain(besides).chain(agent).collect()
    }
}

impl Pair {
    fn reason(&self) -> String {
        let directions = match self.directions.as_slice() {
            [] => "differs".to_owned(),
            phrases => phrases.join(", "),
        };
        format!("it is written as `{}`, which {directions}: {}", self.read, listed(&self.differences))
    }
}

/// Whether a rule can stand for another one: both do the same, and if they end something, for the same kind of reason.
fn is_alike(rule: &Json, other: &Json) -> bool {
    let name = |rule: &Json| rule.pointer("/do/0/effect").and_then(Json::as_str).map(str::to_owned);
    let is_signal =
        name(rule).and_then(|name| effect::find(&name)).is_some_and(|effect| effect.kind == EffectKind::Stop);
    let (topics, others) = (topics(rule), topics(other));
    name(rule) == name(other) && (!is_signal || topics.iter().any(|topic| others.contains(topic)))
}

/// What the condition of a rule is about.
fn topics(json: &Json) -> Vec<Topic> {
    match json {
        Json::Object(map) => {
            let own = map.get("fact").and_then(Json::as_str).and_then(fact::find).map(|fact| fact.topic);
            own.into_iter().chain(map.values().flat_map(topics)).collect()
        }
        Json::Array(items) => items.iter().flat_map(topics).collect(),
        _ => Vec::new(),
    }
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
