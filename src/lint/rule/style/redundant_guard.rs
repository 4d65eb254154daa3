//! `redundant-guard`

use crate::check::{Guard, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::placement::is_native_form;
use crate::lint::analysis::reduction::limits_repetition;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::source::Spanned;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "redundant-guard",
        severity: Severity::Info,
        title: "a guard that holds nothing back",
        why: "A rule that fires `once` a run needs neither a rest nor a count. One that is due every five \
              iterations has rested for five when it is due again. `cooldown 1 iteration` and `once per iteration` \
              open anew at every call.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" once cooldown 5 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" once }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Mixed,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if !is_native_form(subject) {
        return;
    }
    // A failed summary starts a rest and counts, and is no firing.
    let can_fail = rule.actions.iter().any(|action| action.effect.kind.can_fail());
    for guard in &rule.guards {
        let covered = rule.guards.iter().find_map(|other| Some((other, covers(other, guard, can_fail)?)));
        let message = format!("`{}` holds nothing back here", subject.text(guard.span));
        let (mut finding, safe) = match covered {
            Some((other, safe)) => {
                let finding = LINT.finding(guard.span, message, "changes nothing");
                (finding.label(other.span, "holds the rule back for at least as long"), safe)
            }
            None if rule.phase.comes_once()
                && !limits_repetition(&guard.node)
                && !matches!(guard.node, Guard::Until(_) | Guard::Every(_)) =>
            {
                (LINT.finding(guard.span, message, "opens at every call"), false)
            }
            None => continue,
        };
        if !subject.holds_comment(guard.span) {
            finding.fixes.push(fix("take it out", safe, removal(subject, guard.span)));
        }
        found.push(finding);
    }
}

/// Whether one guard makes another idle, and whether that is sure however often a phase comes in an iteration.
fn covers(one: &Spanned<Guard>, idle: &Spanned<Guard>, can_fail: bool) -> Option<bool> {
    match (&one.node, &idle.node) {
        (Guard::Once, Guard::Limit(_) | Guard::Cooldown(_)) if !can_fail => Some(true),
        (Guard::Every(every), Guard::Cooldown(rest)) if rest <= every => Some(false),
        _ => None,
    }
}
