//! `flipped-comparison`

use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::syntax::tree::{Expr, ExprKind, Operator};
use crate::syntax::walk::{self, Visitor};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "flipped-comparison",
        severity: Severity::Info,
        title: "a comparison that begins with its number",
        why: "Everywhere else the fact stands first: `context.ratio >= 80%` says what is looked at, then how much \
              of it.",
        wrong: "edition 2026\npolicy p {\n  rule a { when 80% <= context.ratio do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: Remedy::Safe,
    pedantic: false,
    evidence: &[],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

struct Comparisons<'s, 't> {
    subject: &'s Subject<'t>,
    found: Vec<Diagnostic>,
}

/// Whether an expression reads a fact.
fn is_fact(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => crate::fact::find(name).is_some(),
        ExprKind::Call(..) | ExprKind::Default(..) => true,
        _ => false,
    }
}

/// The sign with the sides exchanged.
const fn mirrored(sign: Operator) -> Option<Operator> {
    Some(match sign {
        Operator::Less => Operator::More,
        Operator::AtMost => Operator::AtLeast,
        Operator::More => Operator::Less,
        Operator::AtLeast => Operator::AtMost,
        Operator::Equal | Operator::Unequal => sign,
        Operator::In | Operator::Contains => return None,
    })
}

impl<'t> Visitor<'t> for Comparisons<'_, '_> {
    fn expression(&mut self, expr: &'t Expr) {
        let ExprKind::Compare(left, rest) = &expr.kind else { return };
        let [(sign, right)] = rest.as_slice() else { return };
        let (false, true, Some(sign)) = (is_fact(left), is_fact(right), mirrored(sign.node)) else { return };
        let text = format!("{} {} {}", self.subject.text(right.span), sign.sign(), self.subject.text(left.span));
        let message = format!("`{}` begins with its number", self.subject.text(expr.span));
        let mut finding = LINT.finding(expr.span, message, format!("this is `{text}`"));
        if !self.subject.holds_comment(expr.span) {
            let edit = TextEdit { span: expr.span, text: text.clone() };
            finding.fixes.push(fix(format!("write `{text}`"), true, edit));
        }
        self.found.push(finding);
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let mut comparisons = Comparisons { subject, found: Vec::new() };
    walk::file(subject.file, &mut comparisons);
    found.append(&mut comparisons.found);
}
