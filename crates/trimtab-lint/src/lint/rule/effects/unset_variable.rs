//! `unset-variable`

use std::collections::BTreeSet;

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, nearest};
use trimtab_base::quantity::Value;
use trimtab_language::check::{Policy, Reading, Rule};
use trimtab_language::effect::LabelRole;
use trimtab_language::fact::Topic;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unset-variable", Severity::Warning, include_str!("unset_variable.md")),
    category: Category::Effects,
    certainty: Certainty::Proved,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let set = variables(policy);
        let readings =
            policy.rules.iter().filter(|rule| rule.span.source == subject.source.id()).flat_map(|rule| rule.readings());
        for reading in readings.filter(|reading| reading.fact.topic == Topic::Variables) {
            let Some(name) = name(reading).filter(|name| !set.contains(name)) else { continue };
            let finding = LINT.finding(reading.span, format!("no rule sets the variable `{name}`"), "always unknown");
            findings.push(match nearest(name, set.iter().copied()) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help(format!("add a rule with `set {name} \"…\"`, or remove the test")),
            });
        }
    }
}

/// The variables that rules set.
fn variables(policy: &Policy) -> BTreeSet<&str> {
    let actions = policy.rules.iter().flat_map(Rule::all_actions);
    actions.filter_map(|action| action.word(LabelRole::Variable)).collect()
}

fn name(reading: &Reading) -> Option<&str> {
    match reading.arguments.first() {
        Some(Value::Text(name)) => Some(name),
        _ => None,
    }
}
