//! `uneven-event-fields`

use std::collections::{BTreeMap, BTreeSet};

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::LabelRole;

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("uneven-event-fields", Severity::Warning, include_str!("uneven_event_fields.md")),
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let mut first: BTreeMap<&str, &Action> = BTreeMap::new();
        for action in policy.rules.iter().flat_map(Rule::all_actions) {
            let Some(event) = action.word(LabelRole::EventName) else { continue };
            let other = *first.entry(event).or_insert(action);
            if names(other) != names(action) && action.span.source == subject.source.id() {
                findings.push(finding(event, other, action));
            }
        }
    }
}

fn names(action: &Action) -> BTreeSet<&str> {
    action.fields().map(|(name, _)| name.as_str()).collect()
}

fn finding(event: &str, other: &Action, action: &Action) -> Diagnostic {
    let (here, there) = (names(action), names(other));
    let listed = |names: &BTreeSet<&str>, without: &BTreeSet<&str>| {
        names.difference(without).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    };
    let (more, fewer) = (listed(&here, &there), listed(&there, &here));
    let difference = match (more.is_empty(), fewer.is_empty()) {
        (true, _) => format!("lacks {fewer}"),
        (_, true) => format!("has {more} as well"),
        _ => format!("has {more} instead of {fewer}"),
    };
    LINT.finding(action.span, format!("the event `{event}` has different fields in two places"), difference)
        .label(other.span, "the other fields")
        .help("list the same fields, or give one of the events another name")
}
