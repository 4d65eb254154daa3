//! `duplicate-rule`

use std::collections::BTreeMap;

use crate::check::{Guard, Rule};
use crate::condition::{Implication, World, implies};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::placement::is_native_form;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::plan;

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
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// Rules with the same effect that are held against each other; more of them are compared with their neighbours only.
const MOST: usize = 6;

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    // What an effect in YAML does stands in its parameters, not in one clause.
    for policy in subject.checked.policies.iter().filter(|_| is_native_form(subject)) {
        let mut alike: BTreeMap<(&str, String), Vec<&Rule>> = BTreeMap::new();
        for rule in subject.rules_of(policy) {
            if let Some(effects) = rule.clause("do") {
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

/// A finding, when one of two rules fires only where the other does.
fn finding(subject: &Subject<'_>, first: &Rule, second: &Rule) -> Option<Diagnostic> {
    if !subject.can_hold(first) || !subject.can_hold(second) {
        return None;
    }
    let is_alike = subject.written(first).is_some_and(|text| subject.written(second) == Some(text));
    let repeats = |spare: &Rule, kept: &Rule, host: &World| match Needed::of(spare, kept) {
        Some(Needed::Same) => is_alike || within(spare, kept, host) && within(kept, spare, host),
        Some(Needed::Within) => is_alike || within(spare, kept, host),
        None => false,
    };
    let world = subject.world(second);
    let (spare, kept) = match () {
        () if repeats(second, first, &world) => (second, first),
        () if repeats(first, second, &world) => (first, second),
        () => return None,
    };
    let message = format!("rule `{}` repeats rule `{}`", spare.name, kept.name);
    let mut finding = LINT.finding(spare.head, message, "whenever this is due");
    finding = finding.label(kept.head, "this is due too, and does the same");
    finding.notes.extend(subject.assumed(spare, |host| repeats(spare, kept, host)));
    finding.fixes.push(fix(format!("take rule `{}` out", spare.name), false, removal(subject, spare.span)));
    Some(finding)
}

fn within(a: &Rule, b: &Rule, host: &World) -> bool {
    matches!(implies(&a.condition, &b.condition, host), Implication::Proved)
}

/// What must be true of two conditions for one rule to fire only where the other does.
enum Needed {
    /// They hold in the same states.
    Same,
    /// The one holds only where the other does.
    Within,
}

impl Needed {
    /// None when no relation of the conditions is enough.
    fn of(spare: &Rule, kept: &Rule) -> Option<Self> {
        if kept.guards.is_empty() {
            // Whatever holds the other back beside its condition, this one is due then too.
            return (!spare.latches()).then_some(Self::Within);
        }
        if plan::meaning(spare)["guards"] != plan::meaning(kept)["guards"]
            || plan::meaning(spare)["unless"] != plan::meaning(kept)["unless"]
        {
            return None;
        }
        // With a memory of its own each rule fires by what was before; with one condition the memories are the same.
        let has_memory = kept.guards.iter().any(|guard| !matches!(guard.node, Guard::Every(_)));
        Some(if has_memory { Self::Same } else { Self::Within })
    }
}
