//! `heavy-before-light`

use super::floor::Floor;
use super::reach;
use super::reduce_after_summarise::comes_behind;
use super::relief::{Step, ladders, order};
use super::shape::compared;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "heavy-before-light",
        severity: Severity::Warning,
        title: "a summary or a stop due before the first cheap relief",
        why: "Masking and trimming cost no model call and lose little. Where a summary, a slide or a stop comes at \
              a lower fill than they do, the costly relief is spent first and the cheap one is hardly ever due.",
        wrong: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 60% do summarise older at_most 2k tokens pin first_user on_failure keep cooldown 3 iterations }\n  rule mask { when context.ratio >= 80% do mask results keep 10 messages }\n}\n",
        right: "edition 2026\npolicy p {\n  rule mask { when context.ratio >= 60% do mask results keep 10 messages }\n  rule sum_up { when context.ratio >= 80% do summarise older at_most 2k tokens pin first_user on_failure keep cooldown 3 iterations }\n}\n",
    },
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: Remedy::Unsafe,
    pedantic: false,
    evidence: &["https://github.com/MoonshotAI/kimi-code/issues/2325"],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for (_, _, steps) in ladders(subject) {
        found.extend(in_ladder(subject, &steps));
    }
}

/// The first heavy step, when it is due before every light one.
fn in_ladder(subject: &Subject<'_>, steps: &[Step<'_>]) -> Option<Diagnostic> {
    let light: Vec<&Step<'_>> = steps.iter().filter(|step| step.is_light()).collect();
    // A light step that waits for something else may come first.
    if light.iter().any(|step| step.floor.is_none() || !step.by_fill) {
        return None;
    }
    let light = lowest(light.into_iter())?;
    let heavy = lowest(steps.iter().filter(|step| step.is_heavy() && step.by_fill))?;
    let (low, high) = (heavy.floor?, light.floor?);
    // Of two steps at one fill the one that is written first comes first.
    let first = order(&low, &high)?.then(heavy.at.cmp(&light.at)).is_lt();
    // `reduce-after-summarise` says of a summary of everything that nothing is left behind it.
    let takes_all = heavy.rule.actions.iter().any(reach::takes_all) && heavy.at < light.at;
    let said = takes_all && comes_behind(subject, heavy.rule, light.rule);
    (first && !said).then(|| finding(subject, heavy, &low, light, &high))
}

fn lowest<'s, 'a: 's>(steps: impl Iterator<Item = &'s Step<'a>>) -> Option<&'s Step<'a>> {
    steps.filter(|step| step.floor.is_some()).reduce(|low, step| match (step.floor, low.floor) {
        (Some(a), Some(b)) if order(&a, &b).is_some_and(std::cmp::Ordering::is_lt) => step,
        _ => low,
    })
}

fn finding(subject: &Subject<'_>, heavy: &Step<'_>, low: &Floor<'_>, light: &Step<'_>, high: &Floor<'_>) -> Diagnostic {
    let message = format!("`{}` comes before `{}`, which is cheaper", heavy.rule.name, light.rule.name);
    let mut finding = LINT
        .finding(low.test.span, message, "the costly step is due here")
        .label(high.test.span, "the first cheap one only here")
        .help("let the cheap step come first, well below the costly one");
    finding.fixes.extend(exchanged(subject, heavy, low, light, high));
    finding
}

/// The fix that gives each step the other's threshold.
fn exchanged(
    subject: &Subject<'_>,
    heavy: &Step<'_>,
    low: &Floor<'_>,
    light: &Step<'_>,
    high: &Floor<'_>,
) -> Option<Fix> {
    let (_, low, _) = compared(subject, heavy.rule, low.test)?;
    let (_, high, _) = compared(subject, light.rule, high.test)?;
    let (below, above) = (subject.text(low.span), subject.text(high.span));
    let edits =
        vec![TextEdit { span: low.span, text: above.to_owned() }, TextEdit { span: high.span, text: below.to_owned() }];
    let title = format!("exchange `{below}` and `{above}`");
    (below != above).then_some(Fix { title, safe: false, edits })
}
