//! `flickering-tools`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Guard, Rule};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::flicker;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("flickering-tools", Severity::Warning, include_str!("flickering_tools.md")),
    category: Category::Cache,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    evidence: &[
        "https://github.com/can1357/oh-my-pi/issues/5992",
        "https://github.com/anthropics/claude-code/issues/53132",
    ],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    // `choice-for-one-step` is about these.
    let once = |guard: &Guard| matches!(guard, Guard::Once | Guard::OncePer(_) | Guard::OnceUntil(_));
    if rule.guards.iter().any(|guard| once(&guard.node)) {
        return;
    }
    let Some(action) = rule.actions.iter().find(|action| is_choice(action)) else { return };
    let Some(cause) = flicker::cause(rule) else { return };
    let finding = LINT
        .finding(
            action.span,
            format!("what `{}` chooses comes and goes", rule.name),
            "changes the beginning of the request",
        )
        .label(cause, "starts and ends the choice")
        .help("choose `for run`, or by a condition that changes seldom; write `for step` if single requests are meant");
    findings.push(finding);
}

/// Whether an action chooses tools or sections for each request anew. A lifetime that is written is meant.
fn is_choice(action: &Action) -> bool {
    let chooses = matches!(action.effect.kind, EffectKind::ChooseTools | EffectKind::ChooseSections);
    chooses && action.place(LabelRole::Lifetime).is_none()
}
