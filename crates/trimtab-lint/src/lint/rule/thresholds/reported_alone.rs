//! `reported-alone`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Policy, Rule};

use crate::lint::analysis::edit::read_from_context;
use crate::lint::analysis::reduction::reduces;
use crate::lint::analysis::result_limit::{USUAL_WINDOW, limits_all_results};
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("reported-alone", Severity::Warning, include_str!("reported_alone.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in subject.checked.policies.iter().filter(|_| subject.is_policy_source()) {
        findings.extend(finding(subject, policy));
    }
}

fn finding(subject: &Subject<'_>, policy: &Policy) -> Option<Diagnostic> {
    let thresholds: Vec<(&Rule, Threshold<'_>)> = subject
        .rules_of(policy)
        .filter(|rule| reduces(subject, rule))
        .map(|rule| Some((rule, subject.threshold(rule)?)))
        .collect::<Option<_>>()?;
    let (rule, threshold) = thresholds.first()?;
    let are_reported = thresholds.iter().all(|(_, threshold)| threshold.reported);
    if !are_reported || limits_all_results(subject, policy, subject.window().unwrap_or(USUAL_WINDOW) / 2) {
        return None;
    }
    let message = format!("`{}` does not see results that are larger than what is left", policy.name);
    let mut finding = LINT
        .finding(threshold.test.span, message, "the size of the last call, without the results since")
        .label(rule.head, "reduces the context one call late")
        .help("read `context.*`, which counts what is new, or limit new results with `trim arrivals`");
    finding.fixes.extend(read_from_context(subject, rule, threshold.test));
    Some(finding)
}
