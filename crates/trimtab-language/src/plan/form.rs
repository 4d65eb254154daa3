//! The JSON form of a plan: stable, with sorted keys, without spans.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use smol_str::SmolStr;
use trimtab_base::conversation::{Pin, covers};
use trimtab_base::quantity::{Quantity, Type, Value};

use super::Plan;
use crate::check::{
    Action, Agent, Argument, Condition, FailureAction, Guard, HostFact, Label, Operand, Reading, Relation, Rule,
    RuleGuard, Template, Test, TextPiece,
};
use crate::effect;
use crate::fact::{Parameter, ParameterKind, Recent, Scope, argument_texts, tool_names};

/// The version of the JSON form.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// What the hash leaves out.
const UNHASHED: [&str; 2] = ["hash", "title"];

pub(super) fn json(plan: &Plan) -> Json {
    let mut json = body(plan);
    json["hash"] = Json::from(plan.hash.as_str());
    json["title"] = json!(plan.title);
    json.sort_all_objects();
    json
}

pub(super) fn rule_json(checked: &Rule) -> Json {
    let mut json = rule(checked);
    json.sort_all_objects();
    json
}

pub(super) fn hash(plan: &Plan) -> String {
    hash_of_json(&body(plan))
}

pub(super) fn hash_of_json(plan: &Json) -> String {
    let mut json = plan.clone();
    if let Some(object) = json.as_object_mut() {
        object.retain(|key, _| !UNHASHED.contains(&key.as_str()));
    }
    json.sort_all_objects();
    Sha256::digest(json.to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn body(plan: &Plan) -> Json {
    json!({
        "schema_version": SCHEMA_VERSION,
        "policy": plan.policy,
        "agent": agent(&plan.agent),
        "rules": plan.rules.iter().map(rule).collect::<Vec<_>>(),
    })
}

pub(super) fn agent(agent: &Agent) -> Json {
    let mut json = json!({
        "model": agent.model.as_ref().map(|model| &model.node),
        "window": agent.window.map(|window| window.node),
        "reserve": agent.reserve,
        "overhead": agent.overhead,
        "tools": agent.tools.as_ref().map(|tools| set(tools)),
    });
    if !agent.facts.is_empty() {
        let mut facts: Vec<&HostFact> = agent.facts.iter().collect();
        facts.sort_unstable_by_key(|fact| &fact.name.node);
        json["facts"] = facts.into_iter().map(host_fact).collect();
    }
    json
}

fn host_fact(fact: &HostFact) -> Json {
    json!({ "name": fact.name.node, "type": fact.type_word(), "default": fact.default.as_ref().map(value) })
}

/// A set of tool names: order and repetition do not matter.
fn set(names: &[SmolStr]) -> BTreeSet<&SmolStr> {
    names.iter().collect()
}

/// Names that may end in `*`, without those that another one covers.
fn patterns(names: &[SmolStr]) -> BTreeSet<&SmolStr> {
    let all = set(names);
    let is_covered = |name: &SmolStr| all.iter().any(|other| *other != name && covers(other, name));
    all.iter().copied().filter(|name| !is_covered(name)).collect()
}

fn rule(rule: &Rule) -> Json {
    let mut json = json!({
        "name": rule.name,
        "phase": rule.phase.word(),
        "condition": condition(&rule.when),
        "guards": guards(rule),
        "do": rule.actions.iter().map(action).collect::<Vec<_>>(),
        "on_failure": failing(&rule.on_failure.then),
        "retries": rule.on_failure.retries,
    });
    if let Some(question) = &rule.confirm {
        json["confirm"] = template(question);
    }
    if let Some(unless) = &rule.unless {
        json["unless"] = condition(unless);
    }
    json
}

fn condition(checked: &Condition) -> Json {
    let list = |parts: &[Condition]| parts.iter().map(condition).collect::<Vec<_>>();
    match checked {
        Condition::Constant(truth) => json!(truth),
        Condition::All(parts) => json!({ "all": list(parts) }),
        Condition::Any(parts) => json!({ "any": list(parts) }),
        Condition::Not(inner) => json!({ "not": condition(inner) }),
        Condition::Test(inner) => test(inner),
    }
}

fn test(test: &Test) -> Json {
    let mut json = reading(&test.reading);
    match &test.relation {
        Relation::Holds => json["holds"] = json!(true),
        Relation::Known => json["known"] = json!(true),
        Relation::Compare(comparison, Operand::Value(constant)) => json[comparison.symbol()] = value(constant),
        Relation::Compare(comparison, Operand::ShareOfWindow(share)) => {
            json[comparison.symbol()] = json!({ "share_of_window": share.normalize() });
        }
        Relation::OneOf(values) => {
            let mut all: Vec<Json> = values.iter().map(value).collect();
            all.sort_by_key(Json::to_string);
            all.dedup();
            json["in"] = Json::Array(all);
        }
        Relation::Contains(text) => json["contains"] = json!(text),
    }
    json
}

fn reading(of: &Reading) -> Json {
    let mut json = json!({ "fact": of.name() });
    let given = of.fact.parameters.iter().zip(&of.arguments);
    let given = given.filter(|(parameter, argument)| !parameter.is_omitted(argument) && !of.fact.is_host());
    let arguments: serde_json::Map<_, _> =
        given.map(|(parameter, given)| (parameter.name.to_owned(), argument(parameter, given, of))).collect();
    if !arguments.is_empty() {
        json["arguments"] = Json::Object(arguments);
    }
    match &of.fallback {
        // Without the object, the text `0` would look like the number 0.
        Some(Value::Text(text)) if of.fact.ty != Type::Text => json["else"] = json!({ "text": text }),
        Some(fallback) => json["else"] = value(fallback),
        None => {}
    }
    json
}

fn argument(parameter: &Parameter, given: &Value, of: &Reading) -> Json {
    match (parameter.kind, given) {
        (ParameterKind::Facts, _) => of.compared.iter().map(reading).collect(),
        (ParameterKind::Recent(..), given) => {
            Recent::read(given).map_or(Json::Null, |recent| quantity(recent.quantity()))
        }
        (ParameterKind::Tools | ParameterKind::AfterTools, Value::Text(names)) => {
            tool_names(names).map(Json::from).collect()
        }
        (ParameterKind::Texts, Value::Text(texts)) => argument_texts(texts).into_iter().map(Json::from).collect(),
        _ => value(given),
    }
}

fn quantity(quantity: Quantity) -> Json {
    json!({ "amount": quantity.amount.normalize(), "unit": quantity.unit })
}

fn value(value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number.normalize()),
        Value::Text(text) => json!(text),
        Value::Bool(truth) => json!(truth),
    }
}

