//! The host: an object as an `agent` block.

use super::expression::{number_term, term, text_term, word_term};
use super::{Node, PlanLoadError};
use crate::quantity::{Decimal, Unit};
use crate::syntax::tree::{Agent, Term, TermKind};

/// The block; none if nothing is known.
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
    Ok((!terms.is_empty()).then(|| Agent { terms, span: node.span() }))
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
