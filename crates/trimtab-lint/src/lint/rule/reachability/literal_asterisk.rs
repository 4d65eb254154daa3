//! `literal-asterisk`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::Value;
use trimtab_base::source::Span;
use trimtab_language::check::{Operand, Relation, Rule};
use trimtab_syntax::syntax::tree::{ExprKind, TermKind};

use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("literal-asterisk", Severity::Warning, include_str!("literal_asterisk.md")),
    category: Category::Reachability,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for test in rule.tests() {
        for text in whole_texts(&test.relation).filter(|text| is_pattern(text)) {
            let place = place(subject, test.span, text).unwrap_or(test.span);
            findings.push(finding(text, place));
        }
    }
}

/// The texts that a test compares a whole text with.
fn whole_texts(relation: &Relation) -> impl Iterator<Item = &str> {
    let values = match relation {
        Relation::Compare(_, Operand::Value(value)) => std::slice::from_ref(value),
        Relation::OneOf(values) => values.as_slice(),
        _ => &[],
    };
    values.iter().filter_map(|value| match value {
        Value::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

/// Returns where a text is written in a comparison, or `None` if a `let` stands for it.
fn place(subject: &Subject<'_>, comparison: Span, text: &str) -> Option<Span> {
    let inside = subject.expressions().filter(|expr| comparison.contains(expr.span));
    inside.into_iter().find_map(|expr| match &expr.kind {
        ExprKind::Text(written) => (written.value == text).then_some(expr.span),
        ExprKind::List(terms) => terms.iter().find(|term| term_text(&term.kind) == Some(text)).map(|term| term.span),
        _ => None,
    })
}

fn term_text(kind: &TermKind) -> Option<&str> {
    match kind {
        TermKind::Word(word) => Some(word.as_str()),
        TermKind::Text(text) => Some(text.value.as_str()),
        _ => None,
    }
}

/// Whether a text is written like a name with an asterisk.
fn is_pattern(text: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_-.:/*".contains(char);
    text.contains('*') && text.contains(char::is_alphanumeric) && text.chars().all(is_part)
}

fn finding(text: &str, span: Span) -> Diagnostic {
    let part = text.split('*').max_by_key(|part| part.len()).unwrap_or_default();
    LINT.finding(span, format!("`{text}` is compared as it is written"), "`*` is an ordinary character here")
        .help(format!("write `contains \"{part}\"`, or list the names"))
}
