//! `offload-without-recall`

use smol_str::SmolStr;
use trimtab_base::conversation::{RECALL_TOOL, any_matches};
use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::source::Span;
use trimtab_language::check::{Action, Label, Policy, Rule};
use trimtab_language::condition::Decision;
use trimtab_language::effect::{LabelDefault, LabelRole};

use crate::lint::analysis::edit::{add_to_list, fix};
use crate::lint::analysis::recall::offloads;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("offload-without-recall", Severity::Warning, include_str!("offload_without_recall.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in subject.checked.policies.iter().filter(|policy| offloads(policy)) {
        let is_offered = is_offered(policy);
        for rule in subject.rules_of(policy) {
            for action in rule.all_actions().filter(|action| is_lasting(subject, rule, action)) {
                findings.extend(hidden(action).or_else(|| if is_offered { None } else { left_out(subject, action) }));
            }
        }
    }
}

/// Whether a choice of tools applies to more than single requests.
fn is_lasting(subject: &Subject<'_>, rule: &Rule, action: &Action) -> bool {
    let is_longer = |label: &Label| match label.descriptor.default {
        LabelDefault::Word(step) => label.argument.word() != Some(step),
        _ => false,
    };
    let mut lifetimes = action.labels.iter().filter(|label| label.descriptor.role == Some(LabelRole::Lifetime));
    lifetimes.any(is_longer) || (rule.guards.is_empty() && matches!(subject.decision(rule), Some(Decision::Always)))
}

/// Whether a rule chooses tools with the one that recalls among them. That ends an earlier choice, but a hidden tool stays hidden.
fn is_offered(policy: &Policy) -> bool {
    let actions = policy.rules.iter().flat_map(Rule::all_actions);
    let mut choices = actions.filter_map(|action| action.names(LabelRole::OfferedTools));
    choices.any(|names| !names.is_empty() && is_recall(names))
}

fn hidden(action: &Action) -> Option<Diagnostic> {
    let _recall = action.names(LabelRole::HiddenTools).filter(|names| is_recall(names))?;
    let place = action.place(LabelRole::HiddenTools).unwrap_or(action.span);
    Some(finding(place, "hidden here").help("do not hide it, or do not offload results"))
}

/// A finding for a choice of tools without the one that recalls.
fn left_out(subject: &Subject<'_>, action: &Action) -> Option<Diagnostic> {
    let place = action.place(LabelRole::OfferedTools)?;
    let mut finding = finding(place, "not among the offered tools").help(format!("add `{RECALL_TOOL}` to the list"));
    finding
        .fixes
        .extend(add_to_list(subject, place, RECALL_TOOL).map(|edit| fix(format!("add `{RECALL_TOOL}`"), false, edit)));
    Some(finding)
}

fn finding(place: Span, here: &str) -> Diagnostic {
    LINT.finding(place, format!("the agent cannot recall offloaded results without the tool `{RECALL_TOOL}`"), here)
}

fn is_recall(names: &[SmolStr]) -> bool {
    any_matches(names.iter().map(SmolStr::as_str), RECALL_TOOL)
}
