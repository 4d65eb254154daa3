//! `trim-longer-than-before`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::placement::remove_rule;
use crate::lint::analysis::step_order::{Step, already_reduced};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "trim-longer-than-before",
        severity: Severity::Warning,
        title: "trim to a length that an earlier trim already ensures",
        why: "A trimmed result is trimmed again only to a smaller limit. An earlier rule in the same phase \
              already trims the same results to the same length or less, so the later trim finds nothing.",
        wrong: "edition 2026\npolicy p {\n  rule a { on reply do trim results to 200 chars keep 4 results }\n  rule b { on reply when context.ratio >= 50% do trim results to 500 chars keep 6 results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule a { on reply do trim results to 500 chars keep 4 results }\n  rule b { on reply when context.ratio >= 50% do trim results to 200 chars keep 6 results }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    already_reduced(subject, (EffectKind::CutContent, EffectKind::CutContent), findings, |earlier, later| {
        idle(subject, earlier, later)
    });
}

fn idle(subject: &Subject<'_>, earlier: Step<'_>, later: Step<'_>) -> Option<Diagnostic> {
    let (first, second) =
        (earlier.action.quantity(LabelRole::ResultLimit)?, later.action.quantity(LabelRole::ResultLimit)?);
    if first.unit != second.unit || second.amount < first.amount {
        return None;
    }
    let message = format!("results are trimmed to {second} after they were trimmed to {first}");
    let mut finding = LINT
        .finding(later.action.span, message, "nothing is left to trim")
        .label(earlier.action.span, format!("trims the same results to {first}"))
        .help("remove this trim, or use a smaller limit");
    finding.fixes.extend(remove_rule(subject, later.rule));
    Some(finding)
}
