//! `injection-every-call`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Condition, Rule};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::new_clause;
use crate::lint::analysis::reduction::limits_repetition;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("injection-every-call", Severity::Warning, include_str!("injection_every_call.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let mut actions = rule.actions.iter().filter(|_| rule.phase.runs_once_per_iteration());
    let Some(action) = actions.find(|action| effect_scope::injects(action)) else { return };
    let free = !rule.guards.iter().any(|guard| limits_repetition(&guard.node));
    if !free || rule.condition != Condition::Constant(true) {
        return;
    }
    let mut finding = LINT
        .finding(action.span, "this message is injected at every call", "each copy stays in the conversation")
        .help("add a condition or a guard, or `for step` so that it is not kept");
    let edit = new_clause(subject, rule, "every 10 iterations");
    finding.fixes.extend(edit.map(|edit| fix("inject it only every 10 iterations", false, edit)));
    findings.push(finding);
}
