//! `no-last-resort`

use crate::check::{Comparison, Operand, Policy, Rule, Test};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::effect::EffectKind;
use crate::fact::Topic;
use crate::lint::analysis::edit::{fix, removal, remove_part};
use crate::lint::analysis::reduction::reduces;
use crate::lint::analysis::requirement::required_comparisons;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::quantity::{Decimal, Value, percent};
use crate::syntax::tree::{ClauseKind, ExprKind};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "no-last-resort",
        severity: Severity::Warning,
        title: "no reduction when the window is fullest",
        why: "Every rule that reduces the context has an upper bound, so no rule is due above the highest \
              of them. One long result that takes the context past that bound leaves the policy without a \
              rule that can help.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% and context.ratio < 80% do mask results keep 10 messages }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results keep 10 messages }\n}\n",
    },
    category: Category::Thresholds,
    certainty: Certainty::Proved,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        findings.extend(in_policy(subject, policy));
    }
}

/// Reports the rule with the highest upper bound, if all rules that reduce the context or stop the run have one.
fn in_policy(subject: &Subject<'_>, policy: &Policy) -> Option<Diagnostic> {
    let mut last: Option<(&Rule, &Test, Decimal)> = None;
    for rule in &policy.rules {
        if !reduces(rule) && !rule.does(EffectKind::Stop) {
            continue;
        }
        let (test, share) = upper_bound(subject, rule)?;
        if last.is_none_or(|(.., other)| share > other) {
            last = Some((rule, test, share));
        }
    }
    let (rule, test, share) = last?;
    let message = format!("no rule reduces the context above {}", percent(share));
    let here = format!("the last reduction, `{}`, ends here", rule.name);
    let mut finding = LINT.finding(test.span, message, here).help("remove the upper bound of the last reduction");
    finding.fixes.extend(without_bound(subject, rule, test));
    Some(finding)
}

/// The share of the window above which a rule is never due; none if it has no bound below the whole window.
fn upper_bound<'a>(subject: &Subject<'_>, rule: &'a Rule) -> Option<(&'a Test, Decimal)> {
    let bounds = required_comparisons(&rule.condition).filter_map(|(test, operator, operand)| {
        let upper = matches!(operator, Comparison::Less | Comparison::AtMost | Comparison::Equal);
        let fill = test.reading.fact.topic == Topic::ContextSize && !test.reading.fact.is_inverse();
        let share = match operand {
            Operand::ShareOfWindow(share) => *share,
            Operand::Value(Value::Number(tokens)) => tokens.checked_div(Decimal::from(subject.window()?))?,
            Operand::Value(_) => return None,
        };
        (upper && fill && share < Decimal::ONE).then_some((test, share))
    });
    let latched = rule.guards.iter().any(|guard| matches!(guard.node, crate::check::Guard::Until(_)));
    bounds.min_by_key(|(_, share)| *share).filter(|_| !latched)
}

/// The fix that removes the bound, if it is a part of an `and` or a whole `unless`.
fn without_bound(subject: &Subject<'_>, rule: &Rule, test: &Test) -> Option<Fix> {
    let edit = subject.tree(rule)?.clauses.iter().find_map(|clause| match &clause.kind {
        ClauseKind::Unless(expr) if expr.span == test.span => Some(removal(subject, clause.span)),
        ClauseKind::When(expr) => match &expr.kind {
            ExprKind::And(parts) => {
                let at = parts.iter().position(|part| part.span == test.span)?;
                remove_part(parts, at)
            }
            _ => None,
        },
        _ => None,
    })?;
    Some(fix("remove the upper bound", false, edit))
}
