//! `empty-selection`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::{LabelRole, TargetKind};

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("empty-selection", Severity::Error, include_str!("empty_selection.md")),
    category: Category::Effects,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let Some(only) = action.names(LabelRole::OnlyTools) else { continue };
        let except = action.names(LabelRole::ExceptTools).unwrap_or_default();
        let chooses = action.target_kind().is_some_and(|target| target.is_of_results() || target == TargetKind::Calls);
        if chooses && effect_scope::within(only, except) {
            findings.extend(empty(subject, action, only.is_empty()));
        }
    }
}

fn empty(subject: &Subject<'_>, action: &Action, names_none: bool) -> Option<Diagnostic> {
    let only = action.place(LabelRole::OnlyTools)?;
    let message = format!("`{}` selects no tool", action.effect.name);
    if names_none {
        let mut finding = LINT.finding(only, message, "names no tool").help("name tools, or remove `only`");
        finding.fixes.extend(remove_label(subject, only, "remove `only`", false));
        return Some(finding);
    }
    let except = action.place(LabelRole::ExceptTools)?;
    let mut finding = LINT
        .finding(except, message, "excludes all tools of `only`")
        .label(only, "selects these tools")
        .help("remove `except`, or name other tools");
    finding.fixes.extend(remove_label(subject, except, "remove `except`", false));
    Some(finding)
}