/// The guards of a rule in a fixed order, since their order does not matter.
fn guards(rule: &Rule) -> Vec<Json> {
    let place = |guard: &Guard| match guard {
        Guard::Until(_) => 0,
        Guard::Once | Guard::OncePer(_) | Guard::OnceUntil(_) => 1,
        Guard::Every(_) => 2,
        Guard::Cooldown(_) => 3,
        Guard::Limit(_) => 4,
    };
    let mut all: Vec<&RuleGuard> = rule.guards.iter().collect();
    all.sort_by_key(|guard| place(&guard.node));
    all.into_iter().map(guard).collect()
}

/// A guard, with its scope unless that is the run.
fn guard(guard: &RuleGuard) -> Json {
    if guard.scope == Scope::Run {
        return bare_guard(&guard.node);
    }
    let mut json = match bare_guard(&guard.node) {
        Json::String(word) => json!({ word: true }),
        json => json,
    };
    json["in"] = json!(guard.scope.word());
    json
}

/// A guard without its scope.
fn bare_guard(guard: &Guard) -> Json {
    match guard {
        Guard::Once => json!("once"),
        Guard::OncePer(fact) => json!({ "once_per": reading(fact) }),
        Guard::OnceUntil(until) => json!({ "once_until": condition(until) }),
        Guard::Until(until) => json!({ "until": condition(until) }),
        Guard::Every(iterations) => json!({ "every": iterations }),
        Guard::Cooldown(iterations) => json!({ "cooldown": iterations }),
        Guard::Limit(times) => json!({ "limit": times }),
    }
}

