//! `target-below-overhead`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use trimtab_base::quantity::{Decimal, Quantity, Unit, grouped};
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::target::{ActionTarget, targets};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("target-below-overhead", Severity::Warning, include_str!("target_below_overhead.md")),
    category: Category::Thresholds,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/MoonshotAI/kimi-code/issues/2325",
        "https://github.com/anomalyco/opencode/pull/48828",
    ],
    supersedes: &["target-too-near"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(overhead) = subject.checked.agent.overhead else { return };
    for target in targets(subject) {
        if let Some(goal) = target.tokens.filter(|&goal| goal <= overhead) {
            findings.push(finding(subject, &target, goal, overhead));
        }
    }
}

fn finding(subject: &Subject<'_>, target: &ActionTarget<'_>, goal: u64, overhead: u64) -> Diagnostic {
    let message = format!("`{}` can never be reached", subject.quote(target.span));
    let here = format!("{} tokens; the overhead alone is {}", grouped(goal.into()), grouped(overhead.into()));
    let help = "set the target above the size of system prompt and tools, with room for the kept tail";
    let mut finding = LINT.finding(target.span, message, here).help(help);
    finding.fixes.extend(raised(target, overhead));
    finding
}

/// The fix that sets the target halfway between the overhead and the threshold.
fn raised(target: &ActionTarget<'_>, overhead: u64) -> Option<Fix> {
    let threshold = target.threshold?.tokens.filter(|&threshold| threshold > overhead)?;
    let middle = Decimal::from(overhead.midpoint(threshold));
    let text = match target.window.filter(|_| target.unit == Unit::Share) {
        Some(window) => {
            let share = (middle / Decimal::from(window) * Decimal::ONE_HUNDRED).floor() / Decimal::ONE_HUNDRED;
            Quantity::new(share, Unit::Share).to_string()
        }
        None => Quantity::new(middle, Unit::Tokens).to_string(),
    };
    let edit = set_label(target.action, LabelRole::DownTo, &text)?;
    Some(fix(format!("write `down_to {text}`"), false, edit))
}
