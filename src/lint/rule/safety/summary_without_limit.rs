//! `summary-without-limit`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::effect::LabelRole;
use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::behind;
use crate::lint::analysis::reduction::is_native_form;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "summary-without-limit",
        severity: Severity::Warning,
        title: "a summary of any length",
        why: "Without `at_most` a summary may be as long as the summariser likes. Summaries of summaries grow from \
              one to the next, until the context is full of them and each makes the next one due.",
        wrong: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages on_failure keep cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure keep cooldown 3 iterations }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/anthropics/claude-code/issues/89281",
        "https://github.com/anthropics/claude-code/issues/3351",
    ],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if !is_native_form(subject) {
        return;
    }
    for action in &rule.actions {
        if !action.effect.kind.can_fail() || action.argument(LabelRole::SummaryLimit).is_some() {
            continue;
        }
        let mut finding = LINT
            .finding(action.span, "this summary may have any length", "has no `at_most`")
            .help("say how long it may be, such as `at_most 2k tokens`");
        let edit = TextEdit { span: behind(action.span), text: " at_most 2k tokens".to_owned() };
        finding.fixes.push(fix("add `at_most 2k tokens`", false, edit));
        found.push(finding);
    }
}
