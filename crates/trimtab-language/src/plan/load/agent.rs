//! The host: an object as an `agent` block.

use trimtab_base::quantity::{Decimal, Type, Unit};
use trimtab_syntax::syntax::tree::{Agent, Term, TermKind};

use super::expression::{element, number_term, term, text_term, word_term};
use super::{Node, PlanLoadError};
use crate::fact::host_type;

/// Returns the block, or `None` if nothing is known.
pub(super) fn agent(node: &Node<'_>) -> Result<Option<Agent>, PlanLoadError> {
    let mut terms = Vec::new();
    for field in ["model", "window", "reserve", "overhead", "tools"] {
        let Some(value) = node.attempt(node.need(field)) else { continue };
        let read = match field {
            "model" => model,
            "tools" => tools,
            _ => tokens,
        };
        if let Some(value_terms) = node.attempt(value.maybe(read)).flatten() {
            terms.push(word_term(&value, field));
            terms.extend(value_terms);
        }
    }
    if let Some(facts) = node.get("facts") {
        for declared in node.attempt(facts.list()).unwrap_or_default() {
            terms.extend(node.attempt(fact(&declared)).unwrap_or_default());
        }
    }
    Ok((!terms.is_empty()).then(|| Agent { terms, span: node.span() }))
}

/// The terms of `fact NAME TYPE default VALUE`.
fn fact(node: &Node<'_>) -> Result<Vec<Term>, PlanLoadError> {
    let (name, word, default) = (node.need("name")?, node.need("type")?, node.need("default")?);
    let ty = host_type(word.text()?).ok_or_else(|| word.error("unknown type"))?;
    let mut terms = vec![word_term(node, "fact"), word_term(&name, name.name()?), word_term(&word, word.text()?)];
    if let Some(default) = default.maybe(|value| default_terms(value, ty))? {
        terms.push(word_term(node, "default"));
        terms.extend(default);
    }
    Ok(terms)
}

fn default_terms(node: &Node<'_>, ty: Type) -> Result<Vec<Term>, PlanLoadError> {
    match ty {
        Type::Bool => Ok(vec![word_term(node, if node.truth()? { "true" } else { "false" })]),
        other => element(node, other),
    }
}

fn model(node: &Node<'_>) -> Result<Vec<Term>, PlanLoadError> {
    Ok(vec![text_term(node, node.text()?)])
}

fn tokens(node: &Node<'_>) -> Result<Vec<Term>, PlanLoadError> {
    Ok(number_term(node, Decimal::from(node.whole()?), Unit::Tokens))
}

fn tools(node: &Node<'_>) -> Result<Vec<Term>, PlanLoadError> {
    let names = node.list()?.iter().map(|one| Ok(text_term(one, one.text()?))).collect::<Result<_, _>>()?;
    Ok(vec![term(node, TermKind::List(names))])
}
