//! `suspicious-share`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_base::source::Span;
use trimtab_language::check::{Operand, Relation, Rule};
use trimtab_language::effect::LabelRole;

use crate::lint::analysis::edit::{fix, replace_constant, set_label};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("suspicious-share", Severity::Warning, include_str!("suspicious_share.md")),
    category: Category::Units,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    supersedes: &["early-reduction", "target-below-overhead", "threshold-below-overhead"],
    options: &[&SHARE],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

static SHARE: LintOption = LintOption {
    name: "share",
    unit: Unit::Share,
    default: Decimal::from_parts(5, 0, 0, false, 2),
    summary: "The smallest accepted share.",
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    for test in rule.tests() {
        let Relation::Compare(_, Operand::ShareOfWindow(share)) = test.relation else { continue };
        if let Some(mut finding) = finding(subject, test.span, share) {
            finding
                .fixes
                .extend(suggestion(share).and_then(|suggestion| replace_constant(subject, rule, test, &suggestion)));
            findings.push(finding);
        }
    }
    for action in &rule.actions {
        let target = action.explicit(LabelRole::DownTo);
        let Some((Quantity { amount, unit: Unit::Share }, span)) = target else { continue };
        if let Some(mut finding) = finding(subject, span, amount) {
            let suggestion = suggestion(amount);
            let write = |suggestion: &str| {
                let edit = set_label(action, LabelRole::DownTo, suggestion)?;
                Some(fix(format!("write `{suggestion}`"), false, edit))
            };
            finding.fixes.extend(suggestion.as_deref().and_then(write));
            findings.push(finding);
        }
    }
}

fn finding(subject: &Subject<'_>, span: Span, share: Decimal) -> Option<Diagnostic> {
    let least = subject.option(&SHARE);
    if share.is_zero() || share >= least {
        return None;
    }
    let message = format!("`{}` is a very small share of the window", subject.quote(span));
    let mut finding = LINT.finding(span, message, format!("below {}", Quantity::new(least, Unit::Share)));
    if let Some(suggestion) = suggestion(share) {
        finding = finding.help(format!("if you meant a fraction of one, write `{suggestion}`"));
    }
    Some(finding)
}

/// The share, read as a fraction of one.
fn suggestion(share: Decimal) -> Option<String> {
    let suggestion = share * Decimal::ONE_HUNDRED;
    (suggestion <= Decimal::ONE).then(|| Quantity::new(suggestion, Unit::Share).to_string())
}
