//! `flipped-comparison`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::{Expr, ExprKind};

use crate::lint::analysis::edit::rewritten;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("flipped-comparison", Severity::Info, include_str!("flipped_comparison.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.expressions().filter_map(|expr| flipped(subject, expr)));
}

/// Whether an expression reads a fact.
fn is_fact(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => trimtab_language::fact::is_fact_name(name),
        ExprKind::Call(..) | ExprKind::Default(..) => true,
        _ => false,
    }
}

fn flipped(subject: &Subject<'_>, expr: &Expr) -> Option<Diagnostic> {
    let (left, operator, right) = expr.comparison().filter(|(left, _, right)| !is_fact(left) && is_fact(right))?;
    let text = format!(
        "{} {} {}",
        subject.text(right.span),
        operator.node.comparison()?.flipped().symbol(),
        subject.text(left.span)
    );
    let message = format!("`{}` starts with the number", subject.text(expr.span));
    Some(rewritten(&LINT, expr, message, &text))
}
