//! Conditions.

use trimtab_base::quantity::Unit;
use trimtab_base::source::Spanned;
use trimtab_syntax::syntax::tree::{Argument, Comparison, Expr, ExprKind, Operator, Term};

use super::expression::{element, expression, fact_of, number_expression, reading, value};
use super::{Node, PlanLoadError};

/// The keys of a reading, beside which a test has one that states the relation.
const READING: [&str; 3] = ["fact", "arguments", "else"];

/// A condition as an expression.
pub(super) fn condition(node: &Node<'_>) -> Result<Expr, PlanLoadError> {
    if node.json.is_boolean() {
        return Ok(expression(node, ExprKind::Bool(node.truth()?)));
    }
    if let Some(parts) = node.get("all") {
        return Ok(expression(node, ExprKind::And(conditions(&parts.list()?))));
    }
    if let Some(parts) = node.get("any") {
        return Ok(expression(node, ExprKind::Or(conditions(&parts.list()?))));
    }
    if let Some(inner) = node.get("not") {
        return Ok(negated(node, condition(&inner)?));
    }
    test(node)
}

/// The conditions without those that have errors.
pub(super) fn conditions(parts: &[Node<'_>]) -> Vec<Expr> {
    parts.iter().filter_map(|part| part.attempt(condition(part))).collect()
}

pub(super) fn negated(node: &Node<'_>, inner: Expr) -> Expr {
    expression(node, ExprKind::Not(Box::new(inner)))
}

/// `known(FACT)`
pub(super) fn known(node: &Node<'_>, fact: Expr) -> Expr {
    expression(node, ExprKind::Call(node.word("known"), vec![Argument { name: None, value: fact }]))
}

fn test(node: &Node<'_>) -> Result<Expr, PlanLoadError> {
    let fact = fact_of(node)?;
    let left = reading(node)?;
    let mut relations = node.entries()?.into_iter().filter(|(key, _)| !READING.contains(key));
    let (Some((relation, right)), None) = (relations.next(), relations.next()) else {
        return Err(node.error("expected one relation, such as `>=` or `holds`"));
    };
    let compared = |operator: Operator, right: Expr| {
        let operator = Spanned::new(operator, node.span());
        expression(node, ExprKind::Compare(Box::new(left.clone()), vec![(operator, right)]))
    };
    match relation {
        "holds" => Ok(left),
        "known" => Ok(known(node, left)),
        "in" => {
            let terms: Vec<Vec<Term>> =
                right.list()?.iter().map(|one| element(one, fact.ty)).collect::<Result<_, _>>()?;
            Ok(compared(Operator::In, expression(&right, ExprKind::List(terms.concat()))))
        }
        "contains" => Ok(compared(Operator::Contains, value(&right, fact.ty)?)),
        symbol => {
            let comparison =
                Comparison::from_symbol(symbol).ok_or_else(|| right.error(format!("unknown relation `{symbol}`")))?;
            let constant = match right.get("share_of_window") {
                Some(share) => number_expression(&share, share.decimal()?, Unit::Share),
                None => value(&right, fact.ty)?,
            };
            Ok(compared(Operator::Comparison(comparison), constant))
        }
    }
}
