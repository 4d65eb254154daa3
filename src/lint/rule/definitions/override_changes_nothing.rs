//! `override-changes-nothing`

use crate::check::{Policy, Rule};
use crate::condition::{Implication, implies};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::plan;
use crate::source::Span;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "override-changes-nothing",
        severity: Severity::Warning,
        title: "override that changes nothing",
        why: "The rule of the base is already the same. The override hides this from readers, and it stays \
              as it is when the base changes.",
        wrong: "edition 2026\nuse \"other.trim\"\npolicy mine extends base {\n  override rule tell { when context.ratio >= 80% }\n}\n# other.trim:\nedition 2026\npolicy base {\n  rule tell { when context.ratio >= 80% do notify \"nearly full\" once }\n}\n",
        right: "edition 2026\nuse \"other.trim\"\npolicy mine extends base {\n  override rule tell { when context.ratio >= 70% }\n}\n# other.trim:\nedition 2026\npolicy base {\n  rule tell { when context.ratio >= 80% do notify \"nearly full\" once }\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Proved,
    fix: FixAvailability::Mixed,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let Some(base) = base(subject, policy) else { continue };
        let overriding = |rule: &Rule| Some(rule.origin.overrides.last().filter(|base| base.node == policy.name)?.span);
        let changed: Vec<(&Rule, Span)> =
            policy.rules.iter().filter_map(|rule| Some((rule, overriding(rule)?))).collect();
        if changed.is_empty() {
            continue;
        }
        let inherited: std::collections::HashMap<&str, &Rule> =
            base.rules.iter().map(|rule| (rule.name.as_str(), rule)).collect();
        for (rule, span) in changed {
            if let Some(old) = inherited.get(rule.name.as_str()) {
                findings.extend(finding(subject, old, rule, span));
            }
        }
    }
}

fn base<'a>(subject: &Subject<'a>, policy: &Policy) -> Option<&'a Policy> {
    let name = policy.base.as_ref()?;
    let checked = subject.checked;
    checked.policies.iter().chain(&checked.used).find(|policy| policy.name == *name)
}

fn finding(subject: &Subject<'_>, old: &Rule, new: &Rule, span: Span) -> Option<Diagnostic> {
    let tree = subject.tree_at(span)?;
    if tree.order.is_some() || old.sealed != new.sealed {
        return None;
    }
    let (before, after) = (plan::meaning(old), plan::meaning(new));
    let identical = before == after;
    let same = identical || differ_in_condition_only(before, after) && are_equivalent(subject, old, new);
    if !same {
        return None;
    }
    let message = format!("the override of `{}` changes nothing", new.name);
    let here = if identical { "same as in the base" } else { "equivalent to the rule of the base" };
    let finding = LINT.finding(tree.name.span, message, here).label(old.head, "the rule of the base");
    let remove = fix("remove the override", identical, removal(subject, span));
    Some(Diagnostic { fixes: vec![remove], ..finding.help("remove it, or change what was meant to change") })
}

fn differ_in_condition_only(mut before: serde_json::Value, mut after: serde_json::Value) -> bool {
    before["condition"].take();
    after["condition"].take();
    before == after
}

/// Whether both conditions hold for the same values of the facts.
fn are_equivalent(subject: &Subject<'_>, old: &Rule, new: &Rule) -> bool {
    let world = subject.world(new);
    let within = |a: &Rule, b: &Rule| implies(&a.condition, &b.condition, &world) == Implication::Proved;
    within(old, new) && within(new, old)
}
