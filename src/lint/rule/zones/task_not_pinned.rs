//! `task-not-pinned`

use crate::check::{Action, Rule};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::effect::{LabelRole, Shape};
use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::reduction::is_heavy;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "task-not-pinned",
        severity: Severity::Warning,
        title: "summary that replaces the task",
        why: "The first user message states the task and its constraints. If a summary replaces it, only \
              the summariser's version is left. After two or three summaries the constraints are lost, and \
              the agent works on something else.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure keep cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens pin first_user on_failure keep cooldown 3 iterations }\n}\n",
    },
    category: Category::Zones,
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
    if !subject.is_native_form() {
        return;
    }
    for action in rule.actions.iter().filter(|action| is_heavy(action) && loses_task(action)) {
        let message = format!("`{}` can remove the message that states the task", rule.name);
        let summarises = action.effect.kind.can_fail();
        let here =
            if summarises { "also replaces the first user message" } else { "also removes the first user message" };
        let mut finding =
            LINT.finding(action.span, message, here).help("keep the message unchanged with `pin first_user`");
        finding.fixes.extend(pinned(action));
        findings.push(finding);
    }
}

/// The fix that pins the first message of the person.
fn pinned(action: &Action) -> Option<Fix> {
    let label = action.effect.label_for(LabelRole::Pin)?;
    let Shape::Words([word, ..]) = label.shape else { return None };
    let edit = set_label(action, LabelRole::Pin, word)?;
    Some(fix(format!("add `{} {word}`", label.name), false, edit))
}

/// Whether nothing keeps the first message. A kept interaction includes its own task.
fn loses_task(action: &Action) -> bool {
    action.label(LabelRole::Pin).is_none() && !effect_scope::keeps_interactions(action)
}
