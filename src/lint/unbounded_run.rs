//! `unbounded-run`

use super::layout::{new_rule, policy_name};
use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use super::{reach, reading};
use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "unbounded-run",
        severity: Severity::Info,
        title: "nothing that ends a long run",
        why: "An agent that never finds an end is stopped by nothing in this policy: no limit on calls, tokens, \
              money, time or errors. Runs of this kind have cost much before somebody noticed.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results }\n  rule enough { when budget.calls >= 200 do stop \"200 calls\" }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: Remedy::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/openclaw/openclaw/pull/17118"],
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
        let message = format!("`{}` ends no run", policy.name);
        let mut finding = LINT
            .finding(policy_name(subject, policy), message, "no rule stops a run that goes on and on")
            .help("add a rule that does `stop` on a budget");
        let clauses = ["when budget.calls >= 200", "do stop \"200 calls in one run\""];
        let edit = new_rule(subject, policy, "over_budget", "An agent that finds no end is stopped.", &clauses);
        finding.fixes.extend(edit.map(|edit| fix("add a limit of 200 calls", false, edit)));
        found.push(finding);
    }
}

/// Whether a rule does what is missed.
fn guards_against_it(rule: &Rule) -> bool {
    let limits = ["iteration", "budget.", "session.", "failures", "failures.", "repeats"];
    reach::actions(rule).any(|action| action.effect.name == "stop") && reading::reads(rule, &limits)
}
