//! `empty-selection`

use crate::check::{Action, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::{LabelRole, Scope};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "empty-selection",
        severity: Severity::Error,
        title: "a choice of tools that leaves none",
        why: "`only` names the tools whose results are touched and `except` takes some away again. Here it takes \
              all of them away, so the effect never finds anything.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results only [bash, grep] except [bash, grep, read_file] }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results only [bash, grep] }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    for action in rule.all_actions() {
        let Some(only) = action.names(LabelRole::OnlyTools) else { continue };
        let except = action.names(LabelRole::ExceptTools).unwrap_or_default();
        let chooses = matches!(action.scope(), Some(Scope::Results | Scope::Calls));
        if chooses && effect_scope::within(only, except) {
            found.extend(empty(subject, action, only.is_empty()));
        }
    }
}

fn empty(subject: &Subject<'_>, action: &Action, names_none: bool) -> Option<Diagnostic> {
    let only = action.place(LabelRole::OnlyTools)?;
    let message = format!("no tool is left for `{}`", action.effect.name);
    if names_none {
        let mut finding = LINT.finding(only, message, "names no tool").help("name tools, or take `only` out");
        finding.fixes.extend(remove_label(subject, only, "take `only` out", false));
        return Some(finding);
    }
    let except = action.place(LabelRole::ExceptTools)?;
    let mut finding = LINT
        .finding(except, message, "takes away all that `only` names")
        .label(only, "names these tools")
        .help("take `except` out, or name other tools");
    finding.fixes.extend(remove_label(subject, except, "take `except` out", false));
    Some(finding)
}
