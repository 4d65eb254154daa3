//! `end-never-holds`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{Guard, Rule};
use trimtab_language::condition::{SearchResult, find};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::guard_scope::scope_text;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("end-never-holds", Severity::Warning, include_str!("end_never_holds.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Mixed,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for guard in &rule.guards {
        let (Guard::Until(end) | Guard::OnceUntil(end)) = &guard.node else { continue };
        if !matches!(find(end, &subject.assumptions(rule)), SearchResult::Impossible) {
            continue;
        }
        let once = matches!(guard.node, Guard::OnceUntil(_));
        let period = guard.scope.word();
        let here = if once {
            format!("so the rule fires once per {period}")
        } else {
            format!("so the rule stays active for the whole {period}")
        };
        let mut finding = LINT.finding(guard.span, "this `until` condition can never hold", here);
        let assumed = subject.assumed(rule, |host| matches!(find(end, host), SearchResult::Impossible));
        if once {
            let text = format!("once{}", scope_text(guard));
            let title = format!("write `{text}`, which is equivalent");
            finding.fixes.push(fix(title, assumed.is_none(), TextEdit { span: guard.span, text }));
        }
        finding.notes.extend(assumed);
        findings.push(finding.help("use a condition that can hold"));
    }
}
