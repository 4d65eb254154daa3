//! `reported-ladder`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Comparison, Operand};
use trimtab_language::fact::Topic;

use crate::lint::analysis::edit::read_from_context;
use crate::lint::analysis::reduction::{ReductionStep, reduces, reduction_steps, tests_context_size};
use crate::lint::analysis::requirement::required_comparisons;
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("reported-ladder", Severity::Warning, include_str!("reported_ladder.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/chaitanyagiri/munder-difflin/pull/133"],
    supersedes: &["reported-across-phases"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (_, _, steps) in reduction_steps(subject).into_iter().filter(|_| subject.is_policy_source()) {
        let mut before: Option<&ReductionStep<'_>> = None;
        for step in steps.iter().filter(|step| reduces(subject, step.rule) && tests_context_size(step.rule)) {
            let reported = step.threshold.filter(|threshold| threshold.reported);
            if let (Some(before), Some(threshold)) = (before, reported)
                && !ends_below(before, &threshold)
            {
                findings.push(finding(subject, before, step, &threshold));
            }
            before = Some(step);
        }
    }
}

/// Whether a step is never due when a later one is, because its upper bound is below the other threshold.
fn ends_below(step: &ReductionStep<'_>, threshold: &Threshold<'_>) -> bool {
    required_comparisons(&step.rule.condition).any(|(test, operator, operand)| {
        let Operand::ShareOfWindow(end) = operand else { return false };
        let upper = matches!(operator, Comparison::Less | Comparison::AtMost);
        upper && test.reading.fact.topic == Topic::ReportedSize && threshold.share.is_some_and(|share| *end <= share)
    })
}

fn finding(
    subject: &Subject<'_>,
    before: &ReductionStep<'_>,
    step: &ReductionStep<'_>,
    threshold: &Threshold<'_>,
) -> Diagnostic {
    let message = format!("`{}` cannot see what `{}` saved", step.rule.name, before.rule.name);
    let mut finding = LINT
        .finding(threshold.test.span, message, "does not change during the phase")
        .label(before.rule.head, "comes first and reduces the context")
        .help("read `context.*`, which follows every edit");
    finding.fixes.extend(read_from_context(subject, step.rule, threshold.test));
    finding
}
