//! `cache-trickle`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::{Action, Rule};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::reduction::{edits_a_little, is_rate_limited, never_ends, stays_true};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("cache-trickle", Severity::Warning, include_str!("cache_trickle.md")),
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    evidence: &[
        "https://github.com/QwenLM/qwen-code/issues/8463",
        "https://github.com/langchain-ai/langchain/issues/37815",
    ],
    supersedes: &["no-minimum-saving"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// The minimum saving that the fix adds.
const SAVING: &str = "4k tokens";

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    if !rule.phase.runs_once_per_iteration() || is_rate_limited(subject, rule) || !stays_true(subject, rule) {
        return;
    }
    // In YAML a trim has no option that would make it fire less often.
    let has_option = |action: &Action| subject.is_policy_source() || action.effect.kind != EffectKind::CutContent;
    for action in rule.actions.iter().filter(|action| edits_a_little(action) && has_option(action)) {
        findings.push(finding(subject, rule, action));
    }
}

fn finding(subject: &Subject<'_>, rule: &Rule, action: &Action) -> Diagnostic {
    let message = format!("`{}` edits a little of the context at every call", rule.name);
    let ends = !never_ends(subject, rule);
    let here = if ends {
        "due again at the next call, which edits what has just left the kept tail"
    } else {
        "always due, so each call edits what has just left the kept tail"
    };
    let help =
        format!("wait until the edit pays off: add `at_least {SAVING}`, or a threshold such as `context.ratio >= 60%`");
    let mut finding = LINT.finding(action.span, message, here).help(help);
    if let Some(when) = rule.clause("when") {
        let holds = if ends {
            "one call is enough for this to hold again"
        } else {
            "nothing that the rule does ends this condition"
        };
        finding = finding.label(when, holds);
    }
    let edit = set_label(action, LabelRole::MinimumSaving, SAVING);
    finding.fixes.extend(edit.map(|edit| fix(format!("add `at_least {SAVING}`"), false, edit)));
    finding
}
