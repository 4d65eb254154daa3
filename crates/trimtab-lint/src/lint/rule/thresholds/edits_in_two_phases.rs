//! `edits-in-two-phases`

use std::collections::HashMap;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{Policy, Rule};
use trimtab_language::phase::Phase;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::edits_cached;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("edits-in-two-phases", Severity::Info, include_str!("edits_in_two_phases.md")),
    category: Category::Thresholds,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        in_policy(subject, policy, findings);
    }
}

fn in_policy(subject: &Subject<'_>, policy: &Policy, findings: &mut Vec<Diagnostic>) {
    let mut on_request: HashMap<&str, &Rule> = HashMap::new();
    for (target, rule) in edits(policy, Phase::Request) {
        on_request.entry(target).or_insert(rule);
    }
    for (target, rule) in edits(policy, Phase::Reply) {
        let reads_size = || subject.threshold(rule).is_some_and(|threshold| !threshold.reported);
        if let Some(other) = on_request.get(target).filter(|_| reads_size()) {
            findings.push(finding(target, rule, other));
        }
    }
}

/// The rules that edit contents in a phase, with their targets.
fn edits(policy: &Policy, phase: Phase) -> impl Iterator<Item = (&str, &Rule)> {
    let rules = policy.rules.iter().filter(move |rule| rule.phase == phase);
    rules.flat_map(|rule| {
        let targets = rule.actions.iter().filter(|action| edits_cached(action)).filter_map(|action| action.target);
        targets.map(move |target| (target.name, rule))
    })
}

fn finding(target: &str, rule: &Rule, other: &Rule) -> Diagnostic {
    let message = format!("`{target}` are edited by `{}` on `reply` and by `{}` on `request`", rule.name, other.name);
    let span = rule.clause("on").unwrap_or(rule.head);
    let mut finding = LINT
        .finding(span, message, "reads a size without the results of the reply's calls")
        .label(other.head, "edits them again, at a size with these results")
        .help("make both edits in one phase");
    if rule.clause("on").is_some() {
        let edit = TextEdit { span, text: "on request".to_owned() };
        finding.fixes.push(fix("write `on request`", false, edit));
    }
    finding
}
