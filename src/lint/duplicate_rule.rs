//! `duplicate-rule`

use std::collections::BTreeMap;

use super::layout::is_own_form;
use super::shape::{fix, removal};
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::check::Rule;
use crate::condition::{Answer, implies};
use crate::diagnostic::{Code, Diagnostic, Severity};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "duplicate-rule",
        severity: Severity::Warning,
        title: "a rule that repeats another",
        why: "Two rules of one phase do the same, and whenever the one is due so is the other: the second finds \
              nothing to do, or a message is put in twice.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"full\" }\n  rule b { when context.ratio >= 70% do notify \"full\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"full\" }\n  rule b { when context.ratio >= 70% do notify \"fuller\" }\n}\n",
    },
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: Remedy::Unsafe,
    pedantic: false,
    evidence: &[],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

/// Rules with the same effect that are held against each other; more of them are compared with their neighbours only.
const MOST: usize = 6;

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    // What an effect in YAML does stands in its parameters, not in one clause.
    for policy in subject.checked.policies.iter().filter(|_| is_own_form(subject)) {
        let mut alike: BTreeMap<(&str, String), Vec<&Rule>> = BTreeMap::new();
        for rule in subject.rules_of(policy) {
            if let Some(effects) = rule.clause("do").filter(|_| rule.guards.is_empty()) {
                alike.entry((rule.phase.word(), said(subject.text(effects)))).or_default().push(rule);
            }
        }
        for rules in alike.into_values() {
            for (at, rule) in rules.iter().enumerate() {
                let first = at.saturating_sub(MOST);
                found.extend(rules[first..at].iter().find_map(|other| finding(subject, other, rule)));
            }
        }
    }
}

/// Effects as written, however they are laid out; with texts in them to the letter.
fn said(effects: &str) -> String {
    if effects.contains('"') {
        return effects.to_owned();
    }
    effects.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A finding, when one of two rules is due only where the other is.
fn finding(subject: &Subject<'_>, first: &Rule, second: &Rule) -> Option<Diagnostic> {
    let world = subject.world(second);
    let within = |a: &Rule, b: &Rule| matches!(implies(&a.condition, &b.condition, &world), Answer::Yes);
    if !subject.can_hold(first) || !subject.can_hold(second) {
        return None;
    }
    let is_alike = subject.written(first).is_some_and(|text| subject.written(second) == Some(text));
    let (spare, kept) = match () {
        () if is_alike || within(second, first) => (second, first),
        () if within(first, second) => (first, second),
        () => return None,
    };
    let message = format!("rule `{}` repeats rule `{}`", spare.name, kept.name);
    let mut finding = LINT.finding(spare.head, message, "whenever this is due");
    finding = finding.label(kept.head, "this is due too, and does the same");
    let within = |host: &_| matches!(implies(&spare.condition, &kept.condition, host), Answer::Yes);
    finding.notes.extend(subject.assumed(spare, |host| is_alike || within(host)));
    finding.fixes.push(fix(format!("take rule `{}` out", spare.name), false, removal(subject, spare.span)));
    Some(finding)
}
