//! `unreachable-after-stop`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Guard, Rule};
use trimtab_language::condition::{Implication, due, implies};
use trimtab_language::effect::EffectKind;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unreachable-after-stop", Severity::Warning, include_str!("unreachable_after_stop.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// How many stops of a phase are considered; most policies have one or two.
const MAX_STOPS: usize = 8;

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        for rules in Subject::phases(policy).into_values() {
            let mut stops: Vec<&Rule> = Vec::new();
            for rule in rules {
                if rule.span.source == subject.source.id()
                    && let Some(stop) = stops.iter().find(|stop| comes_first(subject, stop, rule))
                {
                    let message = format!("rule `{}` is never evaluated when it would be due", rule.name);
                    let mut finding = LINT.finding(rule.head, message, "whenever this rule is due");
                    let comes_first =
                        |host: &_| matches!(implies(&due(rule), &stop.condition, host), Implication::Proved);
                    finding.notes.extend(subject.assumed(rule, comes_first));
                    let label = format!("`{}` stops the run first", stop.name);
                    findings.push(
                        finding.label(stop.head, label).help("move the rule before the stop, or make it due earlier"),
                    );
                }
                // If an earlier action of the rule fails, the stop is not reached.
                let mut sure = rule.actions.iter().take_while(|action| !action.effect.kind.can_fail());
                let stops_always = rule.guards.is_empty() && sure.any(|action| action.effect.kind == EffectKind::Stop);
                if stops_always && stops.len() < MAX_STOPS {
                    stops.push(rule);
                }
            }
        }
    }
}

fn comes_first(subject: &Subject<'_>, stop: &Rule, rule: &Rule) -> bool {
    let latched = rule.guards.iter().any(|guard| matches!(guard.node, Guard::Until(_)));
    !latched
        && subject.can_hold(rule)
        && matches!(implies(&due(rule), &stop.condition, &subject.assumptions(rule)), Implication::Proved)
}
