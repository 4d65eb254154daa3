//! `task-not-pinned`

use crate::check::{Action, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::reach;
use crate::lint::analysis::relief::{has_all_words, is_heavy};
use crate::lint::analysis::shape::{fix, with_label};
use crate::lint::{Category, Certainty, Check, Lint, Remedy, Subject};

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
    fix: Remedy::Unsafe,
    pedantic: false,
    evidence: &[
        "https://github.com/anthropics/claude-code/issues/6354",
        "https://github.com/anthropics/claude-code/issues/9796",
        "https://github.com/anthropics/claude-code/issues/19471",
        "https://github.com/openai/codex/issues/18720",
        "https://github.com/openai/codex/issues/5957",
    ],
    over: &[],
    knobs: &[],
    check: Check::Rule(check),
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if !has_all_words(subject) {
        return;
    }
    for action in rule.actions.iter().filter(|action| is_heavy(action) && loses_task(action)) {
        let message = format!("`{}` can take away the message that says what is to be done", rule.name);
        let mut finding = LINT
            .finding(action.span, message, "this replaces the first message of the person too")
            .help("keep it word for word with `pin first_user`");
        let edit = with_label(action, "pin", "first_user");
        finding.fixes.push(fix("add `pin first_user`", false, edit));
        found.push(finding);
    }
}

/// Whether nothing keeps the first message. Where whole interactions are kept, each brings its own task.
fn loses_task(action: &Action) -> bool {
    action.label("pin").is_none() && !reach::keeps_interactions(action)
}
