//! `target-too-near`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Unit};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::is_rate_limited;
use crate::lint::analysis::target::{lower_target, targets};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("target-too-near", Severity::Warning, include_str!("target_too_near.md")),
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/QwenLM/qwen-code/issues/8463",
        "https://github.com/QwenLM/qwen-code/issues/8464",
        "https://github.com/langchain-ai/langchain/issues/37815",
    ],
    options: &[&POINTS],
    check: Check::File(check),
    ..Lint::DEFAULT
};

static POINTS: LintOption = LintOption {
    name: "points",
    unit: Unit::Share,
    default: Decimal::from_parts(10, 0, 0, false, 2),
    summary: "The smallest accepted distance between threshold and target, in points of the window.",
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let points = subject.option(&POINTS);
    for target in targets(subject) {
        let (Some(threshold), Some(goal)) = (target.threshold, target.share) else { continue };
        let Some(share) = threshold.share else { continue };
        let apart = share - goal;
        if apart <= Decimal::ZERO || apart >= points || is_rate_limited(subject, target.rule) {
            continue;
        }
        let apart = (apart * Decimal::ONE_HUNDRED).round_dp(1).normalize();
        let points = if apart.to_string() == "1" { "point" } else { "points" };
        let message = format!("`{}` is only {apart} {points} below the threshold", subject.quote(target.span));
        let mut finding = LINT
            .finding(target.span, message, "the reduction ends here")
            .label(threshold.test.span, "the reduction starts again here")
            .help("reduce more at once and less often: half of the threshold is a good target");
        finding.fixes.extend(lower_target(&target).map(|edit| fix(format!("write `{}`", edit.text), false, edit)));
        findings.push(finding);
    }
}
