//! `no-headroom`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, grouped};
use trimtab_language::check::Rule;

use crate::lint::analysis::edit::move_threshold;
use crate::lint::analysis::reduction::first_step;
use crate::lint::analysis::threshold::Threshold;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-headroom", Severity::Warning, include_str!("no_headroom.md")),
    category: Category::Thresholds,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/OpenHands/OpenHands/issues/9937",
        "https://github.com/OpenHands/OpenHands/issues/7023",
        "https://github.com/langchain-ai/langchain/issues/34664",
    ],
    supersedes: &["late-first-reduction"],
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let (Some(window), Some(reserve)) = (subject.window(), subject.checked.agent.reserve) else { return };
    let room = window.saturating_sub(reserve);
    for policy in &subject.checked.policies {
        let Some((rule, threshold)) = first_step(subject, policy) else { continue };
        if threshold.least_tokens().is_some_and(|tokens| tokens > room) {
            findings.push(finding(subject, rule, &threshold, window, reserve));
        }
    }
}

fn finding(subject: &Subject<'_>, rule: &Rule, threshold: &Threshold<'_>, window: u64, reserve: u64) -> Diagnostic {
    let count = |tokens: u64| grouped(tokens.into());
    let room = window.saturating_sub(reserve);
    let message = format!("no rule reduces the context before it exceeds {} tokens", count(room));
    let here = format!("the first reduction, at {} tokens", count(threshold.least_tokens().unwrap_or(0)));
    let help = format!(
        "a window of {} tokens minus a reserve of {} leaves {}: start below that",
        count(window),
        count(reserve),
        count(room)
    );
    let mut finding = LINT.finding(threshold.test.span, message, here).help(help);
    let share = within(window, room).and_then(|share| move_threshold(subject, rule, threshold.test, share));
    finding.fixes.extend(share);
    finding
}

/// The largest multiple of five percent of the window that is at least five points below the room.
fn within(window: u64, room: u64) -> Option<Decimal> {
    let steps = room.checked_mul(20)? / window.max(1);
    let share = Decimal::from(steps.checked_sub(1)? * 5) / Decimal::ONE_HUNDRED;
    (!share.is_zero()).then_some(share)
}
