//! `unit-number`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Unit, abbreviated};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::written_number::numbers;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("unit-number", Severity::Info, include_str!("unit_number.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() {
        return;
    }
    for number in numbers(subject) {
        let Some(word) = &number.unit else { continue };
        let Some(unit) = Unit::from_word(word.node) else { continue };
        let Some(right) = unit.word_for(number.amount).filter(|right| *right != word.node) else { continue };
        let message = format!("`{}` should be `{right}` here", word.node);
        let mut finding = LINT.finding(word.span, message, format!("after {}", abbreviated(number.amount)));
        let edit = TextEdit { span: word.span, text: right.to_owned() };
        finding.fixes.push(fix(format!("write `{right}`"), true, edit));
        findings.push(finding);
    }
}
