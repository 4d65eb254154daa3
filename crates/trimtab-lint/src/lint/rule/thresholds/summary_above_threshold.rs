//! `summary-above-threshold`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Quantity, Unit, grouped, share_of};
use trimtab_language::check::Action;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::reduction::removes_older_messages;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("summary-above-threshold", Severity::Warning, include_str!("summary_above_threshold.md")),
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/vtemian/micode/issues/14",
        "https://github.com/anthropics/claude-code/issues/89281",
    ],
    options: &[&SHARE],
    check: Check::File(check),
    ..Lint::DEFAULT
};

static SHARE: LintOption = LintOption {
    name: "share",
    unit: Unit::Share,
    default: Decimal::from_parts(50, 0, 0, false, 2),
    summary: "The share of the threshold at which overhead and summary together are reported.",
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let most = subject.option(&SHARE);
    let overhead = subject.checked.agent.overhead.unwrap_or(0);
    for (_, rule) in subject.rules() {
        for action in rule.actions.iter().filter(|action| removes_older_messages(action)) {
            let Some(threshold) = subject.threshold(rule).and_then(|threshold| threshold.tokens) else { continue };
            let Some(longest) = action.quantity(LabelRole::SummaryLimit).map(Quantity::to_u64) else { continue };
            // A threshold below the overhead is reported by another lint.
            if overhead < threshold && longest.saturating_add(overhead) >= share_of(threshold, most) {
                findings.push(finding(action, longest, overhead, threshold));
            }
        }
    }
}

fn finding(action: &Action, longest: u64, overhead: u64, threshold: u64) -> Diagnostic {
    let count = |tokens: u64| grouped(tokens.into());
    let span = action.place(LabelRole::SummaryLimit).unwrap_or(action.span);
    let message =
        format!("after the summary the context is again close to the threshold of {} tokens", count(threshold));
    let sum = count(longest.saturating_add(overhead));
    let here = match overhead {
        0 => format!("up to {sum} tokens"),
        _ => format!("{} plus an overhead of {} tokens: up to {sum} tokens", count(longest), count(overhead)),
    };
    let mut finding = LINT.finding(span, message, here).help("make the summary shorter, or summarise later");
    let room = (threshold / 2).saturating_sub(overhead) / 2;
    if room >= 500 && room < longest {
        let tokens = if room >= 1_000 { room / 1_000 * 1_000 } else { 500 };
        let text = Quantity::new(Decimal::from(tokens), Unit::Tokens).to_string();
        let edit = set_label(action, LabelRole::SummaryLimit, &text);
        finding.fixes.extend(edit.map(|edit| fix(format!("write `at_most {text}`"), false, edit)));
    }
    finding
}
