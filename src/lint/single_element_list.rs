//! `single-element-list`

use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::quantity::{Type, Unit};
use crate::syntax::tree::{Expr, ExprKind, Item, Operator, Term, TermKind};
use crate::syntax::walk::{self, Visitor};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "single-element-list",
        severity: Severity::Info,
        title: "a list of one",
        why: "`in` with one element is `==`, which says so at once and needs no second look at the list.",
        wrong: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") in [\"bash\"] do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when (call.name ?? \"\") == \"bash\" do notify \"x\" }\n}\n",
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

struct Lists<'s, 't> {
    subject: &'s Subject<'t>,
    found: Vec<Diagnostic>,
}

impl<'t> Visitor<'t> for Lists<'_, '_> {
    fn expression(&mut self, expr: &'t Expr) {
        let ExprKind::Compare(left, rest) = &expr.kind else { return };
        let [(sign, list)] = rest.as_slice() else { return };
        let (Operator::In, ExprKind::List(terms)) = (sign.node, &list.kind) else { return };
        let Some(element) = self.only(terms) else { return };
        let text = format!("== {element}");
        let message = format!("`{}` is a list of one", self.subject.text(list.span));
        let mut finding = LINT.finding(list.span, message, format!("the same as `{text}`"));
        let span = sign.span.to(list.span);
        if is_text(left) && !self.subject.holds_comment(span) {
            finding.fixes.push(fix(format!("write `{text}`"), true, TextEdit { span, text }));
        }
        self.found.push(finding);
    }
}

impl Lists<'_, '_> {
    /// The only element as it stands behind `==`.
    fn only(&self, terms: &[Term]) -> Option<String> {
        let own = |name: &str| {
            self.subject.file.items.iter().any(|item| matches!(item, Item::Let(one) if one.name.node == name))
        };
        match terms {
            [Term { kind: TermKind::Word(word), .. }] if !own(word) => Some(format!("\"{word}\"")),
            [one] => Some(self.subject.text(one.span).to_owned()),
            [Term { kind: TermKind::Number(_), span }, Term { kind: TermKind::Word(unit), span: end }]
                if Unit::from_word(unit).is_some() =>
            {
                Some(self.subject.text(span.to(*end)).to_owned())
            }
            _ => None,
        }
    }
}

/// Whether an expression reads a text; shares are compared in tokens by `==` and as they are by `in`.
fn is_text(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => crate::fact::find(name).is_some_and(|fact| fact.ty == Type::Text),
        ExprKind::Default(inner, _) => is_text(inner),
        _ => false,
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let mut lists = Lists { subject, found: Vec::new() };
    walk::file(subject.file, &mut lists);
    found.append(&mut lists.found);
}
