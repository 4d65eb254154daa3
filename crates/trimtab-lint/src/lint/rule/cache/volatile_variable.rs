//! `volatile-variable`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Reading, Rule, TextPiece};
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::template::remove_from_template;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("volatile-variable", Severity::Warning, include_str!("volatile_variable.md")),
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/anthropics/claude-agent-sdk-typescript/issues/269"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions().filter(|action| action.effect.kind == EffectKind::SetVariable) {
        let readings = action.texts().flat_map(|text| &text.pieces).filter_map(|piece| match piece {
            TextPiece::Fact(reading) => Some(reading),
            TextPiece::Literal(_) | TextPiece::Variable(_) => None,
        });
        findings.extend(readings.filter(|reading| is_volatile(reading)).map(|reading| finding(subject, reading)));
    }
}

/// Whether a value is another one at nearly every call.
fn is_volatile(reading: &Reading) -> bool {
    reading.fact.base().changes_every_call() || reading.fact.is_size()
}

fn finding(subject: &Subject<'_>, reading: &Reading) -> Diagnostic {
    let name = reading.name();
    let message = format!("the system prompt contains `{name}`, which changes from call to call");
    let mut finding = LINT
        .finding(reading.span, message, "another value at every call")
        .help("give it in a message, which stands at the end: `inject … for step`");
    let edit = remove_from_template(subject, reading.span);
    finding.fixes.extend(edit.map(|edit| fix(format!("remove `{name}`"), false, edit)));
    finding
}
