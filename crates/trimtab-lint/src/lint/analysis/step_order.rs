//! The order of actions in a phase: which action precedes which, and whether it always fires first.

use std::collections::HashMap;

use trimtab_base::diagnostic::Diagnostic;
use trimtab_language::check::{Action, Condition, Guard, Rule};
use trimtab_language::condition::{Implication, implies};
use trimtab_language::effect::EffectKind;
use trimtab_language::phase::Phase;

use crate::lint::Subject;
use crate::lint::analysis::effect_scope;

/// The largest number of tests in two conditions that are compared.
const MAX_TESTS: usize = 12;

/// An action of a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActionStep<'a> {
    pub rule: &'a Rule,
    pub action: &'a Action,
}

/// Calls `look` for each action of each policy, in order, with the last preceding action of its phase that counts.
pub(crate) fn for_each_pair<'a>(
    subject: &Subject<'a>,
    counts: impl Fn(&Action) -> bool,
    mut look: impl FnMut(ActionStep<'a>, ActionStep<'a>),
) {
    for policy in &subject.checked.policies {
        let mut last: HashMap<Phase, ActionStep<'a>> = HashMap::new();
        for rule in subject.rules_of(policy) {
            for action in &rule.actions {
                let step = ActionStep { rule, action };
                if let Some(earlier) = last.get(&rule.phase) {
                    look(*earlier, step);
                }
                if counts(action) {
                    last.insert(rule.phase, step);
                }
            }
        }
    }
}

/// Calls `look` for each action with the second effect on results if an earlier action with the first effect affects all
/// of its results. The finding is kept only if the earlier rule is due whenever the later one is.
pub(crate) fn already_reduced<'a>(
    subject: &Subject<'a>,
    (first, second): (EffectKind, EffectKind),
    findings: &mut Vec<Diagnostic>,
    look: impl Fn(ActionStep<'a>, ActionStep<'a>) -> Option<Diagnostic>,
) {
    let is_first = |action: &Action| effect_scope::on_results(action, first);
    for_each_pair(subject, is_first, |earlier, later| {
        let touched = effect_scope::on_results(later.action, second)
            && !effect_scope::is_partial(earlier.action)
            && effect_scope::covers(earlier.action, later.action);
        let finding = touched.then(|| look(earlier, later)).flatten();
        findings.extend(finding.filter(|_| always_preceded_by(subject, later.rule, earlier.rule)));
    });
}

/// Whether the earlier of two rules is due whenever the later one is; false if the conditions are too large to decide
/// quickly.
pub(crate) fn always_preceded_by(subject: &Subject<'_>, later: &Rule, earlier: &Rule) -> bool {
    let held = earlier.guards.iter().any(|guard| !matches!(guard.node, Guard::Until(_)));
    let kept = later.guards.iter().any(|guard| matches!(guard.node, Guard::Until(_)));
    std::ptr::eq(later, earlier) || !held && !kept && within(subject, later, earlier)
}

/// Whether the condition of the second rule holds whenever that of the first does, on any host.
fn within(subject: &Subject<'_>, rule: &Rule, other: &Rule) -> bool {
    if matches!(other.condition, Condition::Constant(true)) {
        return true;
    }
    let few = rule.condition.tests().chain(other.condition.tests()).nth(MAX_TESTS).is_none();
    few && implies(&rule.condition, &other.condition, &subject.assumptions(rule)) == Implication::Proved
}

/// Whether the summary has already been made whenever the later of two rules is due.
pub(crate) fn runs_after_summary(subject: &Subject<'_>, summary: &Rule, later: &Rule) -> bool {
    always_preceded_by(subject, later, summary) || has_threshold_of_summary(subject, summary, later)
}

/// Whether the threshold of the later rule is at least that of an unguarded summary.
fn has_threshold_of_summary(subject: &Subject<'_>, summary: &Rule, later: &Rule) -> bool {
    match (subject.threshold(summary), subject.threshold(later)) {
        (Some(first), Some(second)) => {
            let at_least = first.share.zip(second.share).is_some_and(|(first, second)| second >= first);
            summary.guards.is_empty() && first.reported == second.reported && at_least
        }
        _ => false,
    }
}
