//! `disabled-without-reason`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::{Item, PolicyItem};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("disabled-without-reason", Severity::Info, include_str!("disabled_without_reason.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let policies = subject.file.items.iter().filter_map(|item| match item {
        Item::Policy(policy) => Some(policy),
        _ => None,
    });
    for item in policies.flat_map(|policy| &policy.items) {
        let PolicyItem::Disable(one) = item else { continue };
        if one.why.as_ref().is_none_or(|why| why.value.trim().is_empty()) {
            let message = format!("`{}` is disabled without a reason", one.name.node);
            let help = format!("write `disable rule {} \"why\"`", one.name.node);
            findings.push(LINT.finding(one.span, message, "no reason given").help(help));
        }
    }
}
