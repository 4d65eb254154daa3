//! `threshold-below-overhead`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, grouped, percent};

use crate::lint::analysis::edit::move_threshold;
use crate::lint::analysis::reduction::{ReductionStep, reduction_steps};
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("threshold-below-overhead", Severity::Error, include_str!("threshold_below_overhead.md")),
    category: Category::Thresholds,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/MoonshotAI/kimi-code/issues/2325",
        "https://github.com/MoonshotAI/kimi-code/pull/2498",
        "https://github.com/riba2534/happyclaw/pull/300",
        "https://github.com/anomalyco/opencode/pull/48828",
        "https://github.com/anomalyco/opencode/issues/27924",
    ],
    supersedes: &["early-reduction"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// The threshold that the fix suggests.
const SUGGESTED_THRESHOLD: Decimal = Decimal::from_parts(80, 0, 0, false, 2);

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(overhead) = subject.checked.agent.overhead else { return };
    for (_, _, steps) in reduction_steps(subject) {
        for step in steps.iter().filter(|step| step.by_size_only) {
            if let Some(threshold) =
                step.threshold.filter(|threshold| threshold.tokens.is_some_and(|tokens| tokens <= overhead))
            {
                findings.push(finding(subject, step, &threshold, overhead));
            }
        }
    }
}

fn finding(subject: &Subject<'_>, step: &ReductionStep<'_>, threshold: &Threshold<'_>, overhead: u64) -> Diagnostic {
    let message = format!("nothing can bring the context below the threshold of `{}`", step.rule.name);
    let here = match (subject.window(), threshold.share) {
        (Some(window), Some(share)) => format!(
            "{} of {} is {} tokens; the overhead is {}",
            percent(share),
            grouped(window.into()),
            grouped(threshold.tokens.unwrap_or(0).into()),
            grouped(overhead.into())
        ),
        _ => format!("the overhead alone is {} tokens", grouped(overhead.into())),
    };
    let help = "set the threshold above the size of system prompt and tools, with room for the work";
    let mut finding = LINT.finding(threshold.test.span, message, here).help(help);
    let roomy = subject.window().is_some_and(|window| overhead < window / 2);
    finding.fixes.extend(move_threshold(subject, step.rule, threshold.test, SUGGESTED_THRESHOLD).filter(|_| roomy));
    finding
}
