//! `trim-after-mask`

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::effect::{EffectKind, LabelRole};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_rule;
use crate::lint::analysis::step_order::{Step, already_reduced};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "trim-after-mask",
        severity: Severity::Warning,
        title: "a cut of results that an earlier mask has replaced",
        why: "A masked result is never cut, and what the mask leaves alone is no longer than its placeholder. Here \
              the mask comes first in the phase and reaches at least as far, so the cut finds nothing.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 50% do mask results keep 6 results preview 80 chars }\n  rule cut { when context.ratio >= 60% do trim results to 500 chars keep 6 results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results keep 12 results preview 80 chars }\n  rule cut { when context.ratio >= 60% do trim results to 500 chars keep 6 results }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    already_reduced(subject, (EffectKind::ReplaceContent, EffectKind::CutContent), found, |mask, cut| {
        idle(subject, mask, cut)
    });
}

fn idle(subject: &Subject<'_>, mask: Step<'_>, cut: Step<'_>) -> Option<Diagnostic> {
    let limit = cut.action.quantity(LabelRole::ResultLimit)?;
    let left = u64::try_from(effect_scope::placeholder(mask.action)).unwrap_or(u64::MAX);
    if limit.to_u64() < left {
        return None;
    }
    let message = format!("results are cut to {limit} after they were masked");
    let mut finding = LINT
        .finding(cut.action.span, message, "nothing is left to cut")
        .label(mask.action.span, format!("leaves about {left} chars of each of these results"))
        .help("take this cut out, or let the mask keep more of the tail than the cut does");
    finding.fixes.extend(remove_rule(subject, cut.rule));
    Some(finding)
}
