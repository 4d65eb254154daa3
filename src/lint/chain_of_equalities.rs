//! `chain-of-equalities`

use std::collections::HashSet;

use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::quantity::Type;
use crate::syntax::tree::{Expr, ExprKind, Operator};
use crate::syntax::walk::{self, Visitor};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "chain-of-equalities",
        severity: Severity::Info,
        title: "one fact against several texts, one by one",
        why: "`x == \"a\" or x == \"b\"` is `x in [\"a\", \"b\"]`: the fact stands there once, and a further text \
              is one word.",
        wrong: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") == \"bash\" or (call.name ?? \"\") == \"grep\" do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") in [\"bash\", \"grep\"] do notify \"x\" }\n}\n",
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

struct Chains<'s, 't> {
    subject: &'s Subject<'t>,
    found: Vec<Diagnostic>,
}

/// The fact and the text of `fact == "text"`.
fn equality(part: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprKind::Compare(left, rest) = &part.kind else { return None };
    let [(sign, right)] = rest.as_slice() else { return None };
    let fact = match &left.kind {
        ExprKind::Default(inner, _) => inner,
        _ => left,
    };
    let ExprKind::Name(name) = &fact.kind else { return None };
    let is_text = crate::fact::find(name).is_some_and(|fact| fact.ty == Type::Text);
    (is_text && sign.node == Operator::Equal && matches!(right.kind, ExprKind::Text(_))).then_some((&**left, right))
}

impl<'t> Visitor<'t> for Chains<'_, '_> {
    fn expression(&mut self, expr: &'t Expr) {
        let ExprKind::Or(parts) = &expr.kind else { return };
        let Some(pairs) = parts.iter().map(equality).collect::<Option<Vec<_>>>() else { return };
        let subject = self.subject;
        let Some(((first, _), rest)) = pairs.split_first() else { return };
        let fact = subject.text(first.span);
        if rest.iter().any(|(other, _)| subject.text(other.span) != fact) {
            return;
        }
        let mut texts: Vec<&str> = pairs.iter().map(|(_, text)| subject.text(text.span)).collect();
        let message = format!("`{fact}` is held against {} texts one by one", texts.len());
        let mut seen = HashSet::new();
        texts.retain(|text| seen.insert(*text));
        let text = match texts.as_slice() {
            [only] => format!("{fact} == {only}"),
            _ => format!("{fact} in [{}]", texts.join(", ")),
        };
        let mut finding = LINT.finding(expr.span, message, format!("this is `{text}`"));
        if !subject.holds_comment(expr.span) {
            finding.fixes.push(fix(format!("write `{text}`"), true, TextEdit { span: expr.span, text }));
        }
        self.found.push(finding);
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let mut chains = Chains { subject, found: Vec::new() };
    walk::file(subject.file, &mut chains);
    found.append(&mut chains.found);
}
