//! `trim-after-mask`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_language::effect::{EffectKind, LabelRole};

use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_rule;
use crate::lint::analysis::step_order::{Step, already_reduced};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "trim-after-mask",
        severity: Severity::Warning,
        title: "trim of results that an earlier mask replaced",
        why: "A masked result is never trimmed, and results that the mask leaves alone are no longer than \
              its placeholder. The mask comes first in the phase and covers everything that the trim \
              covers, so the trim finds nothing.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 50% do mask results keep 6 results preview 80 chars }\n  rule cut { when context.ratio >= 60% do trim results to 500 chars keep 6 results }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results keep 12 results preview 80 chars }\n  rule cut { when context.ratio >= 60% do trim results to 500 chars keep 6 results }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    already_reduced(subject, (EffectKind::ReplaceContent, EffectKind::CutContent), findings, |mask, cut| {
        idle(subject, mask, cut)
    });
}

fn idle(subject: &Subject<'_>, mask: Step<'_>, trim: Step<'_>) -> Option<Diagnostic> {
    let limit = trim.action.quantity(LabelRole::ResultLimit)?;
    let left = u64::try_from(effect_scope::placeholder(mask.action)).unwrap_or(u64::MAX);
    if limit.to_u64() < left {
        return None;
    }
    let message = format!("results are trimmed to {limit} after they were masked");
    let mut finding = LINT
        .finding(trim.action.span, message, "nothing is left to trim")
        .label(mask.action.span, format!("leaves about {left} chars of each result"))
        .help("remove this trim, or keep a longer tail in the mask than in the trim");
    finding.fixes.extend(remove_rule(subject, trim.rule));
    Some(finding)
}
