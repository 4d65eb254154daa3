//! `single-use-let`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_syntax::syntax::tree::{ExprKind, Item};

use crate::lint::analysis::edit::removal;
use crate::lint::analysis::used_name::{NameUse, Use};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("single-use-let", Severity::Info, include_str!("single_use_let.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for item in &subject.file.items {
        let Item::Let(one) = item else { continue };
        let [Use { span, place }] = subject.names().uses(&one.name.node) else { continue };
        let message = format!("`{}` is used once", one.name.node);
        let mut finding = LINT.finding(one.name.span, message, "defined here").label(*span, "used only here");
        let simple = matches!(one.value.kind, ExprKind::Number(..) | ExprKind::Bool(_) | ExprKind::Text(_));
        if *place == NameUse::Expression && simple {
            let value = TextEdit { span: *span, text: subject.text(one.value.span).to_owned() };
            let edits = vec![removal(subject, one.span), value];
            finding.fixes.push(Fix::new("use the value directly", true, edits));
        }
        findings.push(finding);
    }
}
