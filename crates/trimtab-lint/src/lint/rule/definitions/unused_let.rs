//! `unused-let`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::Item;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unused-let", Severity::Warning, include_str!("unused_let.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.checked.policies.is_empty() {
        return;
    }
    for item in &subject.file.items {
        let Item::Let(item) = item else { continue };
        if subject.names().uses(&item.name.node).is_empty() {
            let message = format!("`{}` is never used in this file", item.name.node);
            let mut finding = LINT.finding(item.name.span, message, "never read");
            finding.fixes.push(fix("remove it", false, removal(subject, item.span)));
            findings.push(finding);
        }
    }
}
