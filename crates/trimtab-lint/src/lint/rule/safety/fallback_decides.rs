//! `fallback-decides`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Type, Unit, Value};
use trimtab_base::source::Span;
use trimtab_language::check::{Comparison, Operand, Reading, Relation, Rule, Test};
use trimtab_language::condition::{is_same, test};
use trimtab_language::fact::{Fact, Facts, Rises};
use trimtab_syntax::syntax::tree::ExprKind;

use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("fallback-decides", Severity::Warning, include_str!("fallback_decides.md")),
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// Facts of which only the window is known.
struct Unknown(Option<u64>);

impl Facts for Unknown {
    fn value(&self, _: &'static Fact, _: &[Value]) -> Option<Value> {
        None
    }

    fn window(&self) -> Option<u64> {
        self.0
    }
}

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let nothing = Unknown(subject.window().or(Some(1_000_000)));
    // With these values, another test of the same fact keeps the rule from being due.
    let failing = rule.condition.required_tests().filter(|(other, truth)| test(other, &nothing) == Some(!truth));
    let failing: Vec<&Reading> = failing.map(|(other, _)| &other.reading).collect();
    for (test_read, truth) in rule.condition.tests_with_polarity() {
        let is_decided =
            test(test_read, &nothing) == Some(truth) && !failing.iter().any(|other| is_same(other, &test_read.reading));
        if is_decided && requires_value(test_read, truth) {
            findings.push(decided(subject, rule, test_read, truth));
        }
    }
}

/// Whether a test with this result requires a fact to reach a value, or to be another value than some while the value after
/// `??` is one that the fact can have. Facts that count from an event are excluded.
fn requires_value(test: &Test, truth: bool) -> bool {
    let Some(fallback) = &test.reading.fallback else { return false };
    let reaches = match &test.relation {
        Relation::Compare(operator, _) => match if truth { *operator } else { operator.negated() } {
            Comparison::More | Comparison::AtLeast | Comparison::Equal => true,
            Comparison::Unequal => !is_neutral(fallback),
            Comparison::Less | Comparison::AtMost => false,
        },
        Relation::OneOf(_) | Relation::Contains(_) => truth || !is_neutral(fallback),
        Relation::Holds => truth,
        Relation::Known => false,
    };
    reaches && !counts_from_event(test.reading.fact)
}

/// Whether a fact counts what has happened since an event. It is unknown until the event has happened, and a large number after
/// `??` then stands for "long ago", as intended.
fn counts_from_event(fact: &Fact) -> bool {
    fact.is_optional() && fact.rises == Rises::EveryCall && matches!(fact.ty, Type::Number(Unit::Counted(_)))
}

/// Whether a value after `??` stands for nothing, and not for one of the values that the fact has where it is known.
fn is_neutral(fallback: &Value) -> bool {
    match fallback {
        Value::Number(number) => number.is_zero(),
        Value::Text(text) => text.is_empty(),
        Value::Bool(value) => !value,
    }
}

fn decided(subject: &Subject<'_>, rule: &Rule, test: &Test, truth: bool) -> Diagnostic {
    let (verb, here) = if truth {
        ("holds", "holds because of the value after `??`")
    } else {
        ("fails", "fails because of the value after `??`, so that its negation holds")
    };
    let message = format!("`{}` {verb} while `{}` is unknown", subject.quote(test.span), test.reading.name());
    let mut finding = LINT.finding(test.span, message, here);
    if let (Some(value), Some(span)) = (failing(test, truth), fallback(subject, rule, test.span)) {
        let edit = TextEdit { span, text: value.clone() };
        finding.fixes.push(fix(format!("write `{value}`"), false, edit));
    }
    finding.help("use a value with which the rule is not due")
}

/// Returns a value after `??` with which a test does not have this result, or `None` if it depends on the policy.
fn failing(test: &Test, truth: bool) -> Option<String> {
    let quoted = |text: &str| (!text.contains(['"', '\\'])).then(|| format!("\"{text}\""));
    let excluded = match &test.relation {
        Relation::Compare(Comparison::Equal, Operand::Value(value)) if !truth => Some(value),
        Relation::Compare(Comparison::Unequal, Operand::Value(value)) if truth => Some(value),
        Relation::OneOf(values) if !truth => Some(values.first()?),
        Relation::Contains(text) if !truth => return quoted(text),
        _ => None,
    };
    match excluded {
        Some(Value::Text(text)) => return quoted(text),
        Some(Value::Bool(value)) => return Some(value.to_string()),
        Some(Value::Number(_)) => return None,
        None => {}
    }
    let neutral = match test.reading.fact.ty {
        Type::Number(Unit::Share) => "0%",
        Type::Number(Unit::Money) => "$0",
        Type::Number(Unit::Duration) => "0s",
        Type::Number(Unit::Tokens) => "0 tokens",
        Type::Number(_) => "0",
        Type::Bool => "false",
        Type::Text | Type::Name => "\"\"",
    };
    Some(neutral.to_owned())
}

/// The span of the value after `??` in a test.
fn fallback(subject: &Subject<'_>, rule: &Rule, test: Span) -> Option<Span> {
    subject.tree(rule)?;
    let expressions: Vec<_> = subject.expressions().collect();
    expressions.into_iter().rev().filter(|expr| test.contains(expr.span)).find_map(|expr| match &expr.kind {
        ExprKind::Default(_, value) => Some(value.span),
        _ => None,
    })
}
