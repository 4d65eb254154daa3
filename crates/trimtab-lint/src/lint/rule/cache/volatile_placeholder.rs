//! `volatile-placeholder`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Reading, Rule, TextPiece};
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::reduces_contents;
use crate::lint::analysis::template::remove_from_template;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("volatile-placeholder", Severity::Warning, include_str!("volatile_placeholder.md")),
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.actions.iter().filter(|action| reduces_contents(action)) {
        let Some(template) = action.template(LabelRole::Placeholder) else { continue };
        for piece in &template.pieces {
            if let TextPiece::Fact(reading) = piece {
                findings.push(finding(subject, reading));
            }
        }
    }
}

fn finding(subject: &Subject<'_>, reading: &Reading) -> Diagnostic {
    let name = reading.name();
    let message = format!("the placeholder contains `{name}`, which changes from call to call");
    let mut finding = LINT
        .finding(reading.span, message, "written once and never updated")
        .help("include only values that do not change, such as `{tool}`");
    let edit = remove_from_template(subject, reading.span);
    finding.fixes.extend(edit.map(|edit| fix(format!("remove `{name}`"), false, edit)));
    finding
}
