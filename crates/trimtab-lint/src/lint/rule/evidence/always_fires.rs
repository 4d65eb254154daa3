//! `always-fires`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::Decimal;
use trimtab_language::check::{Condition, Rule};
use trimtab_simulate::simulate::Trace;

use crate::lint::analysis::replays::{MIN_CALLS, Replays, counted};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("always-fires", Severity::Warning, include_str!("always_fires.md")),
    category: Category::Evidence,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    options: &[&CALLS],
    check: Check::Evidence(check),
    ..Lint::DEFAULT
};

static CALLS: LintOption = MIN_CALLS;

fn check(subject: &Subject<'_>, traces: &[Trace], findings: &mut Vec<Diagnostic>) {
    let Some(replays) = Replays::of(subject, traces) else { return };
    if Decimal::from(replays.calls) < subject.option(&CALLS) {
        return;
    }
    for (at, rule) in replays.rules(subject) {
        // A rule without a condition is meant to fire whenever it has something to do.
        let has_condition = !matches!(rule.condition, Condition::Constant(_));
        if has_condition && replays.sum(at, |rule| rule.calls.len()) >= replays.calls {
            findings.push(finding(subject, &replays, rule));
        }
    }
}

fn finding(subject: &Subject<'_>, replays: &Replays<'_>, rule: &Rule) -> Diagnostic {
    let message = format!("rule `{}` fired at each of {}", rule.name, counted(replays.calls, "call"));
    let span = rule.condition_span().filter(|span| span.source == subject.source.id());
    let mut finding = LINT
        .finding(span.unwrap_or(rule.head), message, "held at every call")
        .note(replays.sample())
        .help("use a bound that can fail, or add a guard");
    // A view that is left out of some requests changes their beginning, and what it stands for is missing there.
    let is_view = rule.actions.iter().any(|action| action.effect.kind.is_view());
    if rule.guards.is_empty() && !is_view {
        let edit = crate::lint::analysis::placement::new_clause(subject, rule, "every 5 iterations");
        finding.fixes.extend(edit.map(|edit| crate::lint::analysis::edit::fix("fire every 5 iterations", false, edit)));
    }
    finding
}
