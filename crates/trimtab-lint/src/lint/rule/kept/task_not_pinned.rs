//! `task-not-pinned`

use trimtab_base::conversation::Pins;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{Action, Argument, Rule};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::edit::removal;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("task-not-pinned", Severity::Warning, include_str!("task_not_pinned.md")),
    category: Category::Kept,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/anthropics/claude-code/issues/6354",
        "https://github.com/anthropics/claude-code/issues/9796",
        "https://github.com/anthropics/claude-code/issues/19471",
        "https://github.com/openai/codex/issues/18720",
        "https://github.com/openai/codex/issues/5957",
    ],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.actions.iter().filter(|action| pins(action) == Some(Pins::NONE)) {
        let message = format!("`{}` may remove the message that states the task", rule.name);
        let here = match action.effect.kind {
            EffectKind::Summarise => "also summarises the message that began the run",
            EffectKind::Retain => "also leaves out the message that began the run",
            _ => "also removes the message that began the run",
        };
        let finding = LINT.finding(action.span, message, here);
        findings.push(match action.place(LabelRole::Pin).filter(|_| subject.is_policy_source()) {
            Some(span) => {
                let TextEdit { span, text } = removal(subject, span);
                let help = "leave out `pin none`; the message that began the run then stays as it is";
                finding.help(help).fix("remove `pin none`", false, span, text)
            }
            None => finding.help("this kind has no pin; a policy in the Trimtab language keeps the message by default"),
        });
    }
}

/// The pins of an effect that may remove messages.
fn pins(action: &Action) -> Option<Pins> {
    match action.argument(LabelRole::Pin) {
        Some(Argument::Pins(pins)) => Some(*pins),
        _ => None,
    }
}
