//! `single-use-let`

use std::collections::HashMap;

use super::shape::removal;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use crate::source::Span;
use crate::syntax::tree::{Expr, ExprKind, Item, Term, TermKind, Text};
use crate::syntax::walk::{self, Visitor};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "single-use-let",
        severity: Severity::Info,
        title: "a name for a value that is used once",
        why: "The reader has to look for the value elsewhere, and nothing is gained where it stands in one place \
              only, unless the name says more than the number does.",
        wrong: "edition 2026\nlet busy = 60%\npolicy p {\n  rule a { when context.ratio >= busy do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" }\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: Remedy::Safe,
    pedantic: true,
    evidence: &[],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

/// Where names are used, and which texts hold some of them.
#[derive(Default)]
struct Uses<'t> {
    places: HashMap<&'t str, Vec<(Span, bool)>>,
    text: Option<Span>,
}

impl<'t> Visitor<'t> for Uses<'t> {
    fn expression(&mut self, expr: &'t Expr) {
        if let ExprKind::Name(name) = &expr.kind {
            let in_text = self.text.is_some_and(|text| text.start <= expr.span.start && expr.span.end <= text.end);
            self.places.entry(name).or_default().push((expr.span, !in_text));
        }
    }

    fn term(&mut self, term: &'t Term) {
        if let TermKind::Word(word) = &term.kind {
            self.places.entry(word).or_default().push((term.span, false));
        }
    }

    fn text(&mut self, text: &'t Text) {
        self.text = Some(text.span);
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let mut uses = Uses::default();
    walk::file(subject.file, &mut uses);
    for item in &subject.file.items {
        let Item::Let(one) = item else { continue };
        let Some([(place, is_free)]) = uses.places.get(one.name.node.as_str()).map(Vec::as_slice) else { continue };
        let message = format!("`{}` is used once", one.name.node);
        let mut finding = LINT.finding(one.name.span, message, "names a value").label(*place, "is used here only");
        let simple = matches!(one.value.kind, ExprKind::Number(..) | ExprKind::Bool(_) | ExprKind::Text(_));
        if *is_free && simple && !subject.holds_comment(one.span) {
            let value = TextEdit { span: *place, text: subject.text(one.value.span).to_owned() };
            let edits = vec![removal(subject, one.span), value];
            finding.fixes.push(Fix { title: "write the value in its place".to_owned(), safe: true, edits });
        }
        found.push(finding);
    }
}
