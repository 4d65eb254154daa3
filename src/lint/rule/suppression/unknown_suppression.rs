//! `unknown-suppression`

use crate::diagnostic::{self, Code, Diagnostic, Severity, TextEdit};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, LINTS, Lint, Suppressions, find};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unknown-suppression",
        severity: Severity::Warning,
        title: "a suppression that names no lint",
        why: "A mistyped name keeps nothing back, and a comment for this tool that it does not understand does \
              nothing.",
        wrong: "edition 2026\npolicy p {\n  # trimtab: allow(double-negatoin) it reads better here\n  rule a { when context.ratio >= 80% do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  # trimtab: allow(double-negation) it reads better here\n  rule a { when not context.ratio < 80% do notify \"x\" }\n}\n",
    },
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, found: &mut Vec<Diagnostic>) {
    for malformed in &suppressions.strays {
        let message = "this comment for trimtab is not understood".to_owned();
        let help = "write `# trimtab: allow(LINT) REASON`, or `file-allow` for the whole file";
        found.push(LINT.finding(malformed.span, message, malformed.reason.clone()).help(help));
    }
    for (name, span) in suppressions.all.iter().flat_map(|one| &one.names) {
        if find(name).is_some() {
            continue;
        }
        let finding = LINT.finding(*span, format!("there is no lint `{name}`"), "no lint");
        let near = diagnostic::nearest(name, LINTS.iter().map(|lint| lint.name()));
        found.push(match near {
            Some(near) => {
                let edit = TextEdit { span: *span, text: near.to_owned() };
                let mut finding = finding.help(format!("did you mean `{near}`?"));
                finding.fixes.push(fix(format!("write `{near}`"), false, edit));
                finding
            }
            None => finding.help("`trimtab rules` lists all lints"),
        });
    }
}
