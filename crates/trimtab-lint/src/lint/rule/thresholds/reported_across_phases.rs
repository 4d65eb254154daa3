//! `reported-across-phases`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Policy;
use trimtab_language::phase::Phase;

use crate::lint::analysis::edit::read_from_context;
use crate::lint::analysis::reduction::reduces;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("reported-across-phases", Severity::Warning, include_str!("reported_across_phases.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/chaitanyagiri/munder-difflin/pull/133"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in subject.checked.policies.iter().filter(|_| subject.is_policy_source()) {
        in_policy(subject, policy, findings);
    }
}

fn in_policy(subject: &Subject<'_>, policy: &Policy, findings: &mut Vec<Diagnostic>) {
    let mut reducing = policy.rules.iter().filter(|rule| reduces(subject, rule));
    let Some(on_reply) = reducing.clone().find(|rule| rule.phase == Phase::Reply) else { return };
    for rule in reducing.by_ref().filter(|rule| rule.phase == Phase::Request) {
        let Some(threshold) = subject.threshold(rule).filter(|threshold| threshold.reported) else { continue };
        let message = format!("`{}` does not see what `{}` removed on `reply`", rule.name, on_reply.name);
        let mut finding = LINT
            .finding(threshold.test.span, message, "the size of the last call as it was sent")
            .label(on_reply.head, "reduces the context after that call")
            .help("read `context.*`, which follows every edit");
        finding.fixes.extend(read_from_context(subject, rule, threshold.test));
        findings.push(finding);
    }
}
