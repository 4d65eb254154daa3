//! `no-single-result-limit`

use super::layout::{new_rule, policy_name};
use super::reach;
use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "no-single-result-limit",
        severity: Severity::Info,
        title: "nothing that cuts one huge result",
        why: "A single result can be larger than all the room that is left, and masks and summaries leave the \
              newest messages alone. Only a cut bounds what one call can bring in.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n  rule cut { on reply do trim results to 20k chars keep 1 result }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: Remedy::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/langchain-ai/deepagents/pull/3405"],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let own = subject.source.id();
    for policy in subject.checked.policies.iter().filter(|policy| policy.span.source == own) {
        if policy.rules.iter().any(guards_against_it) {
            continue;
        }
        let message = format!("`{}` cuts no result", policy.name);
        let mut finding = LINT
            .finding(policy_name(subject, policy), message, "no rule cuts a result that is larger than the room")
            .help("add a rule that does `trim results`");
        let clauses = ["do trim results to 20k chars keep 1 result"];
        let edit = new_rule(subject, policy, "cut_huge_results", "One result must not take all the room.", &clauses);
        finding.fixes.extend(edit.map(|edit| fix("add a cut at 20k chars", false, edit)));
        found.push(finding);
    }
}

/// Whether a rule does what is missed.
fn guards_against_it(rule: &Rule) -> bool {
    reach::actions(rule).any(|action| matches!(action.effect.name, "trim" | "slide"))
}
