//! `trim-longer-than-before`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::{EffectKind, LabelRole};
use crate::lint::analysis::placement::remove_rule;
use crate::lint::analysis::step_order::{Step, already_reduced};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "trim-longer-than-before",
        severity: Severity::Warning,
        title: "a cut that an earlier cut has made already",
        why: "A result that was cut once is cut again only by a smaller limit. Here an earlier rule of the same \
              phase has already cut the same results to less, so the later cut finds nothing.",
        wrong: "edition 2026\npolicy p {\n  rule a { on reply do trim results to 200 chars keep 4 results }\n  rule b { on reply when context.ratio >= 50% do trim results to 500 chars keep 6 results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { on reply do trim results to 500 chars keep 4 results }\n  rule b { on reply when context.ratio >= 50% do trim results to 200 chars keep 6 results }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    already_reduced(subject, (EffectKind::CutContent, EffectKind::CutContent), found, |earlier, later| {
        idle(subject, earlier, later)
    });
}

fn idle(subject: &Subject<'_>, earlier: Step<'_>, later: Step<'_>) -> Option<Diagnostic> {
    let (first, second) =
        (earlier.action.quantity(LabelRole::ResultLimit)?, later.action.quantity(LabelRole::ResultLimit)?);
    if first.unit != second.unit || second.amount < first.amount {
        return None;
    }
    let message = format!("results are cut to {second} after they were cut to {first}");
    let mut finding = LINT
        .finding(later.action.span, message, "nothing is left to cut")
        .label(earlier.action.span, format!("cuts the same results to {first}"))
        .help("take this cut out, or give it a smaller limit");
    finding.fixes.extend(remove_rule(subject, later.rule));
    Some(finding)
}
