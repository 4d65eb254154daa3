//! `double-negation`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::{Expr, ExprKind};

use crate::lint::analysis::edit::rewritten;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("double-negation", Severity::Info, include_str!("double_negation.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.expressions().filter_map(|expr| negation(subject, expr)));
}

fn negation(subject: &Subject<'_>, expr: &Expr) -> Option<Diagnostic> {
    let ExprKind::Not(inner) = &expr.kind else { return None };
    let text = if let ExprKind::Not(twice) = &inner.kind {
        subject.text(twice.span).to_owned()
    } else {
        let (left, operator, right) = inner.comparison()?;
        format!(
            "{} {} {}",
            subject.text(left.span),
            operator.node.comparison()?.negated().symbol(),
            subject.text(right.span)
        )
    };
    let message = format!("`{}` can be written without `not`", subject.text(expr.span));
    Some(rewritten(&LINT, expr, message, &text))
}
