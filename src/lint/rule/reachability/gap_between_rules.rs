//! `gap-between-rules`

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::check::{Comparison, Condition, Relation, Rule, Test};
use crate::condition::{SearchResult, gap};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "gap-between-rules",
        severity: Severity::Info,
        title: "values that no rule covers",
        why: "Two rules divide the values of a fact between them and leave a range out. No rule is due in \
              that range. Often one bound was changed and the other one forgotten.",
        wrong: "edition 2026\npolicy p {\n  rule calm { when context.ratio < 60% do notify \"fine\" }\n  rule busy { when context.ratio > 70% do notify \"busy\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule calm { when context.ratio < 60% do notify \"fine\" }\n  rule busy { when context.ratio >= 60% do notify \"busy\" }\n}\n",
    },
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
            let mut by_fact: BTreeMap<SmolStr, Vec<&Rule>> = BTreeMap::new();
            for rule in rules {
                if let Condition::Test(Test { reading, relation: Relation::Compare(..), .. }) = &rule.condition {
                    by_fact.entry(reading.name()).or_default().push(rule);
                }
            }
            findings.extend(by_fact.into_values().filter_map(|rules| finding(subject, &rules)));
        }
    }
}

fn bound(rule: &Rule) -> Option<(bool, &Test)> {
    match &rule.condition {
        Condition::Test(test) => match test.relation {
            Relation::Compare(Comparison::Less | Comparison::AtMost, _) => Some((true, test)),
            Relation::Compare(Comparison::More | Comparison::AtLeast, _) => Some((false, test)),
            _ => None,
        },
        _ => None,
    }
}

fn finding(subject: &Subject<'_>, rules: &[&Rule]) -> Option<Diagnostic> {
    let bounds: Vec<(bool, &Test)> = rules.iter().filter_map(|rule| bound(rule)).collect();
    let upper = bounds.iter().find(|(upper, _)| *upper)?.1;
    let lower = bounds.iter().find(|(upper, _)| !*upper)?.1;
    let conditions: Vec<&Condition> = rules.iter().map(|rule| &rule.condition).collect();
    let SearchResult::Witness(witness) = gap(&conditions, &subject.world(rules[0])) else { return None };
    let message = format!("no rule is due where {witness}");
    let finding =
        LINT.finding(upper.span, message, "one rule ends here").label(lower.span, "the next rule begins here");
    Some(finding.help("make the bounds meet, unless the gap is intended"))
}
