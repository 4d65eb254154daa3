//! `unknown-suppression`

use trimtab_base::diagnostic::{self, Code, Diagnostic, Severity, TextEdit};

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, LINTS, Lint, Suppressions, find};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unknown-suppression", Severity::Warning, include_str!("unknown_suppression.md")),
    category: Category::Suppression,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Suppressions(check),
    ..Lint::DEFAULT
};

fn check(suppressions: &Suppressions<'_>, findings: &mut Vec<Diagnostic>) {
    for malformed in &suppressions.malformed {
        let message = "malformed `trimtab:` comment".to_owned();
        let help = "write `# trimtab: allow(LINT) REASON`, or `file-allow` for the whole file";
        findings.push(LINT.finding(malformed.span, message, malformed.reason.clone()).help(help));
    }
    for (name, span) in suppressions.all.iter().flat_map(|suppression| &suppression.names) {
        if find(name).is_some() {
            continue;
        }
        let finding = LINT.finding(*span, format!("unknown lint `{name}`"), "not the name of a lint");
        let near = diagnostic::nearest(name, LINTS.iter().map(|lint| lint.name()));
        findings.push(match near {
            Some(near) => {
                let edit = TextEdit { span: *span, text: near.to_owned() };
                let mut finding = finding.help(format!("did you mean `{near}`?"));
                finding.fixes.push(fix(format!("write `{near}`"), false, edit));
                finding
            }
            None => finding.help("`trimtab lints` lists all lints"),
        });
    }
}
