//! `double-negation`

use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::syntax::tree::{Expr, ExprKind, Operator};
use crate::syntax::walk::{self, Visitor};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "double-negation",
        severity: Severity::Info,
        title: "a negation that can be said straight",
        why: "`not a < b` is `a >= b` and `not not a` is `a`: who reads a policy should not have to turn a condition \
              over in the head. Where the fact can be unknown both forms are equally undecided.",
        wrong: "edition 2026\npolicy p {\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
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

struct Negations<'s, 't> {
    subject: &'s Subject<'t>,
    found: Vec<Diagnostic>,
}

/// The sign that holds exactly where this one does not.
const fn opposite(sign: Operator) -> Option<Operator> {
    Some(match sign {
        Operator::Less => Operator::AtLeast,
        Operator::AtMost => Operator::More,
        Operator::More => Operator::AtMost,
        Operator::AtLeast => Operator::Less,
        Operator::Equal => Operator::Unequal,
        Operator::Unequal => Operator::Equal,
        Operator::In | Operator::Contains => return None,
    })
}

impl<'t> Visitor<'t> for Negations<'_, '_> {
    fn expression(&mut self, expr: &'t Expr) {
        let ExprKind::Not(inner) = &expr.kind else { return };
        let text = match &inner.kind {
            ExprKind::Not(twice) => self.subject.text(twice.span).to_owned(),
            ExprKind::Compare(left, rest) => {
                let [(sign, right)] = rest.as_slice() else { return };
                let Some(opposite) = opposite(sign.node) else { return };
                format!("{} {} {}", self.subject.text(left.span), opposite.sign(), self.subject.text(right.span))
            }
            _ => return,
        };
        let message = format!("`{}` can be said without `not`", self.subject.text(expr.span));
        let mut finding = LINT.finding(expr.span, message, format!("this is `{text}`"));
        if !self.subject.holds_comment(expr.span) {
            finding.fixes.push(fix(format!("write `{text}`"), true, TextEdit { span: expr.span, text }));
        }
        self.found.push(finding);
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let mut negations = Negations { subject, found: Vec::new() };
    walk::file(subject.file, &mut negations);
    found.append(&mut negations.found);
}
