//! `unused-use`

use std::collections::HashSet;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_syntax::syntax::tree::Item;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unused-use", Severity::Warning, include_str!("unused_use.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if subject.checked.policies.is_empty() || subject.checked.uses.is_empty() {
        return;
    }
    let has_agent = subject.file.items.iter().any(|item| matches!(item, Item::Agent(_)));
    let bases: HashSet<&str> = subject.checked.policies.iter().filter_map(|policy| policy.base.as_deref()).collect();
    let reads = |name: &SmolStr| !subject.names().uses(name).is_empty() || bases.contains(name.as_str());
    for import in &subject.checked.uses {
        // The agent block of a used file applies if this file has none.
        let counts = import.has_agent && !has_agent || import.names.iter().any(reads);
        if !counts {
            let message = "no name of this file is used";
            let finding = LINT.finding(import.span, message, "imports nothing that is used");
            let help = "remove it, or extend one of its policies";
            let remove = fix("remove it", false, removal(subject, import.span));
            findings.push(Diagnostic { fixes: vec![remove], ..finding.help(help) });
        }
    }
}
