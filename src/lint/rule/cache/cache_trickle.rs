//! `cache-trickle`

use crate::check::{Action, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::{EffectKind, LabelRole};
use crate::lint::analysis::edit::{fix, set_label};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::reduction::{is_light, is_rate_limited, stays_true};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "cache-trickle",
        severity: Severity::Warning,
        title: "a little of the prefix rewritten at every call",
        why: "Nothing in this rule ends once it is due, so each call touches the one result that has just left the \
              kept tail. Every such edit lies far from the end, and the provider writes all behind it into its \
              prompt cache anew.",
        wrong: "edition 2026\npolicy p {\n  rule a { do mask results keep 10 messages }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { do mask results keep 10 messages at_least 4k tokens }\n}\n",
    },
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

/// The saving that the fix asks for.
const SAVING: &str = "4k tokens";

fn check(_: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    if is_rate_limited(rule) || !stays_true(&rule.condition, true) {
        return;
    }
    for action in rule.actions.iter().filter(|action| trickles(action)) {
        found.push(finding(rule, action));
    }
}

/// Whether an action finds a little to do at nearly every call. A trim does so only when it has a target to go down to:
/// it touches none but long results. A tail of interactions moves once a run.
fn trickles(action: &Action) -> bool {
    let often = action.effect.kind == EffectKind::ReplaceContent || action.label(LabelRole::Goal).is_some();
    is_light(action)
        && often
        && !effect_scope::keeps_interactions(action)
        && action.label(LabelRole::MinimumSaving).is_none()
}

fn finding(rule: &Rule, action: &Action) -> Diagnostic {
    let message = format!("`{}` rewrites a little of the context at every call", rule.name);
    let here = "due for ever, so each call touches what has just left the tail";
    let help = format!("wait until it pays: `at_least {SAVING}`, or a threshold such as `context.ratio >= 60%`");
    let mut finding = LINT.finding(action.span, message, here).help(help);
    if let Some(when) = rule.clause("when") {
        finding = finding.label(when, "once this holds, no edit ends it");
    }
    let edit = set_label(action, LabelRole::MinimumSaving, SAVING);
    finding.fixes.extend(edit.map(|edit| fix(format!("add `at_least {SAVING}`"), false, edit)));
    finding
}
