//! `no-minimum-saving`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::reduction::{edits_cached, is_rate_limited};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-minimum-saving", Severity::Info, include_str!("no_minimum_saving.md")),
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/QwenLM/qwen-code/issues/8464"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// The minimum saving that the fix adds.
const SAVING: &str = "4k tokens";

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if is_rate_limited(subject, rule) || !subject.is_policy_source() {
        return;
    }
    for action in
        rule.actions.iter().filter(|action| edits_cached(action) && action.label(LabelRole::MinimumSaving).is_none())
    {
        let message = format!("`{}` may edit the context for almost no saving", rule.name);
        let mut finding = LINT
            .finding(action.span, message, "has no minimum saving")
            .help(format!("add a minimum saving, such as `at_least {SAVING}`"));
        let edit = set_label(action, LabelRole::MinimumSaving, SAVING);
        finding.fixes.extend(edit.map(|edit| fix(format!("add `at_least {SAVING}`"), false, edit)));
        findings.push(finding);
    }
}
