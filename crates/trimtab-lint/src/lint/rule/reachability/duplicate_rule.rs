//! `duplicate-rule`

use std::collections::BTreeMap;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Guard, Rule};
use trimtab_language::condition::{Assumptions, Implication, implies};
use trimtab_language::plan;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::subject::Spelling;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("duplicate-rule", Severity::Warning, include_str!("duplicate_rule.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// How many preceding rules with the same effect each rule is compared with.
const MAX_COMPARED: usize = 6;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    // In YAML an effect is spread over parameters and has no single clause.
    for policy in subject.checked.policies.iter().filter(|_| subject.is_policy_source()) {
        let mut alike: BTreeMap<(&str, Spelling), Vec<&Rule>> = BTreeMap::new();
        for rule in subject.rules_of(policy) {
            if let Some(effects) = rule.clause("do") {
                alike.entry((rule.phase.word(), subject.spelling(effects))).or_default().push(rule);
            }
        }
        for rules in alike.into_values() {
            for (at, rule) in rules.iter().enumerate() {
                let first = at.saturating_sub(MAX_COMPARED);
                findings.extend(rules[first..at].iter().find_map(|other| finding(subject, other, rule)));
            }
        }
    }
}

/// A finding, if one of two rules fires only when the other fires too.
fn finding(subject: &Subject<'_>, first: &Rule, second: &Rule) -> Option<Diagnostic> {
    if !subject.can_hold(first) || !subject.can_hold(second) {
        return None;
    }
    let is_alike = subject.condition_source(first).is_some_and(|text| subject.condition_source(second) == Some(text));
    let repeats = |spare: &Rule, kept: &Rule, host: &Assumptions| match Needed::of(spare, kept) {
        Some(Needed::Same) => is_alike || within(spare, kept, host) && within(kept, spare, host),
        Some(Needed::Within) => is_alike || within(spare, kept, host),
        None => false,
    };
    let assumptions = subject.assumptions(second);
    let (spare, kept) = match () {
        () if repeats(second, first, &assumptions) => (second, first),
        () if repeats(first, second, &assumptions) => (first, second),
        () => return None,
    };
    let message = format!("rule `{}` repeats rule `{}`", spare.name, kept.name);
    let mut finding = LINT.finding(spare.head, message, "whenever this rule is due");
    finding = finding.label(kept.head, "this rule is due too and does the same");
    finding.notes.extend(subject.assumed(spare, |host| repeats(spare, kept, host)));
    finding.fixes.push(fix(format!("remove rule `{}`", spare.name), false, removal(subject, spare.span)));
    Some(finding)
}

fn within(a: &Rule, b: &Rule, host: &Assumptions) -> bool {
    matches!(implies(&a.condition, &b.condition, host), Implication::Proved)
}

/// How two conditions must relate for one rule to fire only when the other fires.
enum Needed {
    /// Both hold for the same values.
    Same,
    /// One holds only where the other holds.
    Within,
}

impl Needed {
    /// None if no relation of the conditions is sufficient.
    fn of(spare: &Rule, kept: &Rule) -> Option<Self> {
        if kept.guards.is_empty() {
            // The kept rule has no guards, so it is due whenever its condition holds.
            return (!spare.has_until()).then_some(Self::Within);
        }
        if plan::meaning(spare)["guards"] != plan::meaning(kept)["guards"]
            || kept.remembers_condition() && plan::meaning(spare)["unless"] != plan::meaning(kept)["unless"]
        {
            return None;
        }
        // Guards with state depend on earlier firings; the states agree only if the conditions are equal.
        let has_memory = kept.guards.iter().any(|guard| !matches!(guard.node, Guard::Every(_)));
        Some(if has_memory { Self::Same } else { Self::Within })
    }
}
