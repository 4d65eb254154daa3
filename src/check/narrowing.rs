//! Which optional facts are known where a condition holds, or where it does not.

use crate::syntax::tree::{Expr, ExprKind, Number};

/// What tells one instance of a fact from another, as text.
pub(super) fn key(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Call(name, arguments) => {
            let argument = |argument: &crate::syntax::tree::Argument| {
                let name = argument.name.as_ref().map(|name| name.node.as_str()).unwrap_or_default();
                key(&argument.value).map(|value| format!("{name}:{value}"))
            };
            let arguments: Option<Vec<String>> = arguments.iter().map(argument).collect();
            Some(format!("{}({})", name.node, arguments?.join(",")))
        }
        ExprKind::Number(number, unit) => {
            let number = match number {
                Number::Percent(number) | Number::Money(number) | Number::Duration(number) | Number::Plain(number) => {
                    number.normalize()
                }
            };
            Some(format!("{number} {}", unit.as_ref().map(|unit| unit.node.as_str()).unwrap_or_default()))
        }
        ExprKind::Text(text) => Some(format!("{:?}", text.value)),
        _ => None,
    }
}

/// The argument of `known(…)`.
pub(super) fn asked(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Call(name, arguments) if name.node == "known" => match arguments.as_slice() {
            [one] if one.name.is_none() => Some(&one.value),
            _ => None,
        },
        _ => None,
    }
}

/// The facts that are known where a condition comes out as `truth`.
pub(super) fn known(condition: &Expr, truth: bool) -> Vec<String> {
    if let Some(fact) = asked(condition) {
        return key(fact).filter(|_| truth).into_iter().collect();
    }
    match (&condition.kind, truth) {
        (ExprKind::Not(inner), truth) => known(inner, !truth),
        (ExprKind::And(parts), true) | (ExprKind::Or(parts), false) => {
            parts.iter().flat_map(|part| known(part, truth)).collect()
        }
        (ExprKind::And(parts), false) | (ExprKind::Or(parts), true) => {
            let mut each = parts.iter().map(|part| known(part, truth));
            let first = each.next().unwrap_or_default();
            each.fold(first, |common, part| common.into_iter().filter(|fact| part.contains(fact)).collect())
        }
        _ => Vec::new(),
    }
}
