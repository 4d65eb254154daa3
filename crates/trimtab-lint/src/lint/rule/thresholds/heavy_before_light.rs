//! `heavy-before-light`

use std::cmp::Ordering;

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::quantity::{Decimal, Quantity, Unit, share_of};
use trimtab_syntax::syntax::tree::Expr;

use crate::lint::analysis::edit::comparison_parts;
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::reduction::{ReductionStep, lowered, reduction_steps};
use crate::lint::analysis::step_order::runs_after_summary;
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("heavy-before-light", Severity::Warning, include_str!("heavy_before_light.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/MoonshotAI/kimi-code/issues/2325"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (_, _, steps) in reduction_steps(subject) {
        findings.extend(in_phase(subject, &steps));
    }
}

/// Reports the first costly step if it is due before every cheap one.
fn in_phase(subject: &Subject<'_>, steps: &[ReductionStep<'_>]) -> Option<Diagnostic> {
    let light: Vec<&ReductionStep<'_>> = steps.iter().filter(|step| !step.is_costly()).collect();
    // A cheap step with another trigger may come first.
    if light.iter().any(|step| step.threshold.is_none() || !step.by_size_only) {
        return None;
    }
    let light = lowest(light.into_iter())?;
    let heavy = lowest(steps.iter().filter(|step| step.is_costly() && step.by_size_only))?;
    let (low, high) = (heavy.threshold?, light.threshold?);
    // Of two steps with the same threshold, the one that is written first comes first.
    let first = low.order(&high)?.then(heavy.at.cmp(&light.at)).is_lt();
    // `reduce-after-summarise` reports cheap steps after a summary of everything.
    let summarises_everything =
        heavy.rule.actions.iter().any(effect_scope::summarises_everything) && heavy.at < light.at;
    let is_reported = summarises_everything && runs_after_summary(subject, heavy.rule, light.rule);
    (first && !is_reported).then(|| finding(subject, heavy, &low, light, &high))
}

fn lowest<'s, 'a: 's>(steps: impl Iterator<Item = &'s ReductionStep<'a>>) -> Option<&'s ReductionStep<'a>> {
    steps.filter(|step| step.threshold.is_some()).reduce(|low, step| match (step.threshold, low.threshold) {
        (Some(a), Some(b)) if a.order(&b).is_some_and(Ordering::is_lt) => step,
        _ => low,
    })
}

fn finding(
    subject: &Subject<'_>,
    heavy: &ReductionStep<'_>,
    low: &Threshold<'_>,
    light: &ReductionStep<'_>,
    high: &Threshold<'_>,
) -> Diagnostic {
    let message = format!("`{}` is due before `{}`, which is cheaper", heavy.rule.name, light.rule.name);
    let mut finding = LINT
        .finding(low.test.span, message, "the costly step is due here")
        .label(high.test.span, "the first cheap step is due only here")
        .help("use a threshold for the cheap step well below that of the costly one");
    finding.fixes.extend(swap_thresholds(subject, heavy, low, light, high));
    finding
}

/// The fix that swaps the two thresholds; if the lower one is no use for the cheap step, or both are equal, the cheap
/// step gets a threshold well below that of the costly one.
fn swap_thresholds(
    subject: &Subject<'_>,
    heavy: &ReductionStep<'_>,
    low: &Threshold<'_>,
    light: &ReductionStep<'_>,
    high: &Threshold<'_>,
) -> Option<Fix> {
    // A constant of the free room does not mean the same beside a size.
    if [low, high].iter().any(|threshold| threshold.test.reading.fact.is_inverse()) {
        return None;
    }
    let (_, first, _) = comparison_parts(subject, heavy.rule, low.test)?;
    let (_, second, _) = comparison_parts(subject, light.rule, high.test)?;
    let (below, above) = (subject.quote(first.span).to_string(), subject.quote(second.span).to_string());
    let edit = |place: &Expr, text: &str| TextEdit { span: place.span, text: text.to_owned() };
    let is_one = low.order(high) == Some(Ordering::Equal);
    if !is_one && has_room(subject, low) {
        let title = format!("swap `{below}` and `{above}`");
        return Some(Fix::new(title, false, vec![edit(first, &above), edit(second, &below)]));
    }
    let whole = (high.share? * Decimal::ONE_HUNDRED).floor() / Decimal::ONE_HUNDRED;
    let early = lowered(whole, Decimal::new(20, 2));
    let tokens = subject.window().map(|window| share_of(window, early));
    let text = Quantity::new(early, Unit::Share).to_string();
    if early.is_zero() || !has_room(subject, &Threshold { tokens, ..*high }) {
        return None;
    }
    let mut edits = vec![edit(second, &text)];
    if !is_one {
        edits.push(edit(first, &above));
    }
    Some(Fix::new(format!("start `{}` at `{text}`", light.rule.name), false, edits))
}

/// Whether a threshold is above the overhead, as far as that is known.
fn has_room(subject: &Subject<'_>, threshold: &Threshold<'_>) -> bool {
    let overhead = subject.checked.agent.overhead;
    threshold.tokens.zip(overhead).is_none_or(|(tokens, overhead)| tokens > overhead)
}
