//! `task-not-pinned`

use crate::check::{Action, Rule};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::effect::{LabelRole, Shape};
use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::reduction::{is_heavy, is_native_form};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "task-not-pinned",
        severity: Severity::Warning,
        title: "a summary that takes the task with it",
        why: "The first message of a person says what is to be done and under which rules. A summary that replaces \
              it keeps what the summariser thought of it; after two or three summaries the constraints are gone, \
              and the agent works on something else.",
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

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if !is_native_form(subject) {
        return;
    }
    for action in rule.actions.iter().filter(|action| is_heavy(action) && loses_task(action)) {
        let message = format!("`{}` can take away the message that says what is to be done", rule.name);
        let mut finding = LINT
            .finding(action.span, message, "this replaces the first message of the person too")
            .help("keep it word for word with `pin first_user`");
        finding.fixes.extend(pinned(action));
        found.push(finding);
    }
}

/// The fix that pins the first message of the person.
fn pinned(action: &Action) -> Option<Fix> {
    let label = action.effect.label_for(LabelRole::Pin)?;
    let Shape::Words([word, ..]) = label.shape else { return None };
    let edit = set_label(action, LabelRole::Pin, word)?;
    Some(fix(format!("add `{} {word}`", label.name), false, edit))
}

/// Whether nothing keeps the first message. Where whole interactions are kept, each brings its own task.
fn loses_task(action: &Action) -> bool {
    action.label(LabelRole::Pin).is_none() && !effect_scope::keeps_interactions(action)
}
