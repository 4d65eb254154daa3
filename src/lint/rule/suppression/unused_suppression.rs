//! `unused-suppression`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions, find};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unused-suppression",
        severity: Severity::Warning,
        title: "unused suppression",
        why: "A suppression of a finding that no longer occurs hides the next such finding, which nobody \
              has examined. Lints that are disabled or that need recordings are not counted.",
        wrong: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) it reads better here\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) it reads better here\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
    },
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, findings: &mut Vec<Diagnostic>) {
    let was_run = |name: &str| {
        find(name).is_some_and(|lint| {
            let could = suppressions.with_evidence || !matches!(lint.check, Check::Evidence(_));
            could && suppressions.subject.settings.is_enabled(lint)
        })
    };
    for suppression in suppressions.all.iter().filter(|suppression| suppression.applies()) {
        let idle = |at: &usize| !suppression.used[*at] && was_run(&suppression.names[*at].0);
        let unused: Vec<usize> = (0..suppression.names.len()).filter(idle).collect();
        for &at in &unused {
            let (name, span) = &suppression.names[at];
            let message = format!("unused suppression of `{name}`");
            let mut finding = LINT.finding(*span, message, "suppresses nothing");
            if unused.len() == suppression.names.len() {
                finding.fixes.push(fix("remove the comment", true, suppressions.removal(suppression.span)));
            }
            findings.push(finding.help("remove the name, or the whole comment"));
        }
    }
}
