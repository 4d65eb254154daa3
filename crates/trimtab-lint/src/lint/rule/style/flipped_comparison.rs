//! `flipped-comparison`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::{Expr, ExprKind};

use crate::lint::analysis::edit::rewritten;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "flipped-comparison",
        severity: Severity::Info,
        title: "comparison that starts with the number",
        why: "Comparisons normally start with the fact: `context.ratio >= 80%` first names the fact and \
              then its bound.",
        wrong: "edition 2026\npolicy p {\n  rule a { when 80% <= context.ratio do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
    },
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
