//! Lists of effects in YAML, as the YAML reader reads them.
//!
//! Nothing here knows what a kind of effect means. A rule is compared with the rules that the reader makes of each kind, so
//! what is written is read again as the same rule.

mod fit;

use serde_json::{Value as Json, json};
use trimtab_language::check::{Agent, Rule};
use trimtab_language::plan::{self, Plan};
use trimtab_syntax::syntax;

use super::{Loss, TargetFormat, Written};
use fit::{Fit, Fitter};

pub(super) static TARGET: TargetFormat =
    TargetFormat { name: "effects-yaml", summary: "A list of effects in YAML, which this tool reads too", write };

fn write(plan: &Plan) -> Written {
    let fitter = Fitter::default();
    let (mut effects, mut losses): (Vec<Effect<'_>>, Vec<Loss>) = Default::default();
    for rule in &plan.rules {
        match effect(rule, &fitter, &effects) {
            Ok(effect) => effects.push(effect),
            Err(reason) => losses.push(Loss { part: format!("rule `{}`", rule.name), reason }),
        }
    }
    losses.extend(unsaid_fields(&plan.agent));
    if effects.is_empty() {
        let reason = "no rule can be written, and a list without effects means the default effects".to_owned();
        losses.push(Loss { part: format!("policy `{}`", plan.policy), reason });
    }
    if losses.is_empty() {
        losses.extend(changed(plan, &document(plan, &effects, &[])));
    }
    Written { text: document(plan, &effects, &losses), losses }
}

/// A rule as an effect.
struct Effect<'a> {
    rule: &'a Rule,
    fit: Fit,
}

/// The effect that a rule stands for, or why there is none.
fn effect<'a>(rule: &'a Rule, fitter: &Fitter, before: &[Effect<'_>]) -> Result<Effect<'a>, String> {
    let fit = fitter.nearest(&meaning(rule)).ok_or("no kind of effect resembles it")?;
    if !fit.differences.is_empty() {
        let parts = listed(&fit.parts());
        return Err(format!("the nearest kind, `{}`, differs in {parts}", fit.kind.name));
    }
    let later = before.iter().find(|other| other.rule.phase == rule.phase && other.fit.kind.rank > fit.kind.rank);
    match later {
        Some(other) => Err(format!("it is tried after `{}`, but `{}` runs first", other.rule.name, fit.kind.name)),
        None => Ok(Effect { rule, fit }),
    }
}

/// The parts with commas and an `and`.
fn listed(parts: &[String]) -> String {
    match parts {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        parts => parts.concat(),
    }
}

/// The meaning of a rule apart from its name.
fn meaning(rule: &Rule) -> Json {
    let mut json = plan::meaning(rule);
    json["name"] = Json::Null;
    json
}

/// The fields of the `agent` block that the format does not have.
fn unsaid_fields(agent: &Agent) -> Vec<Loss> {
    let fields = [
        ("reserve", agent.reserve, "the format has no such key"),
        ("overhead", agent.overhead, "the format has no such key"),
        ("window", agent.window.map(|window| window.node).filter(|window| *window == 0), "0 turns effects off"),
    ];
    let given = fields.into_iter().filter(|(_, value, _)| value.is_some());
    let fields = given.map(|(field, _, reason)| Loss { part: format!("agent `{field}`"), reason: reason.to_owned() });
    let facts = agent.facts.iter().map(|fact| Loss {
        part: format!("agent `fact {}`", fact.name.node),
        reason: "the format has no facts of the host".to_owned(),
    });
    fields.chain(facts).collect()
}

fn document(plan: &Plan, effects: &[Effect<'_>], losses: &[Loss]) -> String {
    let mut out = String::new();
    for loss in losses {
        out += &format!("# not written: {}\n", one_line(&loss.to_string()));
    }
    out += &format!("agents:\n  - name: {}\n", name(&plan.policy));
    let agent = &plan.agent;
    if let Some(model) = &agent.model {
        out += &format!("    model: {}\n", json!(model.node));
    }
    if let Some(window) = agent.window.filter(|window| window.node > 0) {
        out += &format!("    window: {}\n", window.node);
    }
    if let Some(tools) = &agent.tools {
        out += &format!("    tools: {}\n", json!(tools));
    }
    out += if effects.is_empty() { "    effects: []\n" } else { "    effects:\n" };
    for Effect { rule, fit } in effects {
        let comment = if rule.name == fit.kind.name { String::new() } else { format!(" # {}", rule.name) };
        out += &format!("      - kind: {}{comment}\n        params:\n", fit.kind.name);
        for (param, value) in &fit.values {
            out += &format!("          {param}: {value}\n");
        }
    }
    out
}

/// A name as a scalar, in quotes where it would be a constant.
fn name(text: &str) -> String {
    let is_constant = ["true", "false", "null"].contains(&text.to_ascii_lowercase().as_str());
    if syntax::is_name(text) && !is_constant { text.to_owned() } else { json!(text).to_string() }
}

fn one_line(text: &str) -> String {
    text.split(char::is_control).collect::<Vec<_>>().join(" ")
}

/// How the text differs from the plan when it is read again, apart from names and from the order of different phases.
fn changed(plan: &Plan, text: &str) -> Option<Loss> {
    let by_phase = |plan: &Plan| {
        let mut rules: Vec<&Rule> = plan.rules.iter().collect();
        rules.sort_by_key(|rule| rule.phase);
        let rules: Vec<Json> = rules.into_iter().map(meaning).collect();
        json!({ "agent": plan.json()["agent"], "rules": rules })
    };
    let part = format!("policy `{}`", plan.policy);
    let Some(read) = fit::read(text) else {
        return Some(Loss { part, reason: "the text cannot be read again".to_owned() });
    };
    let first = plan::differences(&by_phase(plan), &by_phase(&read)).into_iter().next()?;
    Some(Loss { part, reason: format!("read again, {first}") })
}