fn action(action: &Action) -> Json {
    let mut json = json!({ "effect": action.effect.name });
    if let Some(target) = action.target {
        json["target"] = json!(target.name);
    }
    if let Some(text) = &action.text {
        json["text"] = template(text);
    }
    let target = action.target.map(|target| target.name);
    let is_left_out =
        |label: &Label| label.descriptor.omits_default && label.descriptor.is_default(&label.argument, target);
    let effective =
        action.labels.iter().filter(|label| !is_left_out(label) && action.inert(label.descriptor).is_none());
    let labels = effective.map(|known| {
        let (name, value) = older_form(action, known).unwrap_or_else(|| (known.descriptor.name, label(known)));
        (name.to_owned(), value)
    });
    json["labels"] = Json::Object(labels.collect());
    json
}

/// The label that stands for one with its value, and its only word: older plans have it.
fn older_form(action: &Action, known: &Label) -> Option<(&'static str, Json)> {
    let word = known.argument.word()?;
    let means_same = |label: &&&effect::Label| {
        label.stands_for.is_some_and(|(other, meant)| other.name == known.descriptor.name && meant == word)
    };
    let label = action.effect.labels.iter().find(means_same)?;
    Some((label.name, json!(label.shape.words()?.first()?)))
}

fn label(label: &Label) -> Json {
    match &label.argument {
        Argument::Quantity(number) => quantity(*number),
        Argument::Ends(head, tail) => json!({ "ends": [quantity(*head), quantity(*tail)] }),
        Argument::Word(word) => json!(word),
        Argument::Names(names) if label.descriptor.is_ordered() => json!(names),
        Argument::Names(names) => json!(patterns(names)),
        Argument::Pins(pins) => pins.pins().into_iter().map(pin).collect(),
        Argument::Text(text) => template(text),
        Argument::Fields(fields) => fields.iter().map(field).collect(),
    }
}

fn pin(pin: Pin) -> Json {
    match pin {
        Pin::NewestUsers(count) => json!({ "newest_users": count }),
        Pin::UsersWithin(tokens) => json!({ "users_within": tokens }),
        Pin::FirstMessages(count) => json!({ "first_messages": count }),
        Pin::Nothing | Pin::Request | Pin::FirstUser | Pin::Users => json!(pin.to_string()),
    }
}

fn field((name, fact): &(SmolStr, Reading)) -> Json {
    let mut json = reading(fact);
    json["name"] = json!(name);
    json
}

/// The pieces in order. Adjacent literals are joined, since they may come from several lets.
fn template(text: &Template) -> Json {
    let mut pieces: Vec<Json> = Vec::with_capacity(text.pieces.len());
    for piece in &text.pieces {
        match (piece, pieces.last_mut()) {
            (TextPiece::Literal(text), Some(Json::String(before))) => before.push_str(text),
            (TextPiece::Literal(text), _) => pieces.push(json!(text)),
            (TextPiece::Fact(fact), _) => pieces.push(reading(fact)),
            (TextPiece::Variable(name), _) => pieces.push(json!({ "own": name })),
        }
    }
    Json::Array(pieces)
}

fn failing(failure_action: &FailureAction) -> Json {
    match failure_action {
        FailureAction::Keep => json!("keep"),
        FailureAction::Stop => json!("stop"),
        FailureAction::Ask => json!("ask"),
        FailureAction::Then(then) => json!({ "then": action(then) }),
    }
}
