//! `boundary-overlap`

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{Comparison, Condition, Rule, Test};
use trimtab_language::condition::{SearchResult, boundary};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::requirement::{effective_comparison, only_source};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("boundary-overlap", Severity::Warning, include_str!("boundary_overlap.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// How many preceding rules on the same source each rule is compared with.
const MAX_COMPARED: usize = 6;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        for rules in Subject::phases(policy).into_values() {
            let mut by_source: BTreeMap<SmolStr, Vec<&Rule>> = BTreeMap::new();
            for rule in rules {
                if let Some(source) = only_source(&rule.condition) {
                    by_source.entry(source).or_default().push(rule);
                }
            }
            for rules in by_source.into_values() {
                for (at, rule) in rules.iter().enumerate() {
                    let before = &rules[at.saturating_sub(MAX_COMPARED)..at];
                    findings.extend(before.iter().filter_map(|other| finding(subject, other, rule)));
                }
            }
        }
    }
}

/// The comparison that gives a condition an inclusive upper or lower bound, and its result.
fn inclusive(condition: &Condition, upper: bool) -> Option<(&Test, bool)> {
    let wanted = if upper { Comparison::AtMost } else { Comparison::AtLeast };
    condition.required_tests().find(|(test, truth)| effective_comparison(test, *truth) == Some(wanted))
}

fn finding(subject: &Subject<'_>, a: &Rule, b: &Rule) -> Option<Diagnostic> {
    let (low, high) = match (inclusive(&a.condition, true), inclusive(&b.condition, true)) {
        (Some(test), _) if inclusive(&b.condition, false).is_some() => (test, inclusive(&b.condition, false)?),
        (_, Some(test)) if inclusive(&a.condition, false).is_some() => (test, inclusive(&a.condition, false)?),
        _ => return None,
    };
    let SearchResult::Witness(witness) = boundary(&a.condition, &b.condition, &subject.assumptions(b)) else {
        return None;
    };
    let message = format!("rules `{}` and `{}` are both due where {witness}", a.name, b.name);
    let mut finding =
        LINT.finding(low.0.span, message, "includes the boundary").label(high.0.span, "includes the boundary too");
    if let Some((_, operator, _)) = subject.comparison(low.0.span)
        && let Some(exclusive) = operator.node.comparison().map(without_boundary)
    {
        let text = exclusive.symbol();
        let edit = TextEdit { span: operator.span, text: text.to_owned() };
        finding.fixes.push(fix(format!("write `{text}`"), false, edit));
    }
    Some(finding)
}

/// The operator that treats the boundary the other way.
const fn without_boundary(operator: Comparison) -> Comparison {
    match operator {
        Comparison::AtMost => Comparison::Less,
        Comparison::Less => Comparison::AtMost,
        Comparison::AtLeast => Comparison::More,
        Comparison::More => Comparison::AtLeast,
        Comparison::Equal | Comparison::Unequal => operator,
    }
}
