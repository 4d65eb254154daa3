//! `unused-suppression`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unused-suppression", Severity::Warning, include_str!("unused_suppression.md")),
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, found: &mut Vec<Diagnostic>) {
    for one in suppressions.all.iter().filter(|one| one.applies()) {
        let idle = |at: &usize| !one.used[*at] && suppressions.lints_run.contains(&one.names[*at].0.as_str());
        let unused: Vec<usize> = (0..one.names.len()).filter(idle).collect();
        for &at in &unused {
            let (name, span) = &one.names[at];
            let message = format!("unused suppression of `{name}`");
            let mut finding = LINT.finding(*span, message, "suppresses nothing");
            if unused.len() == one.names.len() {
                finding.fixes.push(fix("remove the comment", true, suppressions.removal(one.span)));
            }
            found.push(finding.help("remove the name, or the whole comment"));
        }
    }
}
