//! `nudge-without-stop`

use super::layout::new_rule;
use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use super::{reach, reading};
use crate::diagnostic::{Code, Diagnostic, Severity};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "nudge-without-stop",
        severity: Severity::Info,
        title: "messages for a stuck agent, and nothing that stops it",
        why: "A message does not always help. An agent that goes on regardless costs money until somebody looks; a \
              limit ends it.",
        wrong: "edition 2026\npolicy p {\n  rule nudge { when repeats >= 3 do inject \"Try something else.\" once per repeats }\n}\n",
        right: "edition 2026\npolicy p {\n  rule nudge { when repeats >= 3 do inject \"Try something else.\" once per repeats }\n  rule give_up { when repeats(in: run) >= 8 do stop \"the agent is stuck\" }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: Remedy::Unsafe,
    pedantic: true,
    evidence: &["https://github.com/openclaw/openclaw/pull/17118"],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

/// The facts that tell of a stuck agent.
const STUCK: &[&str] = &["repeats", "failures", "failures.steps", "failures.total"];

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let stops = policy.rules.iter().flat_map(reach::actions).any(|action| action.effect.name == "stop");
        let nudge = policy.rules.iter().find(|rule| {
            rule.actions.iter().any(|action| action.effect.name == "inject") && reading::reads(rule, STUCK)
        });
        let Some(nudge) = nudge.filter(|_| !stops) else { continue };
        let message = format!("`{}` warns a stuck agent, and nothing stops it", nudge.name);
        let mut finding = LINT.finding(nudge.head, message, "only speaks").help("add a rule that does `stop`");
        let clauses = ["when failures.total >= 20", "do stop \"20 tool calls of this run have failed\""];
        let edit = new_rule(
            subject,
            policy,
            "give_up",
            "An agent that is stuck for good costs money until it is stopped.",
            &clauses,
        );
        finding.fixes.extend(edit.map(|edit| fix("add a rule that stops the run", false, edit)));
        found.push(finding);
    }
}
