//! `no-minimum-saving`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::LabelRole;
use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::reduction::{is_light, is_native_form, is_rate_limited};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "no-minimum-saving",
        severity: Severity::Info,
        title: "an edit that may save next to nothing",
        why: "An edit of old content makes the provider write everything behind it into its prompt cache again, \
              which costs more than a few hundred tokens less can save. `at_least` lets the rule wait until it \
              pays.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 10 messages down_to 40% }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 10 messages down_to 40% at_least 4k tokens }\n}\n",
    },
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/QwenLM/qwen-code/issues/8464"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// The saving that the fix asks for.
const SAVING: &str = "4k tokens";

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if is_rate_limited(rule) || !is_native_form(subject) {
        return;
    }
    for action in
        rule.actions.iter().filter(|action| is_light(action) && action.label(LabelRole::MinimumSaving).is_none())
    {
        let message = format!("`{}` may rewrite the context for a saving of next to nothing", rule.name);
        let mut finding = LINT
            .finding(action.span, message, "no saving is too small for this")
            .help(format!("say from which saving on it pays, such as `at_least {SAVING}`"));
        let edit = set_label(action, LabelRole::MinimumSaving, SAVING);
        finding.fixes.extend(edit.map(|edit| fix(format!("add `at_least {SAVING}`"), false, edit)));
        found.push(finding);
    }
}
