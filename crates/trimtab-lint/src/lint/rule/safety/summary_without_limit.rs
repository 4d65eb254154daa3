//! `summary-without-limit`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::after;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("summary-without-limit", Severity::Warning, include_str!("summary_without_limit.md")),
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
    if !subject.is_policy_source() {
        return;
    }
    for action in &rule.actions {
        if !action.effect.kind.can_fail() || action.argument(LabelRole::SummaryLimit).is_some() {
            continue;
        }
        let mut finding = LINT
            .finding(action.span, "this summary may have any length", "has no `at_most`")
            .help("add a limit, such as `at_most 2k tokens`");
        let edit = TextEdit { span: after(action.span), text: " at_most 2k tokens".to_owned() };
        finding.fixes.push(fix("add `at_most 2k tokens`", false, edit));
        findings.push(finding);
    }
}
