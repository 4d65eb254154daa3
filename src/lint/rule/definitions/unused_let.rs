//! `unused-let`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::Item;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unused-let",
        severity: Severity::Warning,
        title: "a value that nothing uses",
        why: "A threshold that nothing reads looks as if it steered something: who changes it changes nothing. \
              A file without a policy is taken for one that others use, and is left alone.",
        wrong: "edition 2026\nlet busy = 60%\nlet full = 80%\npolicy p {\n  rule a { when context.ratio >= busy do notify \"x\" }\n}\n",
        right: "edition 2026\nlet busy = 60%\npolicy p {\n  rule a { when context.ratio >= busy do notify \"x\" }\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if subject.checked.policies.is_empty() {
        return;
    }
    for item in &subject.file.items {
        let Item::Let(one) = item else { continue };
        if subject.names().uses(&one.name.node).is_empty() {
            let message = format!("`{}` is never used in this file", one.name.node);
            let mut finding = LINT.finding(one.name.span, message, "nothing reads this value");
            finding.fixes.push(fix("take it out", false, removal(subject, one.span)));
            found.push(finding);
        }
    }
}
