//! `suspicious-share`

use crate::check::{Operand, Relation, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::LabelRole;
use crate::lint::analysis::edit::{fix, replace_constant, set_label};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};
use crate::quantity::{Decimal, Quantity, Unit};
use crate::source::Span;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "suspicious-share",
        severity: Severity::Warning,
        title: "a share of a few per cent",
        why: "`0.8%` is eight thousandths, and was probably meant as `80%`, the 0.8 of other systems. System \
              prompt and tools alone take a few per cent of most windows, so such a rule is due at every call, or \
              its target is never reached.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 0.8% do notify \"nearly full\" }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 80% do notify \"nearly full\" }\n}\n",
    },
    category: Category::Units,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    supersedes: &["early-reduction", "target-below-overhead", "threshold-below-overhead"],
    options: &[LintOption {
        name: "share",
        unit: Unit::Share,
        default: Decimal::from_parts(5, 0, 0, false, 2),
        summary: "The smallest share that is believed.",
    }],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    for test in rule.tests() {
        let Relation::Compare(_, Operand::ShareOfWindow(share)) = test.relation else { continue };
        if let Some(mut finding) = finding(subject, test.span, share) {
            finding.fixes.extend(meant(share).and_then(|meant| replace_constant(subject, rule, test, &meant)));
            found.push(finding);
        }
    }
    for action in &rule.actions {
        let target = action.written(LabelRole::Goal);
        let Some((Quantity { amount, unit: Unit::Share }, span)) = target else { continue };
        if let Some(mut finding) = finding(subject, span, amount) {
            let meant = meant(amount);
            let write = |meant: &str| {
                let edit = set_label(action, LabelRole::Goal, meant)?;
                Some(fix(format!("write `{meant}`"), false, edit))
            };
            finding.fixes.extend(meant.as_deref().and_then(write));
            found.push(finding);
        }
    }
}

fn finding(subject: &Subject<'_>, span: Span, share: Decimal) -> Option<Diagnostic> {
    let least = subject.settings.option(&LINT, "share");
    if share.is_zero() || share >= least {
        return None;
    }
    let message = format!("`{}` is a very small share of the window", subject.text(span));
    let mut finding = LINT.finding(span, message, format!("below {}", Quantity::new(least, Unit::Share)));
    if let Some(meant) = meant(share) {
        finding = finding.help(format!("if the share of one was meant, it is `{meant}`"));
    }
    Some(finding)
}

/// What a share is when it was meant as a fraction of one.
fn meant(share: Decimal) -> Option<String> {
    let meant = share * Decimal::ONE_HUNDRED;
    (meant <= Decimal::ONE).then(|| Quantity::new(meant, Unit::Share).to_string())
}
