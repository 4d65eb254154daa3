//! `fallback-decides`

use crate::check::{Comparison, Relation, Rule, Test};
use crate::condition::test;
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::fact::{Fact, Facts, Unknown as Missing};
use crate::lint::analysis::edit::fix;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::quantity::{Type, Unit, Value};
use crate::source::Span;
use crate::syntax::tree::ExprKind;
use crate::syntax::walk;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "fallback-decides",
        severity: Severity::Warning,
        title: "a test that holds while nothing is known",
        why: "`??` says what a fact is where it is unknown. With this value the test holds by it alone: at the \
              first call, without prices or without a clock the rule is due for no reason.",
        wrong: "edition 2026\npolicy p {\n  rule stop_it { when (budget.cost ?? $9) >= $5 do stop \"too expensive\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule stop_it { when (budget.cost ?? $0) >= $5 do stop \"too expensive\" }\n}\n",
    },
    category: Category::Safety,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// Nothing is known but the window.
struct Unknown(Option<u64>);

impl Facts for Unknown {
    fn value(&self, _: &'static Fact, _: &[Value]) -> Option<Value> {
        None
    }

    fn window(&self) -> Option<u64> {
        self.0
    }
}

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let nothing = Unknown(subject.window().or(Some(1_000_000)));
    for (one, asked) in rule.condition.tests_with_polarity() {
        if asked && wants_something(one) && test(one, &nothing) == Some(true) {
            found.push(decided(subject, rule, one));
        }
    }
}

/// Whether a test is one that a fact has to reach; `since` is unknown until a rule has fired, and reached then.
fn wants_something(test: &Test) -> bool {
    let reaches = match &test.relation {
        Relation::Compare(operator, _) => {
            matches!(operator, Comparison::More | Comparison::AtLeast | Comparison::Equal)
        }
        Relation::OneOf(_) | Relation::Contains(_) | Relation::Holds => true,
        Relation::Known => false,
    };
    reaches && test.reading.fact.unknown != Some(Missing::Firing) && test.reading.fallback.is_some()
}

fn decided(subject: &Subject<'_>, rule: &Rule, test: &Test) -> Diagnostic {
    let message = format!("`{}` holds while `{}` is unknown", subject.text(test.span), test.reading.fact.name);
    let mut finding = LINT.finding(test.span, message, "holds by what stands behind `??` alone");
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
    finding.help("choose a value for which the test does not hold")
}

/// Where the value behind `??` stands in a test.
fn fallback(subject: &Subject<'_>, rule: &Rule, test: Span) -> Option<Span> {
    let tree = subject.tree(rule)?;
    let expressions = walk::expressions(|each| walk::rule(tree, each)).into_iter();
    expressions.rev().filter(|expr| test.contains(expr.span)).find_map(|expr| match &expr.kind {
        ExprKind::Default(_, value) => Some(value.span),
        _ => None,
    })
}
