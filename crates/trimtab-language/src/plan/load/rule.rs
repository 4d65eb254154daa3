//! Rules and their guards.

use serde_json::Value as Json;
use trimtab_base::quantity::{Counted, Unit};
use trimtab_syntax::syntax::tree::{Clause, ClauseKind, PolicyItem, Prompt, Rule, TermKind};

use super::action::{call, failure_terms};
use super::condition::condition;
use super::expression::{number_expression, reading, template, term};
use super::never::never;
use super::{Node, PlanLoadError};
use crate::phase::Phase;

/// A rule. Its prompts are added to those of the file. Clauses with errors are missing.
pub(super) fn rule(node: &Node<'_>, prompts: &mut Vec<Prompt>) -> Result<PolicyItem, PlanLoadError> {
    let name = node.need("name")?;
    let word = node.attempt(name.name());
    let mut clauses: Vec<Clause> = node.attempt(node.need("phase").and_then(|phase| on(&phase))).into_iter().collect();
    let when = node.attempt(node.need("condition").and_then(|when| match when.json {
        Json::Bool(true) => Ok(None),
        Json::Bool(false) => never(node).map(Some),
        _ => condition(&when).map(Some),
    }));
    let when = when.flatten();
    let unless = node.get("unless").and_then(|unless| node.attempt(condition(&unless)));
    clauses.extend(when.map(|when| clause(node, ClauseKind::When(when))));
    clauses.extend(unless.map(|unless| clause(node, ClauseKind::Unless(unless))));
    if let Some(question) = node.get("confirm") {
        let text = node.attempt(template(&question));
        clauses.extend(text.map(|text| clause(&question, ClauseKind::Confirm(term(&question, TermKind::Text(text))))));
    }
    for one in node.attempt(node.need("guards").and_then(|guards| guards.list())).unwrap_or_default() {
        clauses.extend(node.attempt(guard(&one)));
    }
    clauses.extend(node.attempt(actions(node, prompts)));
    clauses.extend(node.attempt(on_failure(node, prompts)).flatten());
    let name = name.word(word.unwrap_or_default());
    let span = node.span();
    Ok(PolicyItem::Rule(Rule { name, sealed: None, overrides: None, order: None, clauses, span }))
}

/// The `do` clause.
fn actions(rule: &Node<'_>, prompts: &mut Vec<Prompt>) -> Result<Clause, PlanLoadError> {
    let node = rule.need("do")?;
    let actions = node.list()?;
    if actions.is_empty() {
        return Err(node.error("expected one or more effects"));
    }
    let calls = actions.iter().filter_map(|one| one.attempt(call(one, prompts))).collect();
    Ok(clause(&node, ClauseKind::Do(calls)))
}

fn clause(node: &Node<'_>, kind: ClauseKind) -> Clause {
    Clause { kind, scope: None, word: node.span(), span: node.span() }
}

fn on(node: &Node<'_>) -> Result<Clause, PlanLoadError> {
    let word = node.text()?;
    Phase::find(word).ok_or_else(|| node.error(format!("unknown phase `{word}`")))?;
    Ok(clause(node, ClauseKind::On(node.word(word))))
}

/// A guard with its scope.
fn guard(node: &Node<'_>) -> Result<Clause, PlanLoadError> {
    match node.json.as_str() {
        Some("once") => return Ok(clause(node, ClauseKind::Once)),
        Some(word) => return Err(node.error(format!("unknown guard `{word}`"))),
        None => {}
    }
    let (scopes, guards): (Vec<_>, Vec<_>) = node.entries()?.into_iter().partition(|(word, _)| *word == "in");
    let [(word, value)] = guards.as_slice() else { return Err(node.error("expected one guard")) };
    let scope = scopes.first().map(|(_, scope)| Ok(scope.word(scope.text()?))).transpose()?;
    Ok(Clause { scope, ..clause(node, guard_kind(word, value, node)?) })
}

fn guard_kind(word: &str, value: &Node<'_>, node: &Node<'_>) -> Result<ClauseKind, PlanLoadError> {
    let times = |unit| Ok(number_expression(value, value.whole()?.into(), Unit::Counted(unit)));
    Ok(match word {
        "once" if *value.json == Json::Bool(true) => ClauseKind::Once,
        "once_per" => ClauseKind::OncePer(reading(value)?),
        "once_until" => ClauseKind::OnceUntil(condition(value)?),
        "until" => ClauseKind::Until(condition(value)?),
        "every" => ClauseKind::Every(times(Counted::Iterations)?),
        "cooldown" => ClauseKind::Cooldown(times(Counted::Iterations)?),
        "limit" => ClauseKind::Limit(times(Counted::Count)?),
        word => return Err(node.error(format!("unknown guard `{word}`"))),
    })
}

/// Returns the `on_failure` clause, or `None` for the default.
fn on_failure(rule: &Node<'_>, prompts: &mut Vec<Prompt>) -> Result<Option<Clause>, PlanLoadError> {
    let (node, retries) = (rule.need("on_failure")?, rule.need("retries")?);
    if let Some(then) = node.get("then") {
        let terms = failure_terms(&node, &retries, None)?;
        let call = call(&then, prompts)?;
        return Ok(Some(clause(&node, ClauseKind::OnFailure(terms, Some(call)))));
    }
    let word = node.text()?;
    if word == "keep" && retries.whole()? == 0 {
        return Ok(None);
    }
    let terms = failure_terms(&node, &retries, Some(word))?;
    Ok(Some(clause(&node, ClauseKind::OnFailure(terms, None))))
}
