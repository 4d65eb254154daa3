//! `large-number`

use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::lint::analysis::edit::fix;
use crate::lint::analysis::placement::is_native_form;
use crate::lint::analysis::written_number::numbers;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::quantity::{Decimal, abbreviated};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "large-number",
        severity: Severity::Info,
        title: "a long row of digits",
        why: "`200000` and `2000000` look alike, and a threshold ten times too large is never met. `200k` and `2M` \
              differ at a glance.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.tokens >= 200000 tokens do notify \"x\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.tokens >= 200k tokens do notify \"x\" }\n}\n",
    },
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    for one in numbers(subject).iter().filter(|_| is_native_form(subject)) {
        let written = subject.text(one.span);
        let short = abbreviated(one.amount);
        let digits = written.chars().all(|c| c.is_ascii_digit() || c == '_');
        if one.amount < Decimal::from(10_000) || !digits || short.len() >= written.len() {
            continue;
        }
        let mut finding =
            LINT.finding(one.span, format!("`{written}` is a long row of digits"), format!("this is `{short}`"));
        let edit = TextEdit { span: one.span, text: short.clone() };
        finding.fixes.push(fix(format!("write `{short}`"), true, edit));
        found.push(finding);
    }
}
