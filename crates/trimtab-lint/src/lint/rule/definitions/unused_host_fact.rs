//! `unused-host-fact`

use std::collections::HashSet;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::ExpectationKind;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unused-host-fact", Severity::Warning, include_str!("unused_host_fact.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let checked = subject.checked;
    if checked.policies.is_empty() {
        return;
    }
    let rules = checked.policies.iter().chain(&checked.used).flat_map(|policy| &policy.rules);
    let claims = checked.tests.iter().flat_map(|test| &test.expected).filter_map(|expected| match &expected.claim {
        ExpectationKind::Fact(_, test) => Some(&test.reading),
        _ => None,
    });
    let readings = rules.flat_map(|rule| rule.readings()).chain(claims);
    let read: HashSet<_> = readings.filter_map(|reading| reading.host_fact()).collect();
    let own = checked.agent.facts.iter().filter(|fact| fact.span.source == subject.source.id());
    for fact in own.filter(|fact| !read.contains(&fact.name.node)) {
        let message = format!("no rule reads `{}`", fact.written());
        let mut finding = LINT.finding(fact.name.span, message, "never read").help("remove the declaration");
        finding.fixes.push(fix("remove it", false, removal(subject, fact.span)));
        findings.push(finding);
    }
}
