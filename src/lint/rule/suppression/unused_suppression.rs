//! `unused-suppression`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Suppressions, find};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unused-suppression",
        severity: Severity::Warning,
        title: "a suppression that keeps nothing back",
        why: "A comment that allows what no longer occurs hides the next such fault, which nobody has looked at. \
              Lints that are off or need recordings are not counted.",
        wrong: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) it reads better here\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) it reads better here\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
    },
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, found: &mut Vec<Diagnostic>) {
    let spoke = |name: &str| {
        find(name).is_some_and(|lint| {
            let could = suppressions.with_evidence || !matches!(lint.check, Check::Evidence(_));
            could && suppressions.subject.settings.is_enabled(lint)
        })
    };
    for one in suppressions.all.iter().filter(|one| one.counts()) {
        let idle = |at: &usize| !one.used[*at] && spoke(&one.names[*at].0);
        let unused: Vec<usize> = (0..one.names.len()).filter(idle).collect();
        for &at in &unused {
            let (name, span) = &one.names[at];
            let message = format!("nothing here has to be allowed by `{name}`");
            let mut finding = LINT.finding(*span, message, "keeps nothing back");
            if unused.len() == one.names.len() {
                finding.fixes.push(fix("take the comment out", true, suppressions.removal(one.span)));
            }
            found.push(finding.help("take the name out, or the whole comment"));
        }
    }
}
