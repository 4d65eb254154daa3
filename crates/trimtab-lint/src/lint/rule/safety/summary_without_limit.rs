//! `summary-without-limit`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::behind;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "summary-without-limit",
        severity: Severity::Warning,
        title: "summary without a length limit",
        why: "Without `at_most` a summary may have any length. Summaries of summaries grow until they fill \
              the context, and each one makes the next one due.",
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

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !subject.is_native_form() {
        return;
    }
    for action in &rule.actions {
        if !action.effect.kind.can_fail() || action.argument(LabelRole::SummaryLimit).is_some() {
            continue;
        }
        let mut finding = LINT
            .finding(action.span, "this summary may have any length", "has no `at_most`")
            .help("add a limit, such as `at_most 2k tokens`");
        let edit = TextEdit { span: behind(action.span), text: " at_most 2k tokens".to_owned() };
        finding.fixes.push(fix("add `at_most 2k tokens`", false, edit));
        findings.push(finding);
    }
}
