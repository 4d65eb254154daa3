//! `redundant-guard`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Type, Unit};
use trimtab_language::check::{Guard, Reading, Rule, RuleGuard};
use trimtab_language::fact::{Falls, Rises, Scope};

use crate::lint::analysis::edit::{fix, removal};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("redundant-guard", Severity::Info, include_str!("redundant_guard.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Mixed,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() {
        return;
    }
    for guard in &rule.guards {
        let covered = rule.guards.iter().find(|other| covers(rule, other, guard));
        let message = format!("`{}` has no effect here", subject.quote(guard.span));
        let (mut finding, safe) = match covered {
            Some(other) => {
                let finding = LINT.finding(guard.span, message, "redundant guard");
                (finding.label(other.span, "limits the rule at least as much"), other.scope == guard.scope)
            }
            None if rule.phase.runs_once_per_iteration() && allows_every_call(guard) => {
                (LINT.finding(guard.span, message, "allows every call"), false)
            }
            None => continue,
        };
        finding.fixes.push(fix("remove it", safe, removal(subject, guard.span)));
        findings.push(finding);
    }
}

/// Whether a guard never blocks a rule in a phase that runs once in an iteration. A size of the context falls when it is
/// reduced, so it does not rise from call to call.
fn allows_every_call(guard: &RuleGuard) -> bool {
    match &guard.node {
        // In another run, a count may be lower, and the first call may have the number of one that a stop prevented.
        _ if guard.scope == Scope::Session => false,
        Guard::OncePer(reading) => counts_every_call(reading),
        Guard::Cooldown(iterations) => *iterations <= 1,
        Guard::Once | Guard::OnceUntil(_) | Guard::Until(_) | Guard::Every(_) | Guard::Limit(_) => false,
    }
}

/// Whether a fact is certainly above its values at all earlier calls of a run. A reply may use no tokens, cost nothing and
/// have the timestamp of the one before it, so only counts are.
fn counts_every_call(reading: &Reading) -> bool {
    let fact = reading.fact;
    let is_count = matches!(fact.ty, Type::Number(Unit::Counted(_))) && !fact.is_optional();
    is_count && fact.rises == Rises::EveryCall && fact.falls(&reading.arguments) == Falls::Never
}

/// Whether one guard of a rule makes another redundant.
fn covers(rule: &Rule, guard: &RuleGuard, idle: &RuleGuard) -> bool {
    match (&guard.node, &idle.node) {
        // A failed summary starts a cooldown and counts for `limit`, but it is not a firing.
        (Guard::Once, Guard::Limit(_) | Guard::Cooldown(_)) => {
            guard.scope >= idle.scope && !rule.actions.iter().any(|action| action.effect.kind.can_fail())
        }
        // A phase that runs several times in an iteration is limited only by the cooldown, and so is the first call of a run
        // that has the number of one that a stop prevented.
        (Guard::Every(every), Guard::Cooldown(rest)) => {
            let is_after_stop = guard.scope == Scope::Session && idle.scope == Scope::Session;
            rest <= every && rule.phase.runs_once_per_iteration() && !is_after_stop
        }
        _ => false,
    }
}
