//! `window-smaller-than-count`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::quantity::{Value, whole};
use trimtab_base::source::Span;
use trimtab_language::check::{Comparison, Condition, Operand, Relation, Rule, Test};
use trimtab_syntax::syntax::tree::{Expr, ExprKind};

use crate::lint::analysis::edit::{comparison_parts, fix};
use crate::lint::analysis::requirement::effective_comparison;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("window-smaller-than-count", Severity::Error, include_str!("window_smaller_than_count.md")),
    category: Category::Kept,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    supersedes: &["never-true"],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for (test, truth) in rule.conditions().flat_map(Condition::tests_with_polarity) {
        if let Some((within, wanted)) = impossible(test, truth) {
            findings.push(finding(subject, rule, (test, truth), within, wanted));
        }
    }
}

/// The window of calls that a test counts in, and the count that it requires with this result, when the count is larger.
fn impossible(test: &Test, truth: bool) -> Option<(u64, u64)> {
    let Relation::Compare(_, Operand::Value(Value::Number(number))) = &test.relation else { return None };
    let (_, within) = test.reading.fact.cap(&test.reading.arguments)?;
    let wanted = match effective_comparison(test, truth)? {
        Comparison::More => whole(*number).saturating_add(1),
        Comparison::AtLeast | Comparison::Equal => whole(number.ceil()),
        _ => return None,
    };
    let within = whole(within);
    (wanted > within).then_some((within, wanted))
}

fn finding(subject: &Subject<'_>, rule: &Rule, (test, truth): (&Test, bool), within: u64, wanted: u64) -> Diagnostic {
    let verb = if truth { "can never hold" } else { "always holds" };
    let message = format!("`{}` {verb}", subject.quote(test.span));
    let here = format!("`within: {within} calls` can never reach {wanted}");
    let mut finding = LINT.finding(test.span, message, here).help("consider more calls, or require fewer repeats");
    finding.fixes.extend(widened(subject, rule, test, wanted));
    finding
}

/// The fix that considers twice as many calls as are required.
fn widened(subject: &Subject<'_>, rule: &Rule, test: &Test, wanted: u64) -> Option<Fix> {
    let (_, _, fact) = comparison_parts(subject, rule, test)?;
    let calls = format!("{} calls", wanted.checked_mul(2)?);
    let edit = match within(fact) {
        Within::Given(span) => TextEdit { span, text: calls.clone() },
        Within::Open(span) => TextEdit { span, text: format!("within: {calls}, ") },
        Within::Bare(span) => TextEdit { span, text: format!("(within: {calls})") },
    };
    Some(fix(format!("consider {calls}"), false, edit))
}

/// Where the number of calls is written, or where it can be inserted.
enum Within {
    /// The span of its value.
    Given(Span),
    /// The place before the first argument.
    Open(Span),
    /// The place after the name, which has no arguments.
    Bare(Span),
}

fn within(fact: &Expr) -> Within {
    let ExprKind::Call(name, arguments) = &fact.kind else { return Within::Bare(fact.span.after()) };
    let is_within = |name: Option<&str>| name.is_none_or(|name| name == "within");
    let given = arguments.iter().find(|argument| is_within(argument.name.as_ref().map(|name| name.node.as_str())));
    match (given, arguments.first()) {
        (Some(given), _) => Within::Given(given.value.span),
        (None, Some(first)) => {
            let start = first.name.as_ref().map_or(first.value.span, |name| name.span);
            Within::Open(Span { end: start.start, ..start })
        }
        (None, None) => Within::Bare(name.span.after()),
    }
}
