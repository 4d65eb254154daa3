//! `end-never-holds`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_language::check::{Guard, Rule};
use trimtab_language::condition::{SearchResult, find};

use crate::lint::analysis::edit::fix;
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
        if !matches!(find(end, &subject.world(rule)), SearchResult::Impossible) {
            continue;
        }
        let once = matches!(guard.node, Guard::OnceUntil(_));
        let here = if once { "so the rule fires once per run" } else { "so the rule stays active for the whole run" };
        let mut finding = LINT.finding(guard.span, "this `until` condition can never hold", here);
        let assumed = subject.assumed(rule, |host| matches!(find(end, host), SearchResult::Impossible));
        if once {
            let edit = TextEdit { span: guard.span, text: "once".to_owned() };
            finding.fixes.push(fix("write `once`, which is equivalent", assumed.is_none(), edit));
        }
        finding.notes.extend(assumed);
        findings.push(finding.help("use a condition that can hold"));
    }
}
