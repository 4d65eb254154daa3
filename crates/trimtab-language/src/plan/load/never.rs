//! The condition of a rule that can never fire.

use serde_json::Value as Json;
use trimtab_syntax::syntax::tree::{Expr, ExprKind};

use super::condition::known;
use super::expression::{expression, reading};
use super::{Node, PlanLoadError};

/// A condition that never holds, but that makes every optional fact known, as the condition of the policy may have.
pub(super) fn never(rule: &Node<'_>) -> Result<Expr, PlanLoadError> {
    let mut all = Vec::new();
    for key in ["guards", "do", "on_failure"] {
        facts(&rule.need(key)?, &mut all)?;
    }
    all.push(expression(rule, ExprKind::Bool(false)));
    Ok(expression(rule, ExprKind::And(all)))
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
