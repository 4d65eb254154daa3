//! `never-true`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::Span;
use trimtab_language::check::{Condition, Rule};
use trimtab_language::condition::{Assumptions, Decision, SearchResult, decide, overlap};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("never-true", Severity::Error, include_str!("never_true.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !matches!(subject.decision(rule), Some(Decision::Never)) {
        return;
    }
    // With `until`, it is enough that `when` has been true before `unless` is false.
    let latches = |host: &Assumptions| rule.has_until() && decide(&rule.when, host) != Decision::Never;
    if latches(&subject.assumptions(rule)) {
        return;
    }
    let span = rule.condition_span().unwrap_or(rule.head);
    let message = format!("rule `{}` can never be due", rule.name);
    let mut finding = LINT.finding(span, message, "no values of the facts make this true");
    if let Some(off) =
        subject.checked.agent.window.filter(|window| window.node == 0 && window.span.source == span.source)
    {
        finding = finding.label(off.span, "a window of 0 is unknown, so shares of it are unknown");
    }
    if let Some((a, b)) = clash(&rule.condition, &subject.assumptions(rule)) {
        finding = finding.label(a, "never holds together with the other comparison").label(b, "the other comparison");
    }
    finding
        .notes
        .extend(subject.assumed(rule, |host| decide(&rule.condition, host) == Decision::Never && !latches(host)));
    findings.push(finding.help("change one of the bounds, or remove the rule"));
}

/// Two tests joined by `and` that cannot both hold.
fn clash(condition: &Condition, assumptions: &Assumptions) -> Option<(Span, Span)> {
    const MAX_TESTS: usize = 12;
    let Condition::All(parts) = condition else { return None };
    let tests: Vec<(&Condition, Span)> = parts
        .iter()
        .filter_map(|part| match part {
            Condition::Test(test) => Some((part, test.span)),
            _ => None,
        })
        .take(MAX_TESTS)
        .collect();
    let pairs = tests.iter().enumerate().flat_map(|(at, a)| tests[at + 1..].iter().map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| matches!(overlap(a.0, b.0, assumptions), SearchResult::Impossible))
        .map(|(a, b)| (a.1, b.1))
        .next()
}
