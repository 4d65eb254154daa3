//! `no-last-resort`

use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity};
use trimtab_base::quantity::{Decimal, percent};
use trimtab_language::check::{Policy, Rule, Test};
use trimtab_language::effect::EffectKind;
use trimtab_syntax::syntax::tree::{ClauseKind, ExprKind};

use crate::lint::analysis::edit::{fix, removal, remove_part};
use crate::lint::analysis::reduction::reduces;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("no-last-resort", Severity::Warning, include_str!("no_last_resort.md")),
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
fn in_policy<'a>(subject: &Subject<'a>, policy: &'a Policy) -> Option<Diagnostic> {
    let mut last: Option<(&'a Rule, &'a Test, Decimal)> = None;
    for rule in &policy.rules {
        if !reduces(subject, rule) && !rule.does(EffectKind::Stop) {
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

/// Returns the share of the window above which a rule is never due, or `None` if it has no bound below the whole
/// window.
fn upper_bound<'a>(subject: &Subject<'a>, rule: &'a Rule) -> Option<(&'a Test, Decimal)> {
    let bound = subject.ceiling(rule).filter(|bound| !bound.reported && !rule.has_until())?;
    bound.share.filter(|share| *share < Decimal::ONE).map(|share| (bound.test, share))
}

/// The fix that removes the bound, if it is a part of an `and` or a whole `unless`.
fn without_bound(subject: &Subject<'_>, rule: &Rule, test: &Test) -> Option<Fix> {
    let edit = subject.clauses(rule).find_map(|clause| match &clause.kind {
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
