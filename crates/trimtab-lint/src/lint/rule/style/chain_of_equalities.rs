//! `chain-of-equalities`

use std::collections::HashSet;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::Type;
use trimtab_syntax::syntax::tree::{Comparison, Expr, ExprKind, Operator};

use crate::lint::analysis::edit::rewritten;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("chain-of-equalities", Severity::Info, include_str!("chain_of_equalities.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.expressions().filter_map(|expr| chain(subject, expr)));
}

/// The fact and the text of `fact == "text"`.
fn equality(part: &Expr) -> Option<(&Expr, &Expr)> {
    let (left, operator, right) = part.comparison()?;
    let fact = match &left.kind {
        ExprKind::Default(inner, _) => inner,
        _ => left,
    };
    let ExprKind::Name(name) = &fact.kind else { return None };
    let is_text = trimtab_language::fact::find(name).is_some_and(|fact| fact.ty == Type::Text);
    (is_text && operator.node == Operator::Comparison(Comparison::Equal) && matches!(right.kind, ExprKind::Text(_)))
        .then_some((left, right))
}

fn chain(subject: &Subject<'_>, expr: &Expr) -> Option<Diagnostic> {
    let ExprKind::Or(parts) = &expr.kind else { return None };
    let pairs = parts.iter().map(equality).collect::<Option<Vec<_>>>()?;
    let ((first, _), rest) = pairs.split_first()?;
    let fact = subject.text(first.span);
    if rest.iter().any(|(other, _)| subject.text(other.span) != fact) {
        return None;
    }
    let mut texts: Vec<&str> = pairs.iter().map(|(_, text)| subject.text(text.span)).collect();
    let message = format!("`{fact}` is compared with {} texts one by one", texts.len());
    let mut seen = HashSet::new();
    texts.retain(|text| seen.insert(*text));
    let text = match texts.as_slice() {
        [only] => format!("{fact} == {only}"),
        _ => format!("{fact} in [{}]", texts.join(", ")),
    };
    Some(rewritten(&LINT, expr, message, &text))
}
