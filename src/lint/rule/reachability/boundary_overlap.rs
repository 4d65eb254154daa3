//! `boundary-overlap`

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::check::{Comparison, Condition, Relation, Rule, Test};
use crate::condition::{SearchResult, boundary};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::Operator;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "boundary-overlap",
        severity: Severity::Warning,
        title: "two rules that are both due at the boundary",
        why: "Two rules are meant to divide the values between them, but both include the boundary: `<= \
              80%` and `>= 80%` both hold at 80%.",
        wrong: "edition 2026\npolicy p {\n  rule low { when context.ratio >= 50% and context.ratio <= 80% do notify \"busy\" }\n  rule high { when context.ratio >= 80% do notify \"full\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule low { when context.ratio >= 50% and context.ratio < 80% do notify \"busy\" }\n  rule high { when context.ratio >= 80% do notify \"full\" }\n}\n",
    },
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// How many preceding rules on the same fact each rule is compared with.
const MAX_COMPARED: usize = 6;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        for rules in Subject::phases(policy).into_values() {
            let mut by_fact: BTreeMap<SmolStr, Vec<&Rule>> = BTreeMap::new();
            for rule in rules {
                if let Some(fact) = only_fact(&rule.condition) {
                    by_fact.entry(fact).or_default().push(rule);
                }
            }
            for rules in by_fact.into_values() {
                for (at, rule) in rules.iter().enumerate() {
                    let before = &rules[at.saturating_sub(MAX_COMPARED)..at];
                    findings.extend(before.iter().filter_map(|other| finding(subject, other, rule)));
                }
            }
        }
    }
}

/// The only fact that a condition compares.
fn only_fact(condition: &Condition) -> Option<SmolStr> {
    match condition {
        Condition::Test(Test { reading, relation: Relation::Compare(..), .. }) => Some(reading.name()),
        Condition::All(parts) => {
            let (first, rest) = parts.split_first()?;
            only_fact(first).filter(|name| rest.iter().all(|part| only_fact(part).as_ref() == Some(name)))
        }
        _ => None,
    }
}

/// The comparison that gives a condition an inclusive upper or lower bound.
fn inclusive(condition: &Condition, upper: bool) -> Option<&Test> {
    match condition {
        Condition::Test(test) => match test.relation {
            Relation::Compare(Comparison::AtMost, _) if upper => Some(test),
            Relation::Compare(Comparison::AtLeast, _) if !upper => Some(test),
            _ => None,
        },
        Condition::All(parts) => parts.iter().find_map(|part| inclusive(part, upper)),
        _ => None,
    }
}

fn finding(subject: &Subject<'_>, a: &Rule, b: &Rule) -> Option<Diagnostic> {
    let (low, high) = match (inclusive(&a.condition, true), inclusive(&b.condition, true)) {
        (Some(test), _) if inclusive(&b.condition, false).is_some() => (test, inclusive(&b.condition, false)?),
        (_, Some(test)) if inclusive(&a.condition, false).is_some() => (test, inclusive(&a.condition, false)?),
        _ => return None,
    };
    let SearchResult::Witness(witness) = boundary(&a.condition, &b.condition, &subject.world(b)) else { return None };
    let message = format!("rules `{}` and `{}` are both due where {witness}", a.name, b.name);
    let mut finding =
        LINT.finding(low.span, message, "includes the boundary").label(high.span, "includes the boundary too");
    if let Some((_, operator, _)) = subject.comparison(low.span)
        && operator.node == Operator::Comparison(Comparison::AtMost)
    {
        finding.fixes.push(fix("write `<`", false, TextEdit { span: operator.span, text: "<".to_owned() }));
    }
    Some(finding)
}
