//! `override-changes-nothing`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::Span;
use trimtab_language::check::Rule;
use trimtab_language::condition::{Implication, implies};
use trimtab_language::plan;

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::overridden::{Overridden, overridden_rules};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("override-changes-nothing", Severity::Warning, include_str!("override_changes_nothing.md")),
    category: Category::Definitions,
    certainty: Certainty::Proved,
    fix: FixAvailability::Mixed,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let all = overridden_rules(subject).into_iter();
    findings.extend(all.filter_map(|Overridden { old, new, span }| finding(subject, old, new, span)));
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
    let assumptions = subject.assumptions(new);
    let within = |a: &Rule, b: &Rule| implies(&a.condition, &b.condition, &assumptions) == Implication::Proved;
    within(old, new) && within(new, old)
}
