//! `redundant-part`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::Value;
use trimtab_base::source::Span;
use trimtab_language::check::{Comparison, Condition, Operand, Relation, Rule, Test};
use trimtab_language::condition::{Assumptions, Decision, Redundancy, Redundant, redundant};
use trimtab_language::fact::Fact;
use trimtab_syntax::syntax::tree::{ClauseKind, Expr, ExprKind};

use crate::lint::analysis::edit::{fix, remove_part};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("redundant-part", Severity::Warning, include_str!("redundant_part.md")),
    category: Category::Reachability,
    certainty: Certainty::Proved,
    fix: FixAvailability::Mixed,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

/// Conditions with more tests than this are skipped, because each part needs an analysis of its own.
const MAX_TESTS: usize = 24;

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    // A guard that remembers `when` does not see `unless`.
    let condition = if rule.remembers_condition() { &rule.when } else { &rule.condition };
    if is_plain(condition)
        || condition.tests().nth(MAX_TESTS).is_some()
        || !matches!(subject.decision(rule), Some(Decision::Sometimes { .. }))
    {
        return;
    }
    for one in redundant(condition, &subject.assumptions(rule)) {
        // A test that a fact is known allows the other parts to read the fact.
        let asks = |test: &Test| test.relation == Relation::Known && one.part.contains(test.span);
        if !condition.tests().any(asks) {
            let is_proved =
                |host: &Assumptions| redundant(condition, host).iter().any(|other| other.part.contains(one.part));
            findings.extend(finding(subject, rule, &one, subject.assumed(rule, is_proved)));
        }
    }
}

/// A cheap check that no part is redundant: each test reads a different value, and the bounds of the facts decide none
/// of them.
fn is_plain(condition: &Condition) -> bool {
    let mut read = Vec::new();
    reads_distinct_values(condition, &mut read)
}

fn reads_distinct_values(condition: &Condition, read: &mut Vec<&'static Fact>) -> bool {
    match condition {
        Condition::Constant(_) => false,
        Condition::Not(inner) => reads_distinct_values(inner, read),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().all(|part| reads_distinct_values(part, read)),
        Condition::Test(test) => {
            let fact = test.reading.fact;
            let is_new = !read.iter().any(|other| other.is_related_to(fact));
            read.push(fact);
            is_new && is_open(test)
        }
    }
}

/// Whether a comparison is within the bounds of its fact, so that it can hold and can fail.
fn is_open(test: &Test) -> bool {
    let (operator, number) = match &test.relation {
        Relation::Compare(operator, Operand::ShareOfWindow(number) | Operand::Value(Value::Number(number))) => {
            (operator, number)
        }
        Relation::Holds => return true,
        _ => return false,
    };
    let domain = test.reading.fact.domain;
    let largest = test.reading.fact.largest_in_domain(&test.reading.arguments);
    let below = match operator {
        Comparison::Less | Comparison::AtLeast => largest.is_none_or(|largest| *number <= largest),
        _ => largest.is_none_or(|largest| *number < largest),
    };
    let above = match operator {
        Comparison::More | Comparison::AtMost => domain.least().is_none_or(|least| *number >= least),
        _ => domain.least().is_none_or(|least| *number > least),
    };
    // Facts with arguments may have narrower bounds, such as `repeats(within: 3 calls)`.
    let free = test.reading.arguments.iter().all(|argument| match argument {
        Value::Number(within) => number < within,
        _ => true,
    });
    above && below && free
}

fn finding(subject: &Subject<'_>, rule: &Rule, redundant: &Redundant, assumed: Option<String>) -> Option<Diagnostic> {
    let (part, edit) = subject.clauses(rule).find_map(|clause| match &clause.kind {
        ClauseKind::When(expr) | ClauseKind::Unless(expr) => without(expr, redundant.part),
        _ => None,
    })?;
    let text = subject.quote(part);
    let here = match redundant.reason {
        Redundancy::Always => "this always holds",
        Redundancy::Never => "this never holds",
        Redundancy::Part(_) => "implied by another part",
        Redundancy::Others => "implied by the other parts together",
    };
    let mut finding = LINT.finding(part, format!("`{text}` is redundant"), here);
    if let Redundancy::Part(other) = redundant.reason {
        finding = finding.label(other, "this part implies it");
    }
    finding.fixes.extend(edit.map(|edit| fix(format!("remove `{text}`"), assumed.is_none(), edit)));
    finding.notes.extend(assumed);
    Some(finding)
}

/// Returns the span of a part with its `not` and parentheses, and the edit that removes it from the enclosing `and` or
/// `or`, or `None` if it is not a part of this expression.
fn without(expr: &Expr, part: Span) -> Option<(Span, Option<TextEdit>)> {
    let is_here = |expr: &Expr| expr.span.start <= part.start && part.end <= expr.span.end;
    if !is_here(expr) {
        return None;
    }
    match &expr.kind {
        ExprKind::And(parts) | ExprKind::Or(parts) => {
            let at = parts.iter().position(is_here)?;
            let whole = || (tested(&parts[at]) == part).then(|| (parts[at].span, remove_part(parts, at)));
            without(&parts[at], part).or_else(whole)
        }
        ExprKind::Not(inner) => without(inner, part),
        _ => None,
    }
}

/// The span from the first to the last test of an expression, by which the analysis identifies it.
fn tested(expr: &Expr) -> Span {
    match &expr.kind {
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().map(tested).reduce(Span::to).unwrap_or(expr.span),
        ExprKind::Not(inner) => tested(inner),
        _ => expr.span,
    }
}
