//! `repeated-name`

use std::collections::HashMap;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::source::Span;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Term, TermKind};
use trimtab_syntax::syntax::walk::{self, Visitor};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("repeated-name", Severity::Info, include_str!("repeated_name.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

struct Lists {
    findings: Vec<Diagnostic>,
}

impl Lists {
    fn list(&mut self, terms: &[Term]) {
        let mut seen: HashMap<(bool, &str), Span> = HashMap::new();
        for (at, term) in terms.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| terms.get(at));
            let name = match &term.kind {
                TermKind::Word(_) if before.is_some_and(|term| matches!(term.kind, TermKind::Number(_))) => continue,
                TermKind::Word(word) => (false, word.as_str()),
                TermKind::Text(text) => (true, text.value.as_str()),
                _ => continue,
            };
            let Some(before) = before else {
                seen.insert(name, term.span);
                continue;
            };
            match seen.get(&name) {
                Some(first) => self.report_duplicate(name.1, *first, before.span, term.span),
                None => drop(seen.insert(name, term.span)),
            }
        }
    }

    fn report_duplicate(&mut self, name: &str, first: Span, before: Span, here: Span) {
        let message = format!("`{name}` is listed twice");
        let mut finding = LINT.finding(here, message, "has no effect").label(first, "first listed here");
        let span = Span { start: before.end, ..here };
        finding.fixes.push(fix("remove it", true, TextEdit { span, text: String::new() }));
        self.findings.push(finding);
    }
}

impl<'t> Visitor<'t> for Lists {
    fn expression(&mut self, expr: &'t Expr) {
        if let ExprKind::List(terms) = &expr.kind {
            self.list(terms);
        }
    }

    fn term(&mut self, term: &'t Term) {
        if let TermKind::List(terms) = &term.kind {
            self.list(terms);
        }
    }
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let mut lists = Lists { findings: Vec::new() };
    walk::file(subject.file, &mut lists);
    findings.append(&mut lists.findings);
}
