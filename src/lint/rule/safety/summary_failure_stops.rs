//! `summary-failure-stops`

use crate::check::{FailureAction, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "summary-failure-stops",
        severity: Severity::Info,
        title: "a failed summary ends the run",
        why: "A summariser that is out of reach for a moment ends a run that could have gone on: nothing is lost \
              by a failed summary, and often there is room for many calls yet.",
        wrong: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure stop cooldown 3 iterations }\n}\n",
        right: "edition 2026\npolicy p {\n  rule sum_up { when context.ratio >= 80% do summarise older keep 10 messages at_most 2k tokens on_failure keep cooldown 3 iterations }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    pedantic: true,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let (FailureAction::Stop, Some(clause)) = (&rule.on_failure.then, rule.clause("on_failure")) else { return };
    let mut finding = LINT
        .finding(clause, "a failed summary ends the run", "stops")
        .help("let everything stay as it was with `keep`, or use a cheaper effect with `then`");
    let text = subject.text(clause);
    if let Some(before) = text.strip_suffix("stop").filter(|_| !subject.holds_comment(clause)) {
        let edit = TextEdit { span: clause, text: format!("{before}keep") };
        finding.fixes.push(fix("write `keep`", false, edit));
    }
    found.push(finding);
}
