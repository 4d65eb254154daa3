//! `summary-without-failure`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::check::Rule;

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::clause_after;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "summary-without-failure",
        severity: Severity::Warning,
        title: "summary without `on_failure`",
        why: "A summariser can be slow, refuse, or return more than it was given. Then the context stays \
              as it is and stays full. `on_failure keep` is the default; writing it shows that the failure \
              was considered.",
        wrong: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure keep cooldown 3 iterations }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some(summary) = rule.actions.iter().find(|action| action.effect.kind.can_fail()) else { return };
    if rule.clause("on_failure").is_some() {
        return;
    }
    let message = format!("`{}` may fail, and the rule has no `on_failure`", summary.effect.name);
    let mut finding = LINT
        .finding(summary.span, message, "needs a summariser")
        .help("`on_failure keep` leaves the context unchanged; `on_failure then` applies another effect");
    let edit = rule.clause("do").map(|span| clause_after(subject, span, "on_failure keep"));
    finding.fixes.extend(edit.map(|edit| fix("add `on_failure keep`", true, edit)));
    findings.push(finding);
}
