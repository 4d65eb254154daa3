//! How the policy that settings become differs from the one that was wanted.

use serde_json::Value as Json;
use trimtab_base::quantity::Decimal;
use trimtab_language::check::Rule;
use trimtab_language::effect::{self, EffectKind};
use trimtab_language::fact::{self, Topic};
use trimtab_language::plan::{self, Plan};

use super::SettingsLoss;
use super::direction::{consequence, differences};

/// What a rule without a counterpart costs, in differences.
const ALONE: usize = 25;

/// A policy with its rules as JSON.
#[derive(Debug)]
pub(super) struct Form {
    plan: Plan,
    /// Its rules without their names, and then what it says about the host.
    pub(super) values: Vec<Json>,
}

impl Form {
    pub(super) fn new(plan: Plan) -> Self {
        let meaning = |rule| {
            let mut json = plan::meaning(rule);
            json["name"] = Json::Null;
            json
        };
        let agent = plan.json()["agent"].take();
        let values = plan.rules.iter().map(meaning).chain([agent]).collect();
        Self { plan, values }
    }

    fn rules(&self) -> &[Json] {
        &self.values[..self.plan.rules.len()]
    }

    fn agent(&self) -> &Json {
        &self.values[self.plan.rules.len()]
    }

    fn rule(&self, at: usize) -> Box<Rule> {
        Box::new(self.plan.rules[at].clone())
    }
}

/// The rules of two policies, paired. Each is named by its place.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    /// Rules that were wanted, each with the rule that is like it and how much they differ.
    pairs: Vec<(usize, usize, usize)>,
    /// Rules that were wanted and that no rule is like.
    missing: Vec<usize>,
    /// Rules of the system that were not wanted.
    besides: Vec<usize>,
    /// The properties of the host that differ.
    agent: Vec<String>,
}

impl Comparison {
    pub(super) fn new(wanted: &Form, read: &Form) -> Self {
        let mut order: Vec<(usize, usize, usize)> = Vec::new();
        for (at, rule) in wanted.rules().iter().enumerate() {
            let alike = read.rules().iter().enumerate().filter(|(_, other)| is_alike(rule, other));
            order.extend(alike.map(|(other, json)| (at, other, distance(rule, json))));
        }
        order.sort_by_key(|(at, other, differences)| (*differences, *at, *other));
        let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
        for (at, other, differences) in order {
            if pairs.iter().all(|(taken, given, _)| *taken != at && *given != other) {
                pairs.push((at, other, differences));
            }
        }
        let left = |form: &Form, is_used: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..form.rules().len()).filter(|at| !is_used(*at)).collect()
        };
        Self {
            missing: left(wanted, &|at| pairs.iter().any(|(taken, ..)| *taken == at)),
            besides: left(read, &|at| pairs.iter().any(|(_, given, _)| *given == at)),
            agent: properties(wanted.agent(), read.agent()),
            pairs,
        }
    }

    /// How much is different.
    pub(super) fn cost(&self) -> usize {
        let differences: usize = self.pairs.iter().map(|(_, _, differences)| differences).sum();
        differences + self.agent.len() + ALONE * (self.missing.len() + self.besides.len())
    }

    pub(super) fn losses(&self, wanted: &Form, read: &Form) -> Vec<SettingsLoss> {
        let missing = self.missing.iter().map(|at| SettingsLoss::Missing {
            rule: wanted.rule(*at),
            consequence: consequence(&wanted.values[*at], true),
        });
        let differing = self.pairs.iter().filter(|(_, _, differences)| *differences > 0);
        let differing = differing.map(|(at, other, _)| SettingsLoss::Different {
            wanted: wanted.rule(*at),
            written: read.rule(*other),
            differences: differences(&wanted.values[*at], &read.values[*other]),
        });
        let besides = self.besides.iter().map(|at| SettingsLoss::Besides {
            rule: read.rule(*at),
            consequence: consequence(&read.values[*at], false),
        });
        let agent = self.agent.iter().map(|property| SettingsLoss::Agent {
            property: property.clone(),
            wanted: Box::new(wanted.plan.agent.clone()),
            written: Box::new(read.plan.agent.clone()),
        });
        missing.chain(differing).chain(besides).chain(agent).collect()
    }
}

/// How much two rules differ: the number of values, and more for a condition of another form and for a label that is 0 in one of
/// them. One value after the other is set, and each must bring the rule nearer.
fn distance(wanted: &Json, other: &Json) -> usize {
    const FORM: usize = 6;
    let [first, second] = [wanted, other].map(|rule| &rule["condition"]);
    let condition = if form(first) == form(second) { plan::differences(first, second).len() } else { FORM };
    let without = |rule: &Json| {
        let mut rule = rule.clone();
        rule["condition"] = Json::Null;
        rule
    };
    let rest = plan::differences(&without(wanted), &without(other)).len();
    let actions = |rule: &Json| rule["do"].as_array().cloned().unwrap_or_default();
    let pairs = actions(wanted).into_iter().zip(actions(other));
    let zeros: usize = pairs.map(|(first, second)| zeros(&first["labels"], &second["labels"])).sum();
    condition + rest + FORM * zeros
}

/// A condition without its numbers.
fn form(condition: &Json) -> Json {
    match condition {
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), form(value))).collect(),
        Json::Array(items) => items.iter().map(form).collect(),
        Json::String(text) if text.parse::<Decimal>().is_ok() => Json::Null,
        other => other.clone(),
    }
}

/// The number of labels that are 0 in one of two actions and not in the other one.
fn zeros(first: &Json, second: &Json) -> usize {
    let amount = |labels: &Json, name: &str| labels[name].get("amount")?.as_str()?.parse::<Decimal>().ok();
    let names = first.as_object().into_iter().flat_map(|map| map.keys());
    let pairs = names.filter_map(|name| amount(first, name).zip(amount(second, name)));
    pairs.filter(|(first, second)| first.is_zero() != second.is_zero()).count()
}

/// The properties of the host that differ.
fn properties(wanted: &Json, read: &Json) -> Vec<String> {
    let keys = wanted.as_object().into_iter().chain(read.as_object()).flat_map(|map| map.keys());
    let mut keys: Vec<&String> = keys.filter(|key| wanted.get(*key) != read.get(*key)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().cloned().collect()
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
