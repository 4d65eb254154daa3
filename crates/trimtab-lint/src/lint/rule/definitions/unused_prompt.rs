//! `unused-prompt`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::Item;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::used_name::NameUse;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unused-prompt", Severity::Warning, include_str!("unused_prompt.md")),
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
        let Item::Prompt(prompt) = item else { continue };
        if subject.names().uses(&prompt.name.node).iter().all(|used| used.place != NameUse::Terms) {
            let message = format!("prompt `{}` is never used in this file", prompt.name.node);
            let mut finding = LINT.finding(prompt.name.span, message, "no effect has `using` with this name");
            finding.fixes.push(fix("remove it", false, removal(subject, prompt.span)));
            findings.push(finding);
        }
    }
}
