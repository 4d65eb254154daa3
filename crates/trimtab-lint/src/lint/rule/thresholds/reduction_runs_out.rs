//! `reduction-runs-out`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::Span;
use trimtab_language::check::{Guard, Policy, Rule};
use trimtab_language::condition::iterations;
use trimtab_language::effect::EffectKind;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::reduction::{reduces, tests_context_size};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("reduction-runs-out", Severity::Warning, include_str!("reduction_runs_out.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// What ends the reductions of a rule.
struct End {
    /// The guard, or the condition.
    place: Span,
    /// Whether a guard does.
    is_guard: bool,
    /// After what.
    after: String,
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    findings.extend(subject.checked.policies.iter().filter_map(|policy| in_policy(subject, policy)));
}

/// Reports the last rule that reduces the context, if each of them does so a limited number of times.
fn in_policy(subject: &Subject<'_>, policy: &Policy) -> Option<Diagnostic> {
    let mut last = None;
    for rule in policy.rules.iter().filter(|rule| is_relief(subject, rule)) {
        last = Some((rule, end(subject, rule)?));
    }
    let (rule, End { place, is_guard, after }) = last?;
    if place.source != subject.source.id() {
        return None;
    }
    let mut finding = LINT
        .finding(place, format!("nothing reduces the context after {after}"), "ends the last reduction")
        .label(rule.head, "the last rule that reduces the context")
        .help(
            "let the rule fire again, for example `once until` there is room again, or add a reduction without an end",
        );
    if is_guard && subject.is_policy_source() {
        finding.fixes.push(fix(format!("remove `{}`", subject.quote(place)), false, removal(subject, place)));
    }
    Some(finding)
}

/// Whether a rule makes the next request smaller, or stops the run at some size of the context.
fn is_relief(subject: &Subject<'_>, rule: &Rule) -> bool {
    reduces(subject, rule) || rule.does(EffectKind::Retain) || rule.does(EffectKind::Stop) && tests_context_size(rule)
}

/// Returns what ends the reductions of a rule, or `None` if nothing does. A stop ends the run, so no reduction is
/// needed after it.
fn end(subject: &Subject<'_>, rule: &Rule) -> Option<End> {
    if rule.does(EffectKind::Stop) {
        return None;
    }
    let by_guard = rule.guards.iter().find_map(|guard| {
        let times = match guard.node {
            Guard::Once | Guard::Limit(1) => "once".to_owned(),
            Guard::Limit(times) => format!("{times} times"),
            _ => return None,
        };
        let after = format!("`{}` has fired {times} in a {}", rule.name, guard.scope.word());
        Some(End { place: guard.span, is_guard: true, after })
    });
    by_guard.or_else(|| {
        let due = iterations(&rule.condition, &subject.assumptions(rule));
        let after = format!("iteration {} of a run", due.first);
        let place = rule.condition_span().filter(|_| due.is_single() && !rule.has_until())?;
        Some(End { place, is_guard: false, after })
    })
}
