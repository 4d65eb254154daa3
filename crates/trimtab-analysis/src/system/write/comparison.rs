//! The differences between imported settings and the wanted policy.

use serde_json::Value as Json;
use trimtab_base::quantity::Decimal;
use trimtab_language::check::Rule;
use trimtab_language::effect::{self, EffectKind};
use trimtab_language::fact::{self, Topic};
use trimtab_language::plan::{self, Plan};

use super::SettingsLoss;
use super::direction::{consequence, differences};

/// The cost of a rule without a counterpart, in differences.
const UNPAIRED_COST: usize = 25;

/// The cost of a condition of another shape, and of a label that is 0 in only one of two rules, in differences.
const SHAPE_COST: usize = 6;

/// A policy with its rules as JSON.
#[derive(Debug)]
pub(super) struct PolicyJson {
    plan: Plan,
    /// Its rules without their names, and then its `agent` block.
    pub(super) values: Vec<Json>,
}

impl PolicyJson {
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

    /// The window in its `agent` block; null if it names none.
    pub(super) fn window(&self) -> &Json {
        &self.agent()["window"]
    }

    fn rule(&self, index: usize) -> Box<Rule> {
        Box::new(self.plan.rules[index].clone())
    }
}

/// A wanted rule and its counterpart among the imported rules, by index.
#[derive(Clone, Copy, Debug)]
struct Pair {
    wanted: usize,
    imported: usize,
    /// How much they differ.
    distance: usize,
}

/// The rules of the wanted and of the imported policy, paired.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pairs: Vec<Pair>,
    /// The indices of the wanted rules without a counterpart.
    missing: Vec<usize>,
    /// The indices of the imported rules without a counterpart.
    additional: Vec<usize>,
    /// The properties of the `agent` block that differ.
    agent: Vec<String>,
}

impl Comparison {
    pub(super) fn new(wanted: &PolicyJson, imported: &PolicyJson) -> Self {
        let mut possible: Vec<Pair> = Vec::new();
        for (index, rule) in wanted.rules().iter().enumerate() {
            let alike = imported.rules().iter().enumerate().filter(|(_, other)| is_alike(rule, other));
            possible.extend(alike.map(|(other, json)| Pair {
                wanted: index,
                imported: other,
                distance: distance(rule, json),
            }));
        }
        possible.sort_by_key(|pair| (pair.distance, pair.wanted, pair.imported));
        let mut pairs: Vec<Pair> = Vec::new();
        for pair in possible {
            if pairs.iter().all(|chosen| chosen.wanted != pair.wanted && chosen.imported != pair.imported) {
                pairs.push(pair);
            }
        }
        let unpaired = |policy: &PolicyJson, is_paired: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..policy.rules().len()).filter(|index| !is_paired(*index)).collect()
        };
        Self {
            missing: unpaired(wanted, &|index| pairs.iter().any(|pair| pair.wanted == index)),
            additional: unpaired(imported, &|index| pairs.iter().any(|pair| pair.imported == index)),
            agent: differing_properties(wanted.agent(), imported.agent()),
            pairs,
        }
    }

    /// How much the policies differ, in differences.
    pub(super) fn cost(&self) -> usize {
        let differences: usize = self.pairs.iter().map(|pair| pair.distance).sum();
        differences + self.agent.len() + UNPAIRED_COST * (self.missing.len() + self.additional.len())
    }

    pub(super) fn losses(&self, wanted: &PolicyJson, imported: &PolicyJson) -> Vec<SettingsLoss> {
        let missing = self.missing.iter().map(|index| SettingsLoss::Missing {
            rule: wanted.rule(*index),
            consequence: consequence(&wanted.values[*index], true),
        });
        let differing = self.pairs.iter().filter(|pair| pair.distance > 0);
        let differing = differing.map(|pair| SettingsLoss::Different {
            wanted: wanted.rule(pair.wanted),
            written: imported.rule(pair.imported),
            differences: differences(&wanted.values[pair.wanted], &imported.values[pair.imported]),
        });
        let additional = self.additional.iter().map(|index| SettingsLoss::Additional {
            rule: imported.rule(*index),
            consequence: consequence(&imported.values[*index], false),
        });
        let agent = self.agent.iter().map(|property| SettingsLoss::Agent {
            property: property.clone(),
            wanted: Box::new(wanted.plan.agent.clone()),
            written: Box::new(imported.plan.agent.clone()),
        });
        missing.chain(differing).chain(additional).chain(agent).collect()
    }
}

/// How much two rules differ: the number of different values, and [`SHAPE_COST`] for a condition of another shape and
/// for each label that is 0 in only one of them. The search sets one option after another, so each step must lower the
/// distance.
fn distance(wanted: &Json, other: &Json) -> usize {
    let [first, second] = [wanted, other].map(|rule| &rule["condition"]);
    let is_same_shape = without_numbers(first) == without_numbers(second);
    let condition = if is_same_shape { plan::differences(first, second).len() } else { SHAPE_COST };
    let without_condition = |rule: &Json| {
        let mut rule = rule.clone();
        rule["condition"] = Json::Null;
        rule
    };
    let rest = plan::differences(&without_condition(wanted), &without_condition(other)).len();
    let actions = |rule: &Json| rule["do"].as_array().cloned().unwrap_or_default();
    let pairs = actions(wanted).into_iter().zip(actions(other));
    let zeros: usize = pairs.map(|(first, second)| lone_zeros(&first["labels"], &second["labels"])).sum();
    condition + rest + SHAPE_COST * zeros
}

/// A condition without its numbers.
fn without_numbers(condition: &Json) -> Json {
    match condition {
        Json::Object(map) => map.iter().map(|(key, value)| (key.clone(), without_numbers(value))).collect(),
        Json::Array(items) => items.iter().map(without_numbers).collect(),
        Json::String(text) if text.parse::<Decimal>().is_ok() => Json::Null,
        other => other.clone(),
    }
}

/// The number of labels that are 0 in only one of two actions.
fn lone_zeros(first: &Json, second: &Json) -> usize {
    let amount = |labels: &Json, name: &str| labels[name].get("amount")?.as_str()?.parse::<Decimal>().ok();
    let names = first.as_object().into_iter().flat_map(|map| map.keys());
    let pairs = names.filter_map(|name| amount(first, name).zip(amount(second, name)));
    pairs.filter(|(first, second)| first.is_zero() != second.is_zero()).count()
}

/// The properties in which two `agent` blocks differ.
fn differing_properties(wanted: &Json, imported: &Json) -> Vec<String> {
    let keys = wanted.as_object().into_iter().chain(imported.as_object()).flat_map(|map| map.keys());
    let mut keys: Vec<&String> = keys.filter(|key| wanted.get(*key) != imported.get(*key)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter().cloned().collect()
}

/// Whether two rules can be counterparts: their first effects are the same and, if these stop a run, their conditions
/// have a topic in common.
fn is_alike(rule: &Json, other: &Json) -> bool {
    let name = |rule: &Json| rule.pointer("/do/0/effect").and_then(Json::as_str).map(str::to_owned);
    let is_stop = name(rule).and_then(|name| effect::find(&name)).is_some_and(|effect| effect.kind == EffectKind::Stop);
    let (topics, others) = (topics(rule), topics(other));
    name(rule) == name(other) && (!is_stop || topics.iter().any(|topic| others.contains(topic)))
}

/// The topics of the facts in a rule.
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
