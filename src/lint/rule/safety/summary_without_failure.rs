//! `summary-without-failure`

use crate::check::Rule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::clause_after;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "summary-without-failure",
        severity: Severity::Warning,
        title: "a summary that may fail, and nothing said of it",
        why: "A summariser can be slow, refuse, or give back more than it got. Then everything stays as it was and \
              the context stays full. Saying `on_failure keep` changes nothing, and says that somebody has thought \
              of it.",
        wrong: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure keep cooldown 3 iterations }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let Some(summary) = rule.actions.iter().find(|action| action.effect.kind.can_fail()) else { return };
    if rule.clause("on_failure").is_some() {
        return;
    }
    let message = format!("`{}` may fail, and the rule does not say what happens then", summary.effect.name);
    let mut finding = LINT
        .finding(summary.span, message, "asks a summariser")
        .help("`on_failure keep` leaves everything as it was; `then` names an effect in its place");
    let edit = rule.clause("do").map(|span| clause_after(subject, span, "on_failure keep"));
    finding.fixes.extend(edit.map(|edit| fix("add `on_failure keep`", true, edit)));
    found.push(finding);
}
