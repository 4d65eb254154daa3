//! `target-above-threshold`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::target::{ActionTarget, lower_target, targets};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("target-above-threshold", Severity::Warning, include_str!("target_above_threshold.md")),
    category: Category::Thresholds,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/redpanda-data/ai-sdk-go/pull/211"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for target in targets(subject) {
        if target.above_threshold() == Some(true) {
            findings.push(finding(subject, &target));
        }
    }
}

fn finding(subject: &Subject<'_>, target: &ActionTarget<'_>) -> Diagnostic {
    let threshold = target.threshold.map_or(target.span, |threshold| threshold.test.span);
    let goal = subject.quote(target.span);
    let message = format!("`{goal}` is not below the threshold of `{}`", target.rule.name);
    let mut finding = LINT
        .finding(target.span, message, "the reduction ends at or below this")
        .label(threshold, "the reduction starts here")
        .help("set the target well below the threshold");
    finding.fixes.extend(lower_target(target).map(|edit| fix(format!("write `{}`", edit.text), false, edit)));
    finding
}
