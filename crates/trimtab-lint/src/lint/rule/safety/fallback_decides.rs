//! `fallback-decides`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Type, Unit, Value};
use trimtab_base::source::Span;
use trimtab_language::check::{Comparison, Relation, Rule, Test};
use trimtab_language::condition::test;
use trimtab_language::fact::{Fact, Facts, Unknown as Missing};
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
    for (test_read, truth) in rule.condition.tests_with_polarity() {
        if requires_value(test_read, truth) && test(test_read, &nothing) == Some(truth) {
            findings.push(decided(subject, rule, test_read, truth));
        }
    }
}

/// Whether a test with this result requires a fact to reach a value. `since` is excluded: it is unknown until its rule has
/// fired.
fn requires_value(test: &Test, truth: bool) -> bool {
    let reaches = match &test.relation {
        Relation::Compare(operator, _) => {
            let operator = if truth { *operator } else { operator.negated() };
            matches!(operator, Comparison::More | Comparison::AtLeast | Comparison::Equal)
        }
        Relation::OneOf(_) | Relation::Contains(_) | Relation::Holds => truth,
        Relation::Known => false,
    };
    reaches && test.reading.fact.unknown != Some(Missing::Firing) && test.reading.fallback.is_some()
}

fn decided(subject: &Subject<'_>, rule: &Rule, test: &Test, truth: bool) -> Diagnostic {
    let (verb, here) = if truth {
        ("holds", "holds because of the value after `??`")
    } else {
        ("fails", "fails because of the value after `??`, so that its negation holds")
    };
    let message = format!("`{}` {verb} while `{}` is unknown", subject.quote(test.span), test.reading.name());
    let mut finding = LINT.finding(test.span, message, here);
    let neutral = match test.reading.fact.ty {
        Type::Number(Unit::Share) => "0%",
        Type::Number(Unit::Money) => "$0",
        Type::Number(Unit::Duration) => "0s",
        Type::Number(Unit::Tokens) => "0 tokens",
        Type::Number(_) => "0",
        Type::Bool => "false",
        Type::Text | Type::Name => "\"\"",
    };
    let span = fallback(subject, rule, test.span);
    if let Some(span) = span {
        let edit = TextEdit { span, text: neutral.to_owned() };
        finding.fixes.push(fix(format!("write `{neutral}`"), false, edit));
    }
    finding.help("use a value with which the rule is not due")
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
