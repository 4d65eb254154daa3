//! `flickering-playbook`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::flicker;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("flickering-playbook", Severity::Warning, include_str!("flickering_playbook.md")),
    category: Category::Cache,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(action) = rule.actions.iter().find(|action| action.effect.kind == EffectKind::Playbook) else { return };
    let Some(cause) = flicker::cause(rule) else { return };
    let finding = LINT
        .finding(action.span, "the strategies are in some requests of a run only", "changes the system prompt")
        .label(cause, "keeps them out of other requests")
        .help("add the strategies to every request");
    findings.push(finding);
}
