//! Splits the condition of a rule into `when` and `unless`, as the checker needs them.
//!
//! In a plan the negation of `unless` is part of the condition. For most rules the whole condition can be a `when`. It
//! cannot if `unless` is needed again, or if it makes an optional fact known that the condition reads before it.

use serde_json::Value as Json;

use super::condition::{condition, conditions, known, negated};
use super::expression::{expression, reading};
use super::{Node, PlanLoadError};
use crate::syntax::tree::{Expr, ExprKind};

/// The `when` and the `unless` of a rule.
pub(super) type Split = (Option<Expr>, Option<Expr>);

pub(super) fn split(rule: &Node<'_>) -> Result<Split, PlanLoadError> {
    let whole = rule.need("condition")?;
    match (whole.json, rule.get("unless")) {
        (Json::Bool(true), None) => Ok((None, None)),
        (Json::Bool(false), unless) => {
            let unless = unless.map(|unless| condition(&unless)).transpose()?;
            Ok((Some(never(rule, &whole)?), unless))
        }
        (_, Some(unless)) => {
            let parts = due(&whole, unless.json)?;
            Ok((joined(&whole, &parts)?, Some(condition(&unless)?)))
        }
        (_, None) => {
            let parts = parts(&whole)?;
            let (due, rest) = parts.split_at(boundary(&parts).unwrap_or(parts.len()));
            let unless = joined(&whole, rest)?.map(|rest| negated(&whole, rest));
            Ok((joined(&whole, due)?, unless))
        }
    }
}

/// The conditions that must all hold.
fn parts<'a>(node: &Node<'a>) -> Result<Vec<Node<'a>>, PlanLoadError> {
    node.get("all").map_or_else(|| Ok(vec![node.clone()]), |parts| parts.list())
}

fn joined(node: &Node<'_>, parts: &[Node<'_>]) -> Result<Option<Expr>, PlanLoadError> {
    Ok(match parts {
        [] => None,
        [part] => Some(condition(part)?),
        parts => Some(expression(node, ExprKind::And(conditions(parts)))),
    })
}

/// The parts of a condition before the negation of `unless`, with which it must end.
fn due<'a>(whole: &Node<'a>, unless: &Json) -> Result<Vec<Node<'a>>, PlanLoadError> {
    let mut parts = parts(whole)?;
    let ends = match unless {
        Json::Bool(true) => return Err(whole.error("expected false, because `unless` is true")),
        Json::Bool(false) => Vec::new(),
        other => match other.get("not") {
            Some(inner) => inner.get("all").and_then(Json::as_array).cloned().unwrap_or_else(|| vec![inner.clone()]),
            None => vec![serde_json::json!({ "not": other })],
        },
    };
    let rest = parts.len().saturating_sub(ends.len());
    if parts.iter().skip(rest).map(|part| part.json).ne(&ends) {
        return Err(whole.error("expected a condition that ends with the negation of `unless`"));
    }
    parts.truncate(rest);
    Ok(parts)
}

/// Where `unless` must begin: at the first part that makes known what a part before it reads.
fn boundary(parts: &[Node<'_>]) -> Option<usize> {
    (1..parts.len()).find(|&at| {
        let granted = granted(parts[at].json, true);
        let (before, is_granted) = (&parts[..at], |fact: &Fact<'_>| {
            parts[..at].iter().any(|part| self::granted(part.json, true).contains(fact))
        });
        granted.iter().any(|fact| !is_granted(fact) && before.iter().any(|part| reads(part.json, *fact)))
    })
}

/// A fact and its arguments.
type Fact<'a> = (&'a Json, Option<&'a Json>);

fn fact(test: &Json) -> Option<Fact<'_>> {
    Some((test.get("fact")?, test.get("arguments")))
}

/// The facts that are known where a condition has this truth.
fn granted(condition: &Json, truth: bool) -> Vec<Fact<'_>> {
    if let Some(inner) = condition.get("not") {
        return granted(inner, !truth);
    }
    if let Some(parts) = condition.get(if truth { "all" } else { "any" }).and_then(Json::as_array) {
        return parts.iter().flat_map(|part| granted(part, truth)).collect();
    }
    fact(condition).filter(|_| truth && condition.get("known").is_some()).into_iter().collect()
}

/// Whether a condition reads a fact without a default where it does not itself make it known.
fn reads(condition: &Json, wanted: Fact<'_>) -> bool {
    if let Some(inner) = condition.get("not") {
        return reads(inner, wanted);
    }
    for (key, truth) in [("all", true), ("any", false)] {
        if let Some(parts) = condition.get(key).and_then(Json::as_array) {
            let open = parts.iter().take_while(|part| !granted(part, truth).contains(&wanted)).count();
            return parts.iter().take(open + 1).any(|part| reads(part, wanted));
        }
    }
    condition.get("known").is_none() && condition.get("else").is_none() && fact(condition) == Some(wanted)
}

/// A condition that never holds, but that makes every optional fact known, as the condition of the policy may have.
fn never(rule: &Node<'_>, whole: &Node<'_>) -> Result<Expr, PlanLoadError> {
    let mut all = Vec::new();
    for key in ["guards", "do", "on_failure"] {
        facts(&rule.need(key)?, &mut all)?;
    }
    all.push(condition(whole)?);
    Ok(expression(whole, ExprKind::And(all)))
}

/// Adds a test for each optional fact that is read somewhere in this value.
fn facts(node: &Node<'_>, all: &mut Vec<Expr>) -> Result<(), PlanLoadError> {
    if node.json.is_array() {
        return node.list()?.iter().try_for_each(|one| facts(one, all));
    }
    if !node.json.is_object() {
        return Ok(());
    }
    let name = node.json.get("fact").and_then(Json::as_str);
    let is_open = node.json.get("else").is_none();
    let optional = name.and_then(|name| node.fact(name)).is_some_and(crate::fact::Fact::is_optional);
    if optional && is_open {
        all.push(known(node, reading(node)?));
    }
    node.entries()?.iter().try_for_each(|(_, one)| facts(one, all))
}
