//! `gap-between-rules`

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Comparison, Condition, Rule, Test};
use trimtab_language::condition::{SearchResult, gap};

use crate::lint::analysis::requirement::{effective_comparison, only_source, only_test};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("gap-between-rules", Severity::Info, include_str!("gap_between_rules.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    pedantic: true,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        for rules in Subject::phases(policy).into_values() {
            let mut by_source: BTreeMap<SmolStr, Vec<&Rule>> = BTreeMap::new();
            for rule in rules.into_iter().filter(|rule| only_test(&rule.condition).is_some()) {
                if let Some(source) = only_source(&rule.condition) {
                    by_source.entry(source).or_default().push(rule);
                }
            }
            findings.extend(by_source.into_values().filter_map(|rules| finding(subject, &rules)));
        }
    }
}

/// The bound of a rule with one comparison: whether it is an upper one, and its test.
fn bound(rule: &Rule) -> Option<(bool, &Test)> {
    let (test, truth) = only_test(&rule.condition)?;
    match effective_comparison(test, truth)? {
        Comparison::Less | Comparison::AtMost => Some((true, test)),
        Comparison::More | Comparison::AtLeast => Some((false, test)),
        Comparison::Equal | Comparison::Unequal => None,
    }
}

fn finding(subject: &Subject<'_>, rules: &[&Rule]) -> Option<Diagnostic> {
    let bounds: Vec<(bool, &Test)> = rules.iter().filter_map(|rule| bound(rule)).collect();
    let upper = bounds.iter().find(|(upper, _)| *upper)?.1;
    let lower = bounds.iter().find(|(upper, _)| !*upper)?.1;
    let conditions: Vec<&Condition> = rules.iter().map(|rule| &rule.condition).collect();
    let SearchResult::Witness(witness) = gap(&conditions, &subject.assumptions(rules[0])) else { return None };
    let message = format!("no rule is due where {witness}");
    let finding =
        LINT.finding(upper.span, message, "one rule ends here").label(lower.span, "the next rule begins here");
    Some(finding.help("make the bounds meet, unless the gap is intended"))
}
