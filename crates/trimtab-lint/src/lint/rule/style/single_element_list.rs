//! `single-element-list`

use std::collections::HashSet;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Type, Unit};
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Item, Operator, Term, TermKind};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("single-element-list", Severity::Info, include_str!("single_element_list.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let lets = subject.file.items.iter().filter_map(|item| match item {
        Item::Let(item) => Some(item.name.node.as_str()),
        _ => None,
    });
    let lets: HashSet<&str> = lets.collect();
    findings.extend(subject.expressions().filter_map(|expr| single(subject, &lets, expr)));
}

fn single(subject: &Subject<'_>, lets: &HashSet<&str>, expr: &Expr) -> Option<Diagnostic> {
    let (left, operator, list) = expr.comparison()?;
    let (Operator::In, ExprKind::List(terms)) = (operator.node, &list.kind) else { return None };
    let text = format!("== {}", only(subject, lets, terms)?);
    let message = format!("`{}` has only one element", subject.text(list.span));
    let mut finding = LINT.finding(list.span, message, format!("the same as `{text}`"));
    let span = operator.span.to(list.span);
    if is_text(left) {
        finding.fixes.push(fix(format!("write `{text}`"), true, TextEdit { span, text }));
    }
    Some(finding)
}

/// The only element, as written after `==`.
fn only(subject: &Subject<'_>, lets: &HashSet<&str>, terms: &[Term]) -> Option<String> {
    match terms {
        [Term { kind: TermKind::Word(word), .. }] if !lets.contains(word.as_str()) => Some(format!("\"{word}\"")),
        [only] => Some(subject.text(only.span).to_owned()),
        [Term { kind: TermKind::Number(_), span }, Term { kind: TermKind::Word(unit), span: end }]
            if Unit::from_word(unit).is_some() =>
        {
            Some(subject.text(span.to(*end)).to_owned())
        }
        _ => None,
    }
}

/// Whether an expression reads a text; for shares, `==` and `in` differ.
fn is_text(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => trimtab_language::fact::find(name).is_some_and(|fact| fact.ty == Type::Text),
        ExprKind::Default(inner, _) => is_text(inner),
        _ => false,
    }
}
