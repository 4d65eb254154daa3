//! `steps-too-close`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Unit};

use crate::lint::analysis::edit::move_threshold;
use crate::lint::analysis::reduction::{ReductionStep, lowered, reduction_steps};
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("steps-too-close", Severity::Warning, include_str!("steps_too_close.md")),
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    options: &[&POINTS],
    check: Check::File(check),
    ..Lint::DEFAULT
};

static POINTS: LintOption = LintOption {
    name: "points",
    unit: Unit::Share,
    default: Decimal::from_parts(5, 0, 0, false, 2),
    summary: "The smallest accepted distance, in points of the window.",
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (_, _, steps) in reduction_steps(subject) {
        in_phase(subject, &steps, findings);
    }
}

/// A step with its threshold and its share of the window.
type StepWithShare<'s, 'a> = (Decimal, &'s ReductionStep<'a>, Threshold<'a>);

fn in_phase(subject: &Subject<'_>, steps: &[ReductionStep<'_>], findings: &mut Vec<Diagnostic>) {
    let (mut light, mut heavy): (Vec<StepWithShare<'_, '_>>, Vec<StepWithShare<'_, '_>>) =
        steps.iter().filter_map(with_share).partition(|(_, step, _)| !step.is_costly());
    light.sort_by_key(|(share, step, _)| (*share, step.at));
    heavy.sort_by_key(|(share, step, _)| (*share, step.at));
    let points = subject.option(&POINTS);
    for with_share in heavy {
        // Of two steps with the same threshold, the one that is written first comes first.
        let below = light.partition_point(|light| (light.0, light.1.at) < (with_share.0, with_share.1.at));
        if let Some(light) = below.checked_sub(1).map(|at| &light[at])
            && with_share.0 - light.0 < points
        {
            findings.push(finding(subject, &with_share, light));
        }
    }
}

fn with_share<'s, 'a>(step: &'s ReductionStep<'a>) -> Option<StepWithShare<'s, 'a>> {
    let threshold = step.threshold.filter(|_| step.by_size_only)?;
    Some((threshold.share?, step, threshold))
}

fn finding(subject: &Subject<'_>, heavy: &StepWithShare<'_, '_>, light: &StepWithShare<'_, '_>) -> Diagnostic {
    let points = ((heavy.0 - light.0) * Decimal::ONE_HUNDRED).round_dp(1).normalize();
    let noun = if points == Decimal::ONE { "point" } else { "points" };
    let message = format!("`{}` is due only {points} {noun} above `{}`", heavy.1.rule.name, light.1.rule.name);
    let mut finding = LINT
        .finding(light.2.test.span, message, "the cheap step is due here")
        .label(heavy.2.test.span, "the costly step is already due here")
        .help("make the cheap step due earlier, so that it can help for some calls");
    let share = lowered(heavy.0, Decimal::new(20, 2));
    if !share.is_zero() {
        finding.fixes.extend(move_threshold(subject, light.1.rule, light.2.test, share));
    }
    finding
}
