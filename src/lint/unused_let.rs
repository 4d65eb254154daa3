//! `unused-let`

use std::collections::HashSet;

use super::shape::{fix, removal};
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::syntax::tree::{Expr, ExprKind, Item, Term, TermKind};
use crate::syntax::walk::{self, Visitor};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unused-let",
        severity: Severity::Warning,
        title: "a value that nothing uses",
        why: "A threshold that nothing reads looks as if it steered something: who changes it changes nothing. \
              A file without a policy is taken for one that others use, and is left alone.",
        wrong: "edition 2026\nlet busy = 60%\nlet full = 80%\npolicy p {\n  rule a { when context.ratio >= busy do notify \"x\" }\n}\n",
        right: "edition 2026\nlet busy = 60%\npolicy p {\n  rule a { when context.ratio >= busy do notify \"x\" }\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: Remedy::Safe,
    pedantic: false,
    evidence: &[],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

#[derive(Default)]
struct Used<'t>(HashSet<&'t str>);

impl<'t> Visitor<'t> for Used<'t> {
    fn expression(&mut self, expr: &'t Expr) {
        if let ExprKind::Name(name) = &expr.kind {
            self.0.insert(name);
        }
    }

    fn term(&mut self, term: &'t Term) {
        if let TermKind::Word(word) = &term.kind {
            self.0.insert(word);
        }
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if !subject.file.items.iter().any(|item| matches!(item, Item::Policy(_))) {
        return;
    }
    let mut used = Used::default();
    walk::file(subject.file, &mut used);
    for item in &subject.file.items {
        let Item::Let(one) = item else { continue };
        if !used.0.contains(one.name.node.as_str()) {
            let message = format!("`{}` is never used", one.name.node);
            let mut finding = LINT.finding(one.name.span, message, "nothing reads this value");
            finding.fixes.push(fix("take it out", true, removal(subject, one.span)));
            found.push(finding);
        }
    }
}
