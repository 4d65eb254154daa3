//! `large-number`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Decimal, abbreviated};

use crate::lint::analysis::edit::fix;
use crate::lint::analysis::written_number::numbers;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "large-number",
        severity: Severity::Info,
        title: "long number without a magnitude suffix",
        why: "`200000` and `2000000` look alike, and a threshold that is ten times too large is never \
              reached. `200k` and `2M` are easy to tell apart.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.tokens >= 200000 tokens do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.tokens >= 200k tokens do notify \"x\" }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for number in numbers(subject).iter().filter(|_| subject.is_native_form()) {
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
