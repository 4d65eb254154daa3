//! `stop-without-nudge`

use super::layout::new_rule;
use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use super::{reach, reading};
use crate::diagnostic::{Code, Diagnostic, Severity};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "stop-without-nudge",
        severity: Severity::Info,
        title: "a stop without a word before it",
        why: "The run is ended for something that the model could have mended, had it been told. A message at a \
              lower count often saves the run.",
        wrong: "edition 2026\npolicy p {\n  rule give_up { when failures >= 6 do stop \"six errors in a row\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule nudge { when failures >= 3 do inject \"Think first.\" once per failures }\n  rule give_up { when failures.total >= 6 do stop \"six errors\" }\n}\n",
    },
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: Remedy::Unsafe,
    pedantic: true,
    evidence: &[],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

/// The facts that tell of a stuck agent.
const STUCK: &[&str] = &["repeats", "failures", "failures.steps", "failures.total"];

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let nudges = policy.rules.iter().flat_map(reach::actions).any(|action| action.effect.name == "inject");
        let stop = policy
            .rules
            .iter()
            .find(|rule| rule.actions.iter().any(|action| action.effect.name == "stop") && reading::reads(rule, STUCK));
        let Some(stop) = stop.filter(|_| !nudges) else { continue };
        let message = format!("`{}` stops a stuck agent without a word before", stop.name);
        let mut finding =
            LINT.finding(stop.head, message, "stops at once").help("add a rule that does `inject` at a lower count");
        let text = "do inject \"{failures} errors in a row: name the cause before the next call.\" for step";
        let edit = new_rule(
            subject,
            policy,
            "reflect",
            "An agent that is stuck is told so before its context fills with more of the same.",
            &["when failures >= 2", text, "once per failures"],
        );
        finding.fixes.extend(edit.map(|edit| fix("add a rule that speaks first", false, edit)));
        found.push(finding);
    }
}
