//! `summary-failure-removes`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{FailureAction, Rule};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::reduction::removes_older_messages;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("summary-failure-removes", Severity::Info, include_str!("summary_failure_removes.md")),
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(_: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let (FailureAction::Then(action), Some(span)) = (&rule.on_failure.then, rule.clause("on_failure")) else { return };
    if !removes_older_messages(action) || action.effect.kind.can_fail() {
        return;
    }
    let text = match rule.on_failure.retries {
        0 => "on_failure keep".to_owned(),
        retries => format!("on_failure retry {retries} keep"),
    };
    let mut finding = LINT
        .finding(action.span, "a failed summary removes messages", "removes messages without a summary")
        .help("leave the context unchanged with `keep`, or mask results with `then`");
    finding.fixes.push(fix(format!("write `{text}`"), false, TextEdit { span, text }));
    findings.push(finding);
}
