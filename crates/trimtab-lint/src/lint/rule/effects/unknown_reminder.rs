//! `unknown-reminder`

use std::collections::BTreeSet;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity, nearest};
use trimtab_language::check::{Action, Policy, Rule};
use trimtab_language::effect::LabelRole;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unknown-reminder", Severity::Warning, include_str!("unknown_reminder.md")),
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(tools) = &subject.checked.agent.tools else { return };
    for policy in &subject.checked.policies {
        let known: BTreeSet<&str> = tools.iter().map(SmolStr::as_str).chain(named(policy)).collect();
        let own = policy.rules.iter().filter(|rule| rule.span.source == subject.source.id());
        for action in own.flat_map(Rule::all_actions) {
            let items = action.names(LabelRole::Reminded).unwrap_or_default();
            for item in items.iter().filter(|item| !known.contains(item.as_str())) {
                findings.push(finding(action, item, &known));
            }
        }
    }
}

/// The sections and variables that rules name.
fn named(policy: &Policy) -> impl Iterator<Item = &str> {
    let actions = policy.rules.iter().flat_map(Rule::all_actions);
    actions.flat_map(|action| {
        let sections = [LabelRole::ShownSections, LabelRole::HiddenSections];
        let sections = sections.into_iter().filter_map(|role| action.names(role)).flatten().map(SmolStr::as_str);
        sections.chain(action.word(LabelRole::Variable))
    })
}

fn finding(action: &Action, item: &SmolStr, known: &BTreeSet<&str>) -> Diagnostic {
    let span = action.place(LabelRole::Reminded).unwrap_or(action.span);
    let finding = LINT.finding(span, format!("nothing is known by the name `{item}`"), "left out of the reminder");
    match nearest(item, known.iter().copied()) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help("name a tool of the `agent` block, a section or a variable"),
    }
}
