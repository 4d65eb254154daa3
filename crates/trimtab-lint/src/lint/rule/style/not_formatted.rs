//! `not-formatted`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::source::{Span, line_end};
use trimtab_syntax::format;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(crate) static LINT: Lint = Lint {
    code: Code::new("not-formatted", Severity::Info, include_str!("not_formatted.md")),
    category: Category::Style,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    pedantic: true,
    check: Check::Text(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let text = subject.source.text();
    let Ok(formatted) = format::format_source(subject.source) else { return };
    if formatted == text {
        return;
    }
    let same = text.bytes().zip(formatted.bytes()).take_while(|(a, b)| a == b).count();
    let line = text.as_bytes()[..same.min(text.len())].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let end = line_end(text, line);
    let id = subject.source.id();
    let mut finding = LINT.finding(Span::new(id, line, end), "this file is not formatted", "the first difference");
    finding.fixes.push(fix("format the file", true, TextEdit { span: subject.source.span(), text: formatted }));
    findings.push(finding.help("run `trimtab fmt`"));
}
