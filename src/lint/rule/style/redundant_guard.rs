//! `redundant-guard`

use crate::check::{Guard, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::{fix, removal};
use crate::lint::analysis::reduction::limits_repetition;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::source::Spanned;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "redundant-guard",
        severity: Severity::Info,
        title: "guard without effect",
        why: "A rule that fires `once` per run needs neither `cooldown` nor `limit`. A rule that is due \
              every five iterations needs no cooldown of five or fewer. `cooldown 1 iteration` and `once \
              per iteration` allow every call.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" once cooldown 5 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do notify \"x\" once }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Mixed,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !subject.is_native_form() {
        return;
    }
    // A failed summary starts a cooldown and counts for `limit`, but it is not a firing.
    let can_fail = rule.actions.iter().any(|action| action.effect.kind.can_fail());
    for guard in &rule.guards {
        let covered = rule.guards.iter().find_map(|other| Some((other, covers(other, guard, can_fail)?)));
        let message = format!("`{}` has no effect here", subject.quote(guard.span));
        let (mut finding, safe) = match covered {
            Some((other, safe)) => {
                let finding = LINT.finding(guard.span, message, "redundant guard");
                (finding.label(other.span, "limits the rule at least as much"), safe)
            }
            None if rule.phase.comes_once()
                && !limits_repetition(&guard.node)
                && !matches!(guard.node, Guard::Until(_) | Guard::Every(_)) =>
            {
                (LINT.finding(guard.span, message, "allows every call"), false)
            }
            None => continue,
        };
        finding.fixes.push(fix("remove it", safe, removal(subject, guard.span)));
        findings.push(finding);
    }
}

/// Whether one guard makes another redundant: `Some(true)` if that is certain however often the phase occurs in an
/// iteration.
fn covers(guard: &Spanned<Guard>, idle: &Spanned<Guard>, can_fail: bool) -> Option<bool> {
    match (&guard.node, &idle.node) {
        (Guard::Once, Guard::Limit(_) | Guard::Cooldown(_)) if !can_fail => Some(true),
        (Guard::Every(every), Guard::Cooldown(rest)) if rest <= every => Some(false),
        _ => None,
    }
}
