//! `untitled-policy`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::Item;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("untitled-policy", Severity::Info, include_str!("untitled_policy.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    pedantic: true,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for item in subject.file.items.iter().filter(|_| subject.is_policy_source()) {
        let Item::Policy(policy) = item else { continue };
        if policy.title.as_ref().is_none_or(|title| title.value.trim().is_empty()) {
            let name = &policy.name.node;
            let message = format!("policy `{name}` has no title");
            let finding = LINT.finding(policy.name.span, message, "no title after the name");
            findings.push(finding.help(format!("add a title: `policy {name} \"What it is for.\"`")));
        }
    }
}
