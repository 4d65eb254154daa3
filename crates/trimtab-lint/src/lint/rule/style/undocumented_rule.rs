//! `undocumented-rule`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("undocumented-rule", Severity::Info, include_str!("undocumented_rule.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    pedantic: true,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let source = subject.source;
    for (_, rule) in subject.rules().filter(|_| subject.is_policy_source()) {
        let number = source.position(rule.span.start).line;
        let begins_line = source.line_start(number) == rule.span.start as usize;
        let is_passed_over = |line: &&str| begins_line && !line.is_empty() && line.trim().is_empty();
        let line = (1..number).rev().map(|number| source.line(number)).find(|line| !is_passed_over(line));
        if !line.is_some_and(|line| line.trim_start().starts_with("#:")) {
            let message = format!("rule `{}` has no documentation", rule.name);
            let finding = LINT.finding(rule.head, message, "no `#:` line above this rule");
            findings.push(finding.help("add a line `#: why` above the rule"));
        }
    }
}
