//! `large-number`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Decimal, abbreviated};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::written_number::numbers;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("large-number", Severity::Info, include_str!("large_number.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for number in numbers(subject).iter().filter(|_| subject.is_policy_source()) {
        let written = subject.text(number.span);
        let short = abbreviated(number.amount);
        let digits = written.chars().all(|c| c.is_ascii_digit() || c == '_');
        if number.amount < Decimal::from(10_000) || !digits || short.len() >= written.len() {
            continue;
        }
        let mut finding =
            LINT.finding(number.span, format!("`{written}` is hard to read"), format!("the same as `{short}`"));
        let edit = TextEdit { span: number.span, text: short.clone() };
        finding.fixes.push(fix(format!("write `{short}`"), true, edit));
        findings.push(finding);
    }
}
