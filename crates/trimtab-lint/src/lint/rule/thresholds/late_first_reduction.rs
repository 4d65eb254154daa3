//! `late-first-reduction`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Unit, percent};

use crate::lint::analysis::edit::move_threshold;
use crate::lint::analysis::reduction::first_step;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("late-first-reduction", Severity::Warning, include_str!("late_first_reduction.md")),
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/anthropics/claude-code/issues/85017",
        "https://github.com/cline/cline/issues/14329",
    ],
    options: &[&SHARE],
    check: Check::File(check),
    ..Lint::DEFAULT
};

static SHARE: LintOption = LintOption {
    name: "share",
    unit: Unit::Share,
    default: Decimal::from_parts(95, 0, 0, false, 2),
    summary: "The smallest share of the window at which the first reduction is reported as late.",
};

/// The threshold that the fix suggests.
const SUGGESTED_THRESHOLD: Decimal = Decimal::from_parts(80, 0, 0, false, 2);

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let late = subject.option(&SHARE);
    for policy in &subject.checked.policies {
        let Some((rule, threshold)) = first_step(subject, policy) else { continue };
        let Some(share) = threshold.share.filter(|&share| share >= late) else { continue };
        let message = format!("`{}` is the first reduction, at `{}`", rule.name, subject.quote(threshold.test.span));
        let here = format!("{} of the window", percent(share));
        let help = "leave room for a reply and its results: start at 80% or below";
        let mut finding = LINT.finding(threshold.test.span, message, here).help(help);
        finding.fixes.extend(move_threshold(subject, rule, threshold.test, SUGGESTED_THRESHOLD));
        findings.push(finding);
    }
}
