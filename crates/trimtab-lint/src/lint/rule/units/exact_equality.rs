//! `exact-equality`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::quantity::{Type, Unit, Value};
use trimtab_language::check::{Comparison, Operand, Relation, Rule, Test};

use crate::lint::analysis::edit::{comparison_parts, fix};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("exact-equality", Severity::Warning, include_str!("exact_equality.md")),
    category: Category::Units,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for test in rule.tests() {
        if let Some(operator) = exact(test) {
            findings.push(finding(subject, rule, test, operator));
        }
    }
}

/// The operator of a test for one exact value of a measured fact; a test for zero is not one.
fn exact(test: &Test) -> Option<Comparison> {
    let Relation::Compare(operator @ (Comparison::Equal | Comparison::Unequal), operand) = &test.relation else {
        return None;
    };
    let measured =
        matches!(test.reading.fact.ty, Type::Number(Unit::Share | Unit::Tokens | Unit::Money | Unit::Duration));
    let zero = match operand {
        Operand::ShareOfWindow(share) | Operand::Value(Value::Number(share)) => share.is_zero(),
        Operand::Value(_) => true,
    };
    (measured && !zero).then_some(*operator)
}

fn finding(subject: &Subject<'_>, rule: &Rule, test: &Test, operator: Comparison) -> Diagnostic {
    let fact = test.reading.name();
    let here = match operator {
        Comparison::Equal => "rarely exactly this value",
        _ => "holds for almost every value",
    };
    let message = format!("`{}` compares the measured value `{fact}` exactly", subject.quote(test.span));
    let mut finding = LINT.finding(test.span, message, here).help("compare with `>=` or `<=`");
    finding.fixes.extend(at_least(subject, rule, test).filter(|_| operator == Comparison::Equal));
    finding
}

/// The fix that replaces the operator so that larger values match too.
fn at_least(subject: &Subject<'_>, rule: &Rule, test: &Test) -> Option<Fix> {
    let (operator, constant, fact) = comparison_parts(subject, rule, test)?;
    let text = if constant.span.start < fact.span.start { "<=" } else { ">=" };
    Some(fix(format!("write `{text}`"), false, TextEdit { span: operator.span, text: text.to_owned() }))
}
