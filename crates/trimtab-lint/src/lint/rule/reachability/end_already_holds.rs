//! `end-already-holds`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Guard, Rule};
use trimtab_language::condition::{Decision, Implication, implies};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("end-already-holds", Severity::Warning, include_str!("end_already_holds.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !matches!(subject.decision(rule), Some(Decision::Sometimes { .. })) {
        return;
    }
    for guard in &rule.guards {
        let Guard::OnceUntil(end) = &guard.node else { continue };
        if matches!(implies(&rule.condition, end, &subject.assumptions(rule)), Implication::Proved) {
            let message = "this guard limits nothing".to_owned();
            let mut finding = LINT.finding(guard.span, message, "this condition holds whenever the rule is due");
            if let Some(when) = rule.clause("when") {
                finding = finding.label(when, "the condition of the rule");
            }
            let holds = |host: &_| matches!(implies(&rule.condition, end, host), Implication::Proved);
            finding.notes.extend(subject.assumed(rule, holds));
            findings.push(
                finding.help(
                    "use a condition that holds when the problem is over, for example with the comparison reversed",
                ),
            );
        }
    }
}
