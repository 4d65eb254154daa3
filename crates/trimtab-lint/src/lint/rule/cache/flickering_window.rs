//! `flickering-window`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::flicker;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("flickering-window", Severity::Warning, include_str!("flickering_window.md")),
    category: Category::Cache,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(action) = rule.actions.iter().find(|action| action.effect.kind == EffectKind::Retain) else { return };
    let Some(cause) = flicker::cause(rule) else { return };
    let message = format!("only some requests are limited to the window of `{}`", rule.name);
    let finding = LINT
        .finding(action.span, message, "lasts for one request")
        .label(cause, "keeps the window from other requests")
        .help("limit every request, or shorten the conversation itself with `drop older` or `summarise older`");
    findings.push(finding);
}
