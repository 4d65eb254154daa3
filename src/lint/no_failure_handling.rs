//! `no-failure-handling`

use super::layout::{new_rule, policy_name};
use super::reading;
use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "no-failure-handling",
        severity: Severity::Info,
        title: "nothing that heeds errors or circles",
        why: "No rule looks at errors in a row or at repeated calls. An agent that is stuck fills its context with \
              more of the same, and the other rules only make room for it.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n  rule reflect { when failures >= 3 do inject \"Name the cause.\" once per failures }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: Remedy::Unsafe,
    pedantic: true,
    evidence: &[],
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
        let message = format!("`{}` heeds neither errors nor repeated calls", policy.name);
        let mut finding = LINT
            .finding(policy_name(subject, policy), message, "no rule reads `failures` or `repeats`")
            .help("add a rule that speaks to an agent that is stuck");
        let clauses = [
            "when failures >= 3",
            "do inject \"{failures} errors in a row: name the cause before the next call.\"",
            "once per failures",
        ];
        let edit = new_rule(
            subject,
            policy,
            "reflect",
            "An agent that is stuck is told so before its context fills with more of the same.",
            &clauses,
        );
        finding.fixes.extend(edit.map(|edit| fix("add a rule on errors in a row", false, edit)));
        found.push(finding);
    }
}

/// Whether a rule does what is missed.
fn guards_against_it(rule: &Rule) -> bool {
    reading::reads(rule, &["repeats", "failures", "failures."])
}
